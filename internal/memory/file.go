package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// A Row is a memory of a project as a file has it.
type Row struct {
	ID      string
	Version int64
	Type    string
	Text    string
}

// RowOf is the row of a record; ok is false for one that stands in no file: of another scope, a summary, from outside, erased, or expired.
func RowOf(r desk.Record, now time.Time) (Row, bool, error) {
	b, err := desk.Open[desk.MemoryBody](r)
	if err != nil || b.Scope != desk.ForProject || b.Type == "summary" || r.Outside || r.Deleted || b.Content == ErasedWords || r.MergedInto != "" ||
		b.Expired(now) {
		return Row{}, false, err
	}
	return Row{r.ID, r.Version, cmp.Or(b.Type, "fact"), b.Content}, true, nil
}

// Rows are those of the records that stand in a file.
func Rows(records []desk.Record, now time.Time) ([]Row, error) {
	var out []Row
	for _, r := range records {
		row, ok, err := RowOf(r, now)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, row)
		}
	}
	return out, nil
}

// sections are the headings of a file, in their order, with the types under them.
var sections = []struct{ heading, kind string }{ //nolint:gochecknoglobals // a table
	{"Decisions", "decision"}, {"Facts", "fact"}, {"Preferences", "preference"}, {"Ways of doing things", "procedure"}, {"Open questions", "question"},
}

// MaxFile is how long a file may be that is read back, in bytes.
const MaxFile = 1 << 20

// stamp begins the line that says as of when a file was written, at the end of that up to which position of the log.
const stamp = "As of "

var upTo = pattern.New(`^As of [^,]*, event ([0-9]{1,18})\. `)

// File writes MEMORY.md: a line for each memory, under the heading of its type, with its id and version. The log was read up to at before
// the rows were.
func File(project string, rows []Row, at event.Seq, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Memory of %s\n\n%s%s, event %d. Edit the lines and read the file back with `chela memory read MEMORY.md`, which shows the difference first.\n"+
		"A line without an id in brackets is a new memory; one that is gone is forgotten; a longer text goes on in lines that are indented.\n", oneLine(project), stamp, now.UTC().Format(time.RFC3339), at)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.heading)
		for _, r := range rows {
			if r.Type == s.kind {
				fmt.Fprintf(&b, "- %s [%s@%d]\n", strings.ReplaceAll(strings.TrimSpace(r.Text), "\n", "\n  "), r.ID, r.Version)
			}
		}
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// History writes HISTORY.md: what the conversations of a project came to, the oldest first.
func History(project string, summaries []desk.Record) (string, error) {
	list := slices.Clone(summaries)
	slices.SortFunc(list, func(a, b desk.Record) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	var b strings.Builder
	fmt.Fprintf(&b, "# History of %s\n", oneLine(project))
	for _, r := range list {
		body, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			return "", err
		}
		if body.Type == "summary" && !r.Deleted && r.MergedInto == "" {
			fmt.Fprintf(&b, "\n[%s] %s [%s]\n", r.UpdatedAt.UTC().Format("2006-01-02 15:04"), strings.TrimSpace(body.Content), r.ID)
		}
	}
	return b.String(), nil
}

// A Line is one that stands in a file that was read.
type Line struct {
	Row

	Number int // of its first line, from 1
}

// A Read is a file as it was read.
type Read struct {
	At    event.Seq // the position of the log up to which it was written
	Lines []Line
}

var mark = pattern.New(`\s*\[(mem_[0-9a-z]+)@([0-9]+)\]$`)

// ReadFile reads a MEMORY.md that was edited. The error is a fault that names the line.
func ReadFile(text string) (Read, error) {
	if len(text) > MaxFile {
		return Read{}, fault.New(fault.TooLarge, "The file has %d bytes; the limit is %d.", len(text), MaxFile)
	}
	var out Read
	kind, stamped := "", false
	seen := make(map[string]int)
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for i, l := range strings.Split(text, "\n") {
		switch n := i + 1; {
		case strings.HasPrefix(l, stamp) && !stamped:
			m := upTo.FindStringSubmatch(l)
			if m == nil {
				return out, fault.New(fault.Invalid, "MEMORY.md, line %d: it does not say up to which event it was written (\"As of a day, event 12. \"). Write the file anew with `chela memory write`.", n)
			}
			at, _ := strconv.ParseInt(m[1], 10, 64) // at most 18 digits
			out.At, stamped = event.Seq(at), true
		case strings.HasPrefix(l, "## "):
			at := slices.IndexFunc(sections, func(s struct{ heading, kind string }) bool {
				return strings.EqualFold(s.heading, strings.TrimSpace(l[3:]))
			})
			if at < 0 {
				return out, fault.New(fault.Invalid, "MEMORY.md, line %d: the heading %q is not known. There are: %s.", n, strings.TrimSpace(l[3:]), headings())
			}
			kind = sections[at].kind
		case strings.HasPrefix(l, "- "):
			if kind == "" {
				return out, fault.New(fault.Invalid, "MEMORY.md, line %d: it stands under no heading.", n)
			}
			out.Lines = append(out.Lines, Line{Row{Type: kind, Text: l[2:]}, n})
		case strings.HasPrefix(l, "  ") && len(out.Lines) > 0 && kind != "":
			last := &out.Lines[len(out.Lines)-1]
			last.Text += "\n" + l[2:]
		case strings.TrimSpace(l) == "" || kind == "":
		default:
			return out, fault.New(fault.Invalid, "MEMORY.md, line %d: it begins with no \"- \" and is not indented, so that it belongs to no memory.", n)
		}
	}
	if !stamped {
		return out, fault.New(fault.Invalid, "MEMORY.md does not say as of when it was written (a line that begins with %q), so that nobody can tell what is gone from what is new. Write it anew with `chela memory write`.", stamp)
	}
	for i := range out.Lines {
		if err := out.Lines[i].settle(seen); err != nil {
			return out, err
		}
	}
	return out, nil
}

