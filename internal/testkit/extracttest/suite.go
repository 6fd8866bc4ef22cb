// Package extracttest scores what [extract.ReadMinutes] finds against passages that
// were labelled by hand: NN.md beside NN.labels, one finding a line, as
//
//	kind | owner | due | text
//
// The owner of a decision is who took it; "-" is none. Every finding of a
// passage is labelled, so what has no label is wrong. Whoever scores gives the folder.
//
// A file families names kinds of meetings, one a line as "board 133-145". A file heldout
// lists the numbers of the passages that rules are not written from.
package extracttest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/extract"
	"chela/internal/pattern"
)

// Kinds are the kinds of findings, in the order of a report.
func Kinds() []string {
	return []string{"action", "decision", "question", "attendee", "absent", "speaker", "topic", "key", "link"}
}

// A Finding is one line of labels, or one thing that rules found.
type Finding struct {
	Kind, Owner, Due, Text string
	Stands                 bool // the quote of what was found stands in the lines that it names
	Line                   int  // where a text to practice on marks it, from 1
}

func (f Finding) String() string {
	return strings.Join([]string{f.Kind, f.Owner, f.Due, f.Text}, " | ")
}

// A Passage is a text and what it says.
type Passage struct {
	Name    string
	Family  string // the kind of meeting, empty in the first passages
	HeldOut bool
	Text    string
	Labels  []Finding
}

// Load reads a suite.
func Load(dir fs.FS) ([]Passage, error) {
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list passages: %w", err)
	}
	if len(names) == 0 {
		return nil, errors.New("no passages are there, and none would score everything")
	}
	families, err := readFamilies(dir)
	if err != nil {
		return nil, err
	}
	heldOut, err := words(dir, "heldout")
	if err != nil {
		return nil, err
	}
	var out []Passage
	for _, name := range names {
		number := strings.TrimSuffix(name, ".md")
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read passage: %w", err)
		}
		labels, err := fs.ReadFile(dir, number+".labels")
		if err != nil {
			return nil, fmt.Errorf("read labels: %w", err)
		}
		p := Passage{Name: name, Family: families[number], HeldOut: slices.Contains(heldOut, number), Text: string(text)}
		if p.Labels, err = readLabels(name, string(labels)); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func readLabels(name, text string) ([]Finding, error) {
	var out []Finding
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" { // nothing is to be found
			continue
		}
		parts := strings.SplitN(line, "|", 4)
		if len(parts) != 4 {
			return nil, fmt.Errorf("labels of %s, line %d: %q is not kind | owner | due | text", name, i+1, line)
		}
		for j := range parts {
			parts[j] = strings.TrimSpace(parts[j])
		}
		f := Finding{Kind: parts[0], Owner: given(parts[1]), Due: given(parts[2]), Text: parts[3]}
		if !slices.Contains(Kinds(), f.Kind) {
			return nil, fmt.Errorf("labels of %s, line %d: %q is no kind", name, i+1, f.Kind)
		}
		out = append(out, f)
	}
	return out, nil
}

// given is a field of a label, empty for "-".
func given(field string) string {
	if field == "-" {
		return ""
	}
	return field
}

// readFamilies returns the family of each passage that has one, by its number.
func readFamilies(dir fs.FS) (map[string]string, error) {
	list, err := words(dir, "families")
	if err != nil {
		return nil, err
	}
	if len(list)%2 != 0 {
		return nil, fmt.Errorf("families has %d words, and each line needs a name and numbers", len(list))
	}
	out := make(map[string]string)
	for pair := range slices.Chunk(list, 2) {
		from, to, _ := strings.Cut(pair[1], "-")
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("family %s: %q is not of the form 133-145", pair[0], pair[1])
		}
		for n := first; n <= last; n++ {
			out[strconv.Itoa(n)] = pair[0]
		}
	}
	return out, nil
}

