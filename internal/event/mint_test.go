package event_test

import (
	"reflect"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/event"
)

var anID = regexp.MustCompile(`^run_[0-9a-hjkmnp-tv-z]{26}$`)

func TestMint_TheRealMint(t *testing.T) {
	t.Parallel()
	var m *event.Mint
	a, b := m.ID("run"), m.ID("run")
	if !anID.MatchString(a) || !anID.MatchString(b) || a == b {
		t.Errorf("%s %s", a, b)
	}
	if d := time.Since(m.Now()); d < 0 || d > time.Minute {
		t.Errorf("its clock is %s behind", d)
	}
}

func TestMint_AMintThatStandsStill(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 5, 10, 0, 0, 0, time.FixedZone("", 3600))
	make5 := func() (out []string) {
		m := event.NewMint(start)
		for _, prefix := range []string{"run", "thr", "run"} {
			out = append(out, m.ID(prefix))
		}
		m.Forward(time.Hour)
		return append(out, m.ID("run"), m.Now().Format(time.RFC3339Nano))
	}
	got := make5()
	if !reflect.DeepEqual(got, make5()) {
		t.Errorf("%v the first time, then %v", got, make5())
	}
	if !anID.MatchString(got[0]) || got[0] >= got[2] || got[2] >= got[3] || got[4] != "2026-01-05T10:00:00Z" {
		t.Errorf("%v", got)
	}
}

// TestMint_MessagesAreNamedByWhatTheySay holds that the order in which they are sealed does not
// matter, and that nothing is named twice.
func TestMint_MessagesAreNamedByWhatTheySay(t *testing.T) {
	t.Parallel()
	said := event.Kind[string]{Name: event.TaskProgress}
	at := event.Place{Stream: "thread:thr_1", Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:x"}}
	seal := func(t *rapid.T, words []string) map[string][]string {
		m, out, seen := event.NewMint(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)), make(map[string][]string), make(map[string]bool)
		for _, w := range words {
			d, err := said.Draft(at, w).Seal(m, m.Now())
			if err != nil {
				t.Fatal(err)
			}
			if id := d.Message.ID; seen[id] || !d.Envelope.Minted {
				t.Fatalf("%s is the id of two messages", id)
			}
			seen[d.Message.ID] = true
			out[w] = append(out[w], d.Message.ID)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"})).Draw(t, "words")
		first, again := seal(t, words), seal(t, rapid.Permutation(words).Draw(t, "in another order"))
		if !reflect.DeepEqual(first, again) {
			t.Fatalf("%v, in another order %v", first, again)
		}
	})
}

func TestMint_RecordsNoNULCharacters(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":"x\u0000y\u0000\u0000","b":["\u0000"]}`: `{"a":"xy","b":[""]}`,
		`{"a":"\\u0000","b":"\\\u0000","c":"\""}`:     `{"a":"\\u0000","b":"\\","c":"\""}`,
		`{"a\u0000":1}`:   `{"a":1}`,
		`{"a":"\u00001"}`: `{"a":"1"}`,
	} {
		for _, m := range []*event.Mint{nil, event.RealMint(nil), event.RealMint(func(b []byte) []byte { return b })} {
			if got := string(m.Masked([]byte(raw))); got != want {
				t.Errorf("%s: got %s, want %s", raw, got, want)
			}
		}
	}
}