// settle takes the id off the end of a line's text.
func (l *Line) settle(seen map[string]int) error {
	l.Text = strings.TrimSpace(l.Text)
	if m := mark.FindStringSubmatchIndex(l.Text); m != nil {
		version, err := strconv.ParseInt(l.Text[m[4]:m[5]], 10, 64)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "MEMORY.md, line %d: its version is too large.", l.Number)
		}
		l.ID, l.Version, l.Text = l.Text[m[2]:m[3]], version, strings.TrimSpace(l.Text[:m[0]])
		if at := seen[l.ID]; at > 0 {
			return fault.New(fault.Invalid, "MEMORY.md, lines %d and %d are both %s. Take the id off the one that is new.", at, l.Number, l.ID)
		}
		seen[l.ID] = l.Number
	}
	if l.Text == "" {
		return fault.New(fault.Invalid, "MEMORY.md, line %d is empty. Take it out to forget it.", l.Number)
	}
	return nil
}

func headings() string {
	var out []string
	for _, s := range sections {
		out = append(out, s.heading)
	}
	return strings.Join(out, ", ")
}

// An Edit is what reading a file back changes, or why it does not.
type Edit struct {
	What   string `json:"what" enum:"added,changed,forgotten,conflict"`
	ID     string `json:"id,omitempty"`
	Line   int    `json:"line,omitempty" doc:"of the file"`
	Type   string `json:"type"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Why    string `json:"why,omitempty" doc:"of a conflict: it is left as it is"`
}

// Placed finds the positions in the log at which a memory was made and changed last.
type Placed func(ctx context.Context, id string) (made, last event.Seq, err error)

// Compare says what a file that was edited changes of the memories there are now. What somebody else changed since the file was
// written is a conflict; what was made since stays. Both go by positions of the log, not by clocks: what was under way when the file was
// written comes after it. The error is of placed, which is asked of what the file does not have.
func Compare(ctx context.Context, file Read, now []Row, placed Placed) ([]Edit, error) {
	out := []Edit{}
	have := make(map[string]Row)
	for _, r := range now {
		have[r.ID] = r
	}
	in := make(map[string]bool)
	for _, l := range file.Lines {
		r, ok := have[l.ID]
		e := Edit{ID: l.ID, Line: l.Number, Type: l.Type, Before: r.Text, After: l.Text}
		in[l.ID] = true
		switch {
		case l.ID == "":
			e.What = "added"
		case !ok:
			e.What, e.Why = "conflict", "It was deleted, or is no memory of this project. Take its id off to keep the line as a new one."
		case asRead(r.Text) == l.Text && r.Type == l.Type:
			continue
		case r.Version != l.Version:
			e.What, e.Why = "conflict", "Somebody changed it since the file was written."
		default:
			e.What = "changed"
		}
		out = append(out, e)
	}
	for _, r := range now {
		if in[r.ID] {
			continue
		}
		made, last, err := placed(ctx, r.ID)
		switch {
		case err != nil:
			return nil, err
		case made > file.At:
		case last > file.At:
			out = append(out, Edit{What: "conflict", ID: r.ID, Type: r.Type, Before: r.Text, Why: "Its line is gone, and somebody changed it since the file was written."})
		default:
			out = append(out, Edit{What: "forgotten", ID: r.ID, Type: r.Type, Before: r.Text})
		}
	}
	return out, nil
}

// asRead is a memory's text as it is read back from a file, in which all lines end alike.
func asRead(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }

// Edits plans the changes of a file that was compared with rows. What a person wrote is certain, and theirs. Conflicts are left as they are.
func Edits(w *clerk.Work, edits []Edit, rows []Row) error {
	seen := make(map[string]int64)
	for _, r := range rows {
		seen[r.ID] = r.Version
	}
	for _, e := range edits {
		if err := edit(w, e, seen[e.ID]); err != nil {
			return err
		}
	}
	return nil
}

func edit(w *clerk.Work, e Edit, seen int64) error {
	wrote := desk.Source{Document: "MEMORY.md", By: "person"}
	if e.What == "changed" || e.What == "forgotten" {
		if err := w.AsSeen(desk.Memory, e.ID, seen); err != nil {
			return err
		}
	}
	var err error
	switch e.What {
	case "added":
		_, _, err = clerk.Ensure(w, desk.Memory, &desk.MemoryBody{Scope: desk.ForProject, Type: e.Type, Content: e.After, Sources: []desk.Source{wrote}})
	case "changed":
		_, err = clerk.Edit(w, desk.Memory, e.ID, func(b *desk.MemoryBody) {
			b.Type, b.Content, b.Confidence = e.Type, e.After, 0
			b.Sources = append(b.Sources, wrote)
		})
	case "forgotten":
		_, err = w.Remove(desk.Memory, e.ID)
	}
	return err
}