// words reads a file that a suite need not have.
func words(dir fs.FS, name string) ([]string, error) {
	text, err := fs.ReadFile(dir, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// found is what is found in a text.
func found(text string, w *extract.Weights) []Finding {
	m := extract.ReadWith(text, w)
	lines := strings.Split(text, "\n")
	var out []Finding
	add := func(span extract.Span, f Finding) {
		f.Stands = span.Line >= 1 && span.Line <= span.EndLine && span.EndLine <= len(lines) &&
			strings.Contains(strings.Join(lines[span.Line-1:span.EndLine], "\n"), span.Quote)
		out = append(out, f)
	}
	for _, a := range m.Actions {
		add(a.Span, Finding{Kind: "action", Owner: a.Owner, Due: day(a.Due), Text: a.Text})
	}
	for _, d := range m.Decisions {
		add(d.Span, Finding{Kind: "decision", Owner: d.By, Text: d.Text})
	}
	for _, q := range m.Questions {
		add(q.Span, Finding{Kind: "question", Text: q.Text})
	}
	for _, a := range m.Attendees {
		kind := "attendee"
		if a.Absent {
			kind = "absent"
		}
		add(a.Span, Finding{Kind: kind, Text: a.Name})
	}
	for _, s := range m.Speakers {
		add(s.Span, Finding{Kind: "speaker", Text: s.Name})
	}
	for _, t := range m.Topics {
		add(t.Span, Finding{Kind: "topic", Text: t.Title})
	}
	for _, k := range m.Keys {
		add(k.Span, Finding{Kind: "key", Text: k.Key})
	}
	for _, l := range m.Links {
		add(l.Span, Finding{Kind: "link", Text: l.URL})
	}
	return out
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// A Score counts the findings of a kind.
type Score struct {
	Labelled, Found, Right int
	Owners, Dues           int // of the right ones, those with the right owner and due date
	Stand                  int // of those found, the ones whose quote stands where they say
}

// Precision is the share of what was found that is right.
func (s Score) Precision() float64 { return share(s.Right, s.Found) }

// Recall is the share of what is there that was found.
func (s Score) Recall() float64 { return share(s.Right, s.Labelled) }

// F1 is the harmonic mean of precision and recall.
func (s Score) F1() float64 {
	p, r := s.Precision(), s.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// SpansExact is the share of what was found whose quote stands where it says.
func (s Score) SpansExact() float64 { return share(s.Stand, s.Found) }

// OwnersRight is the share of the right findings whose owner is right.
func (s Score) OwnersRight() float64 { return share(s.Owners, s.Right) }

// DuesRight is the share of the right findings whose due date is right.
func (s Score) DuesRight() float64 { return share(s.Dues, s.Right) }

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// Run scores a suite by kind. misses has a line for everything that is not as labelled.
func Run(suite []Passage) (scores map[string]Score, misses []string) {
	return RunWith(suite, extract.Learnt())
}

// RunWith is Run with other weights; without any, the rules read alone.
func RunWith(suite []Passage, w *extract.Weights) (scores map[string]Score, misses []string) {
	scores = make(map[string]Score)
	for _, p := range suite {
		found := found(p.Text, w)
		for _, f := range found {
			s := scores[f.Kind]
			s.Found++
			if f.Stands {
				s.Stand++
			}
			scores[f.Kind] = s
		}
		for _, want := range p.Labels {
			s := scores[want.Kind]
			s.Labelled++
			at := p.match(found, want)
			if at < 0 {
				misses = append(misses, p.Name+" misses "+want.String())
				scores[want.Kind] = s
				continue
			}
			got := found[at]
			found = slices.Delete(found, at, at+1)
			s.Right++
			if p.sameOwner(got.Owner, want.Owner) {
				s.Owners++
			} else {
				misses = append(misses, fmt.Sprintf("%s has owner %q of %s", p.Name, got.Owner, want))
			}
			if got.Due == want.Due {
				s.Dues++
			} else {
				misses = append(misses, fmt.Sprintf("%s has due %q of %s", p.Name, got.Due, want))
			}
			scores[want.Kind] = s
		}
		for _, f := range found {
			misses = append(misses, p.Name+" invents "+f.String())
		}
	}
	return scores, misses
}

// match returns the finding that a label means: of its kind and with its words, best
// with its owner too. Keys, links and topics are matched as a whole, people as samePerson says.
func (p Passage) match(found []Finding, want Finding) int {
	best, most := -1, 0
	for i, f := range found {
		if f.Kind != want.Kind {
			continue
		}
		points := 0
		switch f.Kind {
		case "action", "decision", "question":
			if strings.Contains(plain(f.Text), plain(want.Text)) || unmet(p) && overlaps(f.Text, want.Text) {
				points = 1
			}
		case "attendee", "absent", "speaker":
			if samePerson(f.Text, want.Text) {
				points = 1
			}
		default:
			if plain(f.Text) == plain(want.Text) {
				points = 1
			}
		}
		if points > 0 && p.sameOwner(f.Owner, want.Owner) {
			points = 2
		}
		if points > most {
			best, most = i, points
		}
	}
	return best
}

// overlaps reports that one of two texts has the other's words, or most of them. Labels of texts that are learnt from are whole
// sentences.
func overlaps(got, want string) bool {
	a, b := strings.Fields(plain(got)), strings.Fields(plain(want))
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return both*4 >= len(a)*3
}

var (
	title    = pattern.New(`(?i)^(?:dr|prof|cllr|mr|mrs|ms|mx|herr|frau|hr|fr)\b\.?\s+`)
	nickname = pattern.New(`\s*["“„']([^"“”„']+)["”“']`)
)

// bare is a name without titles and without a nickname in quotes.
func bare(name string) string {
	name = strings.TrimSpace(nickname.ReplaceAllString(name, ""))
	for title.MatchString(name) {
		name = title.ReplaceAllString(name, "")
	}
	return plain(name)
}

// samePerson compares names without titles and nicknames. Of a name with a nickname in it a label may have only the
// family name.
func samePerson(got, want string) bool {
	have, need := bare(got), bare(want)
	return have == need || nickname.MatchString(got) && strings.HasSuffix(have, " "+need)
}

var joint = pattern.New(`\s*(?:,\s*and\b|,|&|/|\+|\band\b|\bund\b)\s*`)

// sameOwner compares the people of two lists. "Ann" is also named by "Ann Lee" where the labels have an
// attendee of that name.
func (p Passage) sameOwner(got, want string) bool {
	have, need := joint.Split(got, -1), joint.Split(want, -1)
	return slices.EqualFunc(have, need, func(h, n string) bool {
		return bare(h) == bare(n) || p.names(h) && !slices.ContainsFunc(strings.Fields(bare(n)), func(w string) bool { return !slices.Contains(strings.Fields(bare(h)), w) })
	})
}

func (p Passage) names(who string) bool {
	return slices.ContainsFunc(p.Labels, func(f Finding) bool {
		return slices.Contains([]string{"attendee", "absent", "speaker"}, f.Kind) && samePerson(who, f.Text)
	})
}

// Of returns the passages of a suite that fit.
func Of(suite []Passage, fits func(Passage) bool) []Passage {
	return slices.DeleteFunc(slices.Clone(suite), func(p Passage) bool { return !fits(p) })
}

// Families returns the families of a suite in their order, "" first for the passages of none.
func Families(suite []Passage) []string {
	var out []string
	for _, p := range slices.SortedStableFunc(slices.Values(suite), func(a, b Passage) int { return number(a) - number(b) }) {
		if !slices.Contains(out, p.Family) {
			out = append(out, p.Family)
		}
	}
	return out
}

func number(p Passage) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(p.Name, ".md")) // 0 leads
	return n
}

// Line is what a report says of some scores.
func Line(scores map[string]Score) string {
	a, d, all := scores["action"], scores["decision"], Score{}
	for _, s := range scores {
		all.Found, all.Stand = all.Found+s.Found, all.Stand+s.Stand
	}
	return fmt.Sprintf("actions %.2f/%.2f (%d) owners %.2f  decisions %.2f/%.2f (%d)  attendees F1 %.2f (%d)  spans %.2f",
		a.Precision(), a.Recall(), a.Labelled, a.OwnersRight(), d.Precision(), d.Recall(), d.Labelled,
		scores["attendee"].F1(), scores["attendee"].Labelled, all.SpansExact())
}

func plain(s string) string {
	return strings.ToLower(strings.Trim(strings.Join(strings.Fields(s), " "), " .!"))
}
