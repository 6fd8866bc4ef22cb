package extract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

// An exported chat, as of WhatsApp, says in front of each line when it was written, and tells what its program did in lines of
// its own: that it encrypts, who made the group and what its name is.

var (
	exportLine = pattern.New(`^\[?(` + sentDay + `)[,.]?\s+` + hour + `\]?(?:\s+[–—-]\s+|\s+)(\S.*)$`)
	exportSaid = pattern.New(`^([^:"“„«]{1,60}):\s+(.*)$`)
	encrypted  = pattern.New(`(?i)end-to-end encrypted|ende-zu-ende-verschlüssel|chiffré[es]* de bout en bout|cifrados? de extremo a extremo`)
	groupNamed = pattern.New(`(?i)(?:\bcreated (?:the )?group|\bhat die gruppe)\s+["“„«'](.{1,100}?)["”“»']|` +
		`\bchanged the (?:subject|group name|name of the group)(?: from .{1,110})? to\s+["“„«'](.{1,100}?)["”“»'][.\s]*$|` +
		`\bhat den (?:betreff|gruppennamen|namen der gruppe)(?: von .{1,110})? (?:zu|in|auf|nach)\s+["“„«'](.{1,100}?)["”“»'] geändert`)
	spaces  = strings.NewReplacer("\u202f", " ", "\u00a0", " ")
	unseen  = strings.NewReplacer("\u200e", "", "\u200f", "", "\ufeff", "", "\u202a", "", "\u202b", "", "\u202c", "")
	byAProg = "\u200e" // stands before what WhatsApp says in somebody's name
)

// mostVoices is how many of those who write a title names.
const mostVoices = 3

// chatName names an exported chat that begins with what its program tells: after its group, where a line says its name, and
// else after who writes, from when to when. It is "" for every other text.
func (s *scanner) chatName() string {
	var group string
	var who []string
	var first, last time.Time
	begins, lines := false, 0
	for _, line := range s.lines {
		line = spaces.Replace(line)
		m := exportLine.FindStringSubmatch(strings.TrimSpace(unseen.Replace(line)))
		if m == nil {
			if lines == 0 && strings.TrimSpace(line) != "" {
				return "" // something else stands above it
			}
			continue
		}
		name, told := noticeOf(m[2], line)
		if lines++; lines == 1 {
			begins = told != ""
		}
		if g := groupNamed.FindStringSubmatch(told); g != nil {
			group = strings.TrimSpace(g[1] + g[2] + g[3])
		}
		if told == "" && !slices.Contains(who, name) {
			who = append(who, name)
		}
		if day, ok := (calendar{order: s.order}).find(m[1]); ok {
			if last = day; first.IsZero() {
				first = day
			}
		}
	}
	switch {
	case lines < 2 || len(who) == 0 || !begins && group == "":
		return ""
	case group != "":
		return group
	}
	return voicesFrom(who, first, last)
}

// noticeOf cuts a line of an exported chat into who writes and what its program tells, "" where somebody wrote it.
func noticeOf(said, line string) (name, told string) {
	m := exportSaid.FindStringSubmatch(said)
	switch {
	case m == nil:
		return "", said
	case strings.Contains(line, ": "+byAProg), encrypted.MatchString(m[2]), groupNamed.MatchString(m[2]) && strings.HasPrefix(m[2], m[1]+" "):
		return m[1], m[2]
	}
	return m[1], ""
}

// voicesFrom names a chat after who writes and its days.
func voicesFrom(who []string, first, last time.Time) string {
	out := strings.Join(who, " and ")
	if n := len(who); n > mostVoices {
		out = fmt.Sprintf("%s and %d more", strings.Join(who[:mostVoices], ", "), n-mostVoices)
	} else if n > 2 {
		out = strings.Join(who[:n-1], ", ") + " and " + who[n-1]
	}
	switch {
	case first.IsZero():
		return out
	case first.Equal(last):
		return out + ", " + first.Format(time.DateOnly)
	}
	return out + ", " + first.Format(time.DateOnly) + " to " + last.Format(time.DateOnly)
}
