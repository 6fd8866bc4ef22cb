package agent

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"chela/internal/contract"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/pattern"
	"chela/internal/tool"
)

// OutsideKind records that an agent changed what neither its request nor the ticket that this names says.
var OutsideKind = event.Kind[Outside]{Name: "run.outside", PayloadType: "run.outside.v1"}

// An Outside is the payload of run.outside. It is for people to look at, and keeps nothing from happening.
type Outside struct {
	Agent   string   `json:"agent"`
	Tool    string   `json:"tool"`
	Call    string   `json:"call"`
	Changed []string `json:"changed" nullable:"false"` // ids of records, and files
	Named   []string `json:"named" nullable:"false"`   // what the request names
	// Beside says that another call wrote in the same folders meanwhile: some of the files may be that one's.
	Beside bool `json:"beside,omitempty"`
}

// asked is what a task was asked for.
type asked struct {
	request string // of the task; what it names bounds the task
	around  string // what else was said, where more may be named
}

// askedOf is what an assignment asks for: its request, else the last words of the conversation.
func askedOf(a Assignment) asked {
	var said []string
	for _, m := range a.History {
		if m.Role != model.User {
			continue
		}
		for _, p := range m.Parts {
			said = append(said, p.Text)
		}
	}
	out := asked{request: a.Request, around: strings.Join(said, "\n")}
	if out.request == "" && len(said) > 0 {
		out.request = said[len(said)-1]
	}
	return out
}

// of is what a child is asked for, whose parent was asked for a.
func (a asked) of(task string) asked {
	return asked{request: task, around: a.request + "\n" + a.around}
}

var (
	// trackerKey is how trackers call tickets.
	trackerKey = pattern.New(`\b[A-Z][A-Z0-9]{1,9}-[0-9]{1,7}\b`)
	// fileName is a path, or a name with an ending that files have.
	fileName = pattern.New(`(?:[\w.~-]*/)+[\w.-]+|\b[\w-]+\.(?:go|md|txt|ts|tsx|js|jsx|py|java|kt|rs|c|h|cpp|cs|rb|php|sql|html|css|sh|json|ya?ml|toml|xml|csv|tsv|pdf|docx|xlsx|pptx)\b`)
	webPlace = pattern.New(`\w+://\S+`)
)

// filesIn are the files that a text names.
func filesIn(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(fileName.FindAllString(webPlace.ReplaceAllString(text, " "), mostNamed))))
}

// mostNamed bounds what is read off a request.
const mostNamed = 50

// strayed tells of what a call changed that was not asked for. A request that names records bounds which records
// its task changes, and one that names files bounds the files; what is new was not there to be named.
func (l *loop) strayed(ctx context.Context, p plan, res tool.Result) []event.Draft {
	if l.g.opts.Records == nil || p.tool == nil {
		return nil
	}
	changed, files := changedBy(res.Drafts), res.Changed.Old()
	if len(changed) == 0 && len(files) == 0 {
		return nil
	}
	records, text := l.recordsIn(ctx, l.asked.request)
	paths := filesIn(l.asked.request)
	words := l.asked.request + "\n" + l.asked.around + "\n" + text
	out := Outside{Agent: string(l.agentID()), Tool: p.tool.Name, Call: p.call.ID, Named: slices.Concat(records, paths)}
	if len(records) > 0 {
		for _, id := range changed {
			if !l.names(ctx, words, id) {
				out.Changed = append(out.Changed, id)
			}
		}
	}
	if len(paths) > 0 || len(filesIn(words)) > 0 && len(records) > 0 {
		named := filesIn(words)
		for _, f := range files {
			if !slices.ContainsFunc(named, func(n string) bool { return isOf(n, f) }) {
				out.Changed, out.Beside = append(out.Changed, f), res.Changed.Beside
			}
		}
	}
	if len(out.Changed) == 0 {
		return nil
	}
	return []event.Draft{OutsideKind.Draft(l.t.Place(l.s, party(l.agentID())), out)}
}

// changedBy are the records that drafts change, without those that they make and those that follow from others.
func changedBy(drafts []event.Draft) []string {
	var out []string
	for _, d := range drafts {
		var c desk.Change
		if !strings.HasPrefix(d.Message.Type, "desk.") || json.Unmarshal(d.Message.Payload, &c) != nil {
			continue
		}
		if c.Op == desk.Created || c.Kind.Association() || c.Kind.Authored() || c.Kind.Derived() || c.Kind.Account() || onlyComputed(c) {
			continue
		}
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

func onlyComputed(c desk.Change) bool {
	var set map[string]json.RawMessage
	if c.Kind.Computed() == "" || json.Unmarshal(c.Set, &set) != nil {
		return false
	}
	delete(set, c.Kind.Computed())
	return len(set) == 0 && c.Op == desk.Updated
}

// recordsIn are the records of the project that a request names by id or key, and what they say.
func (l *loop) recordsIn(ctx context.Context, request string) (named []string, text string) {
	var b strings.Builder
	take := func(name string, r desk.Record) {
		if r.Project == l.s.Run.Project && !slices.Contains(named, name) {
			named = append(named, name)
			b.Write(r.Body)
			b.WriteString("\n" + r.ID + "\n")
		}
	}
	for _, id := range contract.IDs(request) {
		if r, err := l.g.opts.Records.Record(ctx, id); err == nil {
			take(id, r)
		}
	}
	for _, key := range trackerKey.FindAllString(request, mostNamed) {
		if r, ok, err := l.g.opts.Records.Keyed(ctx, l.s.Run.Project, key); err == nil && ok {
			take(key, r)
		}
	}
	return named, b.String()
}

// names reports whether words name a record: by its id, its key, its title, or a record that it refers to.
func (l *loop) names(ctx context.Context, words, id string) bool {
	if strings.Contains(words, id) {
		return true
	}
	r, err := l.g.opts.Records.Record(ctx, id)
	if err != nil {
		return true // nobody can say
	}
	s, err := desk.Summarize(r)
	if err != nil {
		return true
	}
	lower := strings.ToLower(words)
	for _, n := range []string{s.Title, s.Identity} {
		if n != "" && strings.Contains(lower, strings.ToLower(n)) {
			return true
		}
	}
	return slices.ContainsFunc(s.Refs, func(ref desk.Ref) bool { return ref.ID != "" && strings.Contains(words, ref.ID) })
}

// isOf reports whether a name in a text is that of a file, or of a folder that it lies in.
func isOf(name, file string) bool {
	name = strings.TrimPrefix(strings.Trim(name, "/"), "./")
	return name != "" && (path.Base(file) == path.Base(name) || strings.Contains(file+"/", "/"+name+"/"))
}
