// Package extracttest scores what [extract.ReadMinutes] finds against passages that
// were labelled by hand: NN.md beside NN.labels, one finding a line, as
//
//	kind | owner | due | text
//
// The owner of a decision is who took it; "-" is no due date. Every finding of a
// passage is labelled, so what has no label is wrong. Whoever scores gives the folder.
package extracttest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"chela/internal/extract"
)

// Kinds are the kinds of findings, in the order of a report.
func Kinds() []string {
	return []string{"action", "decision", "question", "attendee", "absent", "speaker", "topic", "key", "link"}
}

// A Finding is one line of labels, or one thing that rules found.
type Finding struct {
	Kind, Owner, Due, Text string
}

func (f Finding) String() string {
	return strings.Join([]string{f.Kind, f.Owner, f.Due, f.Text}, " | ")
}

// A Passage is a text and what it says.
type Passage struct {
	Name   string
	Text   string
	Labels []Finding
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
	var out []Passage
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read passage: %w", err)
		}
		labels, err := fs.ReadFile(dir, strings.TrimSuffix(name, ".md")+".labels")
		if err != nil {
			return nil, fmt.Errorf("read labels: %w", err)
		}
		p := Passage{Name: name, Text: string(text)}
		for i, line := range strings.Split(strings.TrimSpace(string(labels)), "\n") {
			parts := strings.SplitN(line, "|", 4)
			if len(parts) != 4 {
				return nil, fmt.Errorf("labels of %s, line %d: %q is not kind | owner | due | text", name, i+1, line)
			}
			for j := range parts {
				parts[j] = strings.TrimSpace(parts[j])
			}
			f := Finding{parts[0], parts[1], strings.Trim(parts[2], "-"), parts[3]}
			if f.Due != "" {
				f.Due = parts[2]
			}
			if !slices.Contains(Kinds(), f.Kind) {
				return nil, fmt.Errorf("labels of %s, line %d: %q is no kind", name, i+1, f.Kind)
			}
			p.Labels = append(p.Labels, f)
		}
		out = append(out, p)
	}
	return out, nil
}

// Found is what rules find in a text.
func Found(text string) []Finding {
	m := extract.ReadMinutes(text)
	var out []Finding
	for _, a := range m.Actions {
		out = append(out, Finding{"action", a.Owner, day(a.Due), a.Text})
	}
	for _, d := range m.Decisions {
		out = append(out, Finding{"decision", d.By, "", d.Text})
	}
	for _, q := range m.Questions {
		out = append(out, Finding{"question", "", "", q.Text})
	}
	for _, a := range m.Attendees {
		kind := "attendee"
		if a.Absent {
			kind = "absent"
		}
		out = append(out, Finding{kind, "", "", a.Name})
	}
	for _, s := range m.Speakers {
		out = append(out, Finding{"speaker", "", "", s.Name})
	}
	for _, t := range m.Topics {
		out = append(out, Finding{"topic", "", "", t.Title})
	}
	for _, k := range m.Keys {
		out = append(out, Finding{"key", "", "", k.Key})
	}
	for _, l := range m.Links {
		out = append(out, Finding{"link", "", "", l.URL})
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
}

// Precision is the share of what was found that is right.
func (s Score) Precision() float64 { return share(s.Right, s.Found) }

// Recall is the share of what is there that was found.
func (s Score) Recall() float64 { return share(s.Right, s.Labelled) }

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
	scores = make(map[string]Score)
	for _, p := range suite {
		found := Found(p.Text)
		for _, f := range found {
			s := scores[f.Kind]
			s.Found++
			scores[f.Kind] = s
		}
		for _, want := range p.Labels {
			s := scores[want.Kind]
			s.Labelled++
			at := match(found, want)
			if at < 0 {
				misses = append(misses, p.Name+" misses "+want.String())
				scores[want.Kind] = s
				continue
			}
			got := found[at]
			found = slices.Delete(found, at, at+1)
			s.Right++
			if strings.EqualFold(got.Owner, want.Owner) {
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
// with its owner too. Names, keys, links and topics are matched as a whole.
func match(found []Finding, want Finding) int {
	best, most := -1, 0
	for i, f := range found {
		if f.Kind != want.Kind {
			continue
		}
		points := 0
		switch f.Kind {
		case "action", "decision", "question":
			if strings.Contains(plain(f.Text), plain(want.Text)) {
				points = 1
			}
		default:
			if plain(f.Text) == plain(want.Text) {
				points = 1
			}
		}
		if points > 0 && strings.EqualFold(f.Owner, want.Owner) {
			points = 2
		}
		if points > most {
			best, most = i, points
		}
	}
	return best
}

func plain(s string) string {
	return strings.ToLower(strings.Trim(strings.Join(strings.Fields(s), " "), " .!"))
}
