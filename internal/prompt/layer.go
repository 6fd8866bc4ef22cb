package prompt

import (
	"strings"

	"chela/internal/org"
)

// A Layer is one part of what an agent is told. Those of a priority below 20 are never cut beyond their own bounds; those
// from 50 on may be left out whole.
type Layer struct {
	Name     string
	Priority int
	Text     string
	Cut      bool // something of it was left out
}

// The layers of a system prompt, in the order in which they stand. What is the same in each turn comes first.
var layers = map[string]int{
	"Identity": 10, "Core": 0, "Bootstrap": 15, "Business": 20, "Skills": 40, "Temporal": 60, "Runtime": 80, "Task": 20, "Findings": 50,
}

// A File is one of an agent's workspace: SOUL.md, AGENTS.md, USER.md, TOOLS.md, IDENTITY.md or HEARTBEAT.md.
type File struct {
	Name  string
	Text  string
	Whole bool // it is left out where all of it has no room
}

// Guide is the AGENTS.md of a folder that an agent may touch: how work is done there, as data.
func Guide(folder, text string) File {
	if text = strings.TrimSpace(text); len(text) > maxGuide {
		text = strings.ToValidUTF8(text[:maxGuide], "") + "\n[more in the file]"
	}
	return File{Name: "folder " + line(folder, maxLine), Text: Data("how work is done in "+folder, text), Whole: true}
}

// maxGuide is what an agent is told of such a file, in bytes.
const maxGuide = 3000

// WorkspaceFiles lists the names of the files that are read, in their order.
func WorkspaceFiles() []string {
	return []string{"IDENTITY.md", "SOUL.md", "AGENTS.md", "USER.md", "TOOLS.md", "HEARTBEAT.md"}
}

// maxBootstrap is what the files of a workspace may take, in bytes.
const maxBootstrap = 4000

// A Skill is one that an agent may read.
type Skill struct {
	Name         string
	Description  string
	Instructions string // those that stand in the prompt whole; "" for what it reads when it needs it
}

// What skills may take, in bytes: all, and the description of one.
const (
	maxSkills    = 5000
	maxSkillLine = 240
)

// taught is what an agent is told of skills: the instructions of those that always hold, and what the others are for. What does
// not fit in n bytes is left out from the end; whole is what all of it would be the end of.
func taught(skills []Skill, n int) (text, whole string) {
	const head, more = "\n\nSkills: read one with skill_read before you do what it is for", "\n- and others: skill_read without a name lists them"
	var b strings.Builder
	fits := func(s string) bool {
		if b.Len()+len(s)+len(more) > n {
			return false
		}
		b.WriteString(s)
		return true
	}
	all := true
	for _, s := range skills {
		if s.Instructions != "" {
			all = fits("\n\nThe skill "+s.Name+"\n"+s.Instructions) && all
		}
	}
	listed := false
	for _, s := range skills {
		if s.Instructions != "" {
			continue
		}
		row := "\n- " + s.Name + ": " + line(s.Description, maxSkillLine)
		if !listed {
			row = head + row
		}
		if !fits(row) {
			all = false
			break
		}
		listed = true
	}
	if !all && b.Len() > 0 {
		b.WriteString(more)
		return b.String(), "\x00" // something is left out
	}
	return b.String(), b.String()
}

// Layers returns the parts of an agent's system prompt; together their texts are [System].
func Layers(a org.Agent, c Context) []Layer {
	var out []Layer
	size := 0
	add := func(name, text, whole string) {
		if text != "" {
			out = append(out, Layer{Name: name, Priority: layers[name], Text: text, Cut: !strings.HasSuffix(text, whole)})
			size += len(text)
		}
	}
	left := func() int { return MaxSystem*bytesPerToken - size }
	add("Identity", cut(a.Prompt, org.MaxPrompt)+"\n\n", a.Prompt+"\n\n")
	add("Core", rules(), "")
	if len(a.Card.Rules) > 0 {
		own := "- " + strings.Join(a.Card.Rules, "\n- ")
		add("Identity", "\n\nYour own rules\n"+cut(own, maxCardRules), own)
	}
	for _, f := range c.Files {
		if room := min(maxBootstrap, left()-minTask-3*maxLine); room > 2*maxLine && (!f.Whole || len(f.Text) <= room) {
			add("Bootstrap", "\n\nFrom your "+f.Name+"\n"+cut(strings.TrimSpace(f.Text), room), strings.TrimSpace(f.Text))
		}
	}
	if text, whole := taught(c.Skills, min(maxSkills, left()-minTask-3*maxLine)); text != "" {
		add("Skills", text, whole)
	}
	if len(c.Roster) > 0 {
		rows := roster(c.Roster, min(maxRoster, left()-minTask-3*maxLine))
		add("Business", "\n\nThe specialists\n"+rows, rows)
	}
	if c.Project != "" || c.Thread != "" || !c.Date.IsZero() || len(c.Folders) > 0 {
		add("Business", "\n\nWhere you are"+where(c), "")
	}
	if !c.Date.IsZero() {
		add("Temporal", "\n- Today is "+c.Date.Format("Monday, 2006-01-02")+".", "")
	}
	for i, f := range c.Folders[:min(len(c.Folders), 8)] {
		if i == 0 {
			f = "Your working folder, where relative paths begin: " + f
		} else {
			f = "Also open to you: " + f
		}
		add("Runtime", "\n- "+line(f, maxLine), "")
	}
	if c.Task != "" {
		const head = "\n\nYour task: "
		add("Task", head+cut(c.Task, left()-len(head)), c.Task)
	}
	if c.Findings != "" {
		add("Findings", findings(c.Findings, left()), "")
	}
	return out
}

// where says in which project and thread an agent is.
func where(c Context) string {
	out := ""
	if c.Project != "" {
		out += "\n- The project: " + line(c.Project, maxLine)
	}
	if c.Thread != "" {
		out += "\n- The thread's title: " + line(c.Thread, maxLine)
	}
	return out
}
