// Package routertest measures how well the router finds what messages ask for, without a model.
package routertest

import (
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/intent"
	"chela/internal/router"
)

// A Row is a message and what it asks for; an empty intent is nothing that is known.
type Row struct{ Text, Intent string }

// A Set is what is learnt from and what is measured.
type Set struct {
	Name     string
	Examples []Row
	Messages []Row
}

// A Score is what was measured.
type Score struct {
	Intents, Examples int
	In, Out           int     // messages that ask for something, and for nothing
	Recall1, Recall5  float64 // of the shortlist, over those that ask for something
	Accuracy          float64 // of those: the right one, and sure enough
	OutRecall         float64 // of those that ask for nothing: not sure enough
	Bins              [10]Bin // by confidence
	Error             float64 // the mean distance of confidence and share of right ones
}

// A Bin is the answers of about one confidence.
type Bin struct {
	N          int
	Confidence float64 // the mean
	Right      float64 // the share
}

// Measure learns from a set's examples and measures its messages, with the router's own threshold.
func Measure(s Set) Score {
	x := Index(s)
	out := Score{Intents: x.Len(), Examples: len(s.Examples)}
	for _, m := range s.Messages {
		list := x.Match(m.Text, 5)
		confidence, first := 0.0, ""
		if len(list) > 0 {
			confidence, first = list[0].Confidence, list[0].ID
		}
		right := first == m.Intent && m.Intent != ""
		b := &out.Bins[min(int(confidence*10), 9)]
		b.N++
		b.Confidence += confidence
		if right {
			b.Right++
		}
		sure := confidence >= router.Likely
		if m.Intent == "" {
			out.Out++
			out.OutRecall += flag(!sure)
			continue
		}
		out.In++
		out.Recall1 += flag(right)
		out.Recall5 += flag(slices.ContainsFunc(list, func(c intent.Match) bool { return c.ID == m.Intent }))
		out.Accuracy += flag(right && sure)
	}
	for _, v := range []*float64{&out.Recall1, &out.Recall5, &out.Accuracy} {
		*v /= math.Max(float64(out.In), 1)
	}
	out.OutRecall /= math.Max(float64(out.Out), 1)
	for i := range out.Bins {
		b := &out.Bins[i]
		if b.N == 0 {
			continue
		}
		out.Error += math.Abs(b.Confidence-b.Right) / float64(len(s.Messages))
		b.Confidence, b.Right = b.Confidence/float64(b.N), b.Right/float64(b.N)
	}
	return out
}

// Index is the index of a set's examples, with each intent's name as the router takes it.
func Index(s Set) *intent.Index {
	var names []string
	by := make(map[string][]intent.Phrase)
	var others []string
	for _, r := range s.Examples {
		if r.Intent == "" {
			others = append(others, r.Text)
			continue
		}
		if by[r.Intent] == nil {
			names = append(names, r.Intent)
			by[r.Intent] = []intent.Phrase{{Text: strings.ReplaceAll(r.Intent, "_", " "), Weight: router.NameWeight}}
		}
		by[r.Intent] = append(by[r.Intent], intent.Phrase{Text: r.Text})
	}
	slices.Sort(names)
	intents := make([]intent.Intent, len(names))
	for i, n := range names {
		intents[i] = intent.Intent{ID: n, Phrases: by[n]}
	}
	return intent.New(intents, others)
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// String is a score as the bench prints it.
func (s Score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d intents, %d examples; %d messages that ask for something, %d that do not\n", s.Intents, s.Examples, s.In, s.Out)
	fmt.Fprintf(&b, "  shortlist: recall@1 %.1f, recall@5 %.1f\n", 100*s.Recall1, 100*s.Recall5)
	fmt.Fprintf(&b, "  decision without a model, at %.2f: accuracy %.1f, out-of-scope recall %.1f\n", router.Likely, 100*s.Accuracy, 100*s.OutRecall)
	fmt.Fprintf(&b, "  calibration, mean error %.1f points; confidence: right, messages\n", 100*s.Error)
	for _, bin := range s.Bins {
		if bin.N > 0 {
			fmt.Fprintf(&b, "    %3.0f: %3.0f %6d\n", 100*bin.Confidence, 100*bin.Right, bin.N)
		}
	}
	return b.String()
}

// Read reads a file of the columns text and intent; rows without an intent, or with oos, ask for nothing that is known. A column split says what
// is learnt from (train, val) and what is measured (test). Without one, the name of the file may say it, else a fifth of each
// intent's rows and all that ask for nothing are measured.
func Read(name string, r io.Reader) (Set, error) {
	s := Set{Name: filepath.Base(name)}
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	head, err := c.Read()
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	column := func(names ...string) int {
		return slices.IndexFunc(head, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.Trim(h, "\ufeff ")))
		})
	}
	text, label, split := column("text", "message", "utterance"), column("intent", "label", "category"), column("split")
	if text < 0 || label < 0 {
		return s, fmt.Errorf("%s: the first line names no columns text and intent", name)
	}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		if len(row) <= max(text, label) {
			continue
		}
		one := Row{row[text], strings.TrimSpace(row[label])}
		if l := strings.ToLower(one.Intent); l == "oos" || l == "out_of_scope" || l == "none" {
			one.Intent = ""
		}
		how := partOf(name)
		if split >= 0 && split < len(row) {
			how = partOf(row[split])
		}
		if how == "" {
			how = "train"
			if one.Intent == "" || hashed(one.Text)%5 == 0 {
				how = "test"
			}
		}
		if how == "test" {
			s.Messages = append(s.Messages, one)
		} else {
			s.Examples = append(s.Examples, one)
		}
	}
}

// partOf is which part a name says, train or test; nothing when it says none.
func partOf(name string) string {
	name = strings.ToLower(filepath.Base(name))
	for _, w := range []string{"test"} {
		if strings.Contains(name, w) {
			return "test"
		}
	}
	for _, w := range []string{"train", "val", "dev"} {
		if strings.Contains(name, w) {
			return "train"
		}
	}
	return ""
}

func hashed(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}
