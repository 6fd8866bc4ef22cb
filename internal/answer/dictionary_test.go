package answer_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/query"
)

// titledTickets is a snapshot of tickets of some titles. Nobody has looked for words of it yet.
func titledTickets(titles ...string) (*answer.Snapshot, *answer.Dictionary) {
	d := answer.NewDictionary()
	records := make([]*answer.Record, len(titles))
	for i, title := range titles {
		records[i] = d.NewRecord(&desk.Record{ID: fmt.Sprint("tkt_", i), Kind: desk.Ticket}, &desk.TicketBody{Title: title, Description: "of " + title}, nil, nil)
	}
	return answer.NewSnapshot(d, records, answer.Source{}), d
}

// FuzzTitled_IsTheSameWithNumbers holds that a title is found in a question before the words of all records are numbered as it is found after.
func FuzzTitled_IsTheSameWithNumbers(f *testing.F) {
	f.Add("Fix the gates", "who does fix the gate")
	f.Add("fixes", "fixe Fixes fix")
	f.Add(" – Äpfel 2026-03-09", "the äpfel 2026-03-09 ripe")
	f.Add("K2 climb", "k2 climbs")
	f.Add("日本 trip", "日 本 trip")
	f.Add("", "")
	f.Add("a\x80b", "a b")
	f.Add(strings.Repeat("long", 30), strings.Repeat("long", 30))
	f.Fuzz(func(t *testing.T, title, question string) {
		var words []string
		for _, w := range query.Words(question) {
			words = append(words, w.Text)
		}
		s, _ := titledTickets(title, "Other")
		before := s.Titled(words)
		s.Fill()
		if after := s.Titled(words); !reflect.DeepEqual(before, after) {
			t.Errorf("%q in %q: before %v, after %v", title, question, before, after)
		}
	})
}

// TestSnapshot_AnswersTheSameWheneverWordsAreNumbered changes records at random before and after somebody looks for words, and holds that
// each snapshot finds what one that is made anew finds.
func TestSnapshot_AnswersTheSameWheneverWordsAreNumbered(t *testing.T) {
	t.Parallel()
	vocabulary := strings.Fields("gates gate bridge bridges ferry ferries mass class tower 2026 open")
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
		title := func() string {
			var out []string
			for range 1 + rnd.IntN(3) {
				out = append(out, vocabulary[rnd.IntN(len(vocabulary))])
			}
			return strings.Join(out, " ")
		}
		titles := make([]string, 8)
		for i := range titles {
			titles[i] = title()
		}
		s, d := titledTickets(titles...)
		for range 6 {
			i := rnd.IntN(len(titles))
			if rnd.IntN(3) == 0 {
				s.Knows("gate") // which numbers the words
			}
			titles[i] = title()
			r := d.NewRecord(&desk.Record{ID: fmt.Sprint("tkt_", i), Kind: desk.Ticket}, &desk.TicketBody{Title: titles[i], Description: "of " + titles[i]}, nil, nil)
			r.Place = int32(i) //nolint:gosec // few
			s = s.With([]*answer.Record{r}, nil, s.Source)
		}
		anew, _ := titledTickets(titles...)
		for _, w := range vocabulary {
			a, b := s.Titled([]string{w, vocabulary[0]}), anew.Titled([]string{w, vocabulary[0]})
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: %q: titled %v, want %v", seed, w, a, b)
			}
			if a, b := ids(s.Ranked(w, 10)), ids(anew.Ranked(w, 10)); !slices.Equal(a, b) {
				t.Fatalf("seed %d: %q: ranked %v, want %v", seed, w, a, b)
			}
			if a, b := s.Named([]string{w, w, "nowhere"}, ""), anew.Named([]string{w, w, "nowhere"}, ""); !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: %q: named %v, want %v", seed, w, a, b)
			}
		}
	}
}

func ids(records []*answer.Record) (out []string) {
	for _, r := range records {
		out = append(out, r.ID)
	}
	return out
}

// TestSnapshot_NumbersWordsOnceForMany looks for words of snapshots that share records, all at once.
func TestSnapshot_NumbersWordsOnceForMany(t *testing.T) {
	t.Parallel()
	first, d := titledTickets("gate", "bridge", "tower")
	var all sync.WaitGroup
	for i := range 4 {
		r := d.NewRecord(&desk.Record{ID: "tkt_0", Kind: desk.Ticket}, &desk.TicketBody{Title: fmt.Sprint("gate ", i)}, nil, nil)
		owned, _ := first.Find("tkt_1")
		all.Go(func() {
			other := owned.OwnedBy([]string{"Ada"}, []string{"res_1"})
			if got := first.Ranked("bridge", 3); len(got) != 1 {
				t.Errorf("%d have the word", len(got))
			}
			if other.Owners[0] != "Ada" || r.Title == "" {
				t.Error(other)
			}
		})
	}
	all.Wait()
}
