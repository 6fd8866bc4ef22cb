package extract_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"chela/internal/testkit/extracttest"
)

// firstFloors are slightly under what the rules reached on the passages that the suite began with: precision,
// recall.
var firstFloors = map[string][2]float64{
	"action":   {0.98, 0.94},
	"decision": {0.98, 0.89},
	"question": {0.98, 0.95},
	"attendee": {0.98, 0.91},
	"absent":   {0.98, 0.98},
	"speaker":  {0.98, 0.98},
	"topic":    {0.98, 0.98},
	"key":      {1, 1},
	"link":     {1, 1},
}

const firstPassages = 66

// floors are the same for all passages. The later ones are labelled with what rules do not read, too.
var floors = map[string][2]float64{
	"action":   {0.98, 0.92},
	"decision": {0.98, 0.86},
	"question": {0.98, 0.90},
	"attendee": {0.98, 0.92},
	"absent":   {0.98, 0.98},
	"speaker":  {0.98, 0.98},
	"topic":    {0.98, 0.98},
	"key":      {1, 1},
	"link":     {1, 1},
}

func TestSuite_LabelledMinutes(t *testing.T) {
	t.Parallel()
	suite, err := extracttest.Load(os.DirFS("testdata/minutes"))
	if err != nil {
		t.Fatal(err)
	}
	if len(suite) < 100 {
		t.Fatalf("only %d passages", len(suite))
	}
	suite = extracttest.Of(suite, func(p extracttest.Passage) bool { return p.Family == "" })
	first := extracttest.Of(suite, func(p extracttest.Passage) bool {
		n, err := strconv.Atoi(strings.TrimSuffix(p.Name, ".md"))
		return err == nil && n <= firstPassages
	})
	if len(first) != firstPassages {
		t.Fatalf("%d of the first passages are there", len(first))
	}
	t.Run("first", func(t *testing.T) { reaches(t, first, firstFloors) })
	t.Run("all", func(t *testing.T) { reaches(t, suite, floors) })
}

func reaches(t *testing.T, suite []extracttest.Passage, floors map[string][2]float64) {
	t.Helper()
	scores, misses := extracttest.Run(suite)
	for _, m := range misses {
		t.Log(m)
	}
	for _, kind := range extracttest.Kinds() {
		s, floor := scores[kind], floors[kind]
		t.Logf("%-9s precision %.3f recall %.3f (%d labelled, %d found, %d right)", kind, s.Precision(), s.Recall(), s.Labelled, s.Found, s.Right)
		if s.Precision() < floor[0] || s.Recall() < floor[1] {
			t.Errorf("%s: precision %.3f, recall %.3f; the floor is %.2f, %.2f", kind, s.Precision(), s.Recall(), floor[0], floor[1])
		}
	}
	if a := scores["action"]; a.OwnersRight() < 0.97 || a.DuesRight() < 0.97 {
		t.Errorf("of the actions found, %.3f have the right owner and %.3f the right due date; the floor is 0.97", a.OwnersRight(), a.DuesRight())
	}
}

// familyFloors are slightly under what rules and weights reach on the passages of the families: actions' precision and recall,
// their owners, decisions' precision and recall, and the F1 of attendees.
var familyFloors = map[string][6]float64{
	"seen":     {0.94, 0.95, 0.95, 0.92, 0.83, 0.96},
	"held-out": {0.88, 0.74, 0.86, 0.75, 0.42, 0.85},
}

// The passages of each family have a half from which rules were written and one that was labelled before and not
// looked at. What is printed of the second half are totals, not what is wrong in it.
func TestSuite_Families(t *testing.T) {
	t.Parallel()
	suite, err := extracttest.Load(os.DirFS("testdata/minutes"))
	if err != nil {
		t.Fatal(err)
	}
	suite = extracttest.Of(suite, func(p extracttest.Passage) bool { return p.Family != "" })
	for half, floor := range familyFloors {
		of := extracttest.Of(suite, func(p extracttest.Passage) bool { return p.HeldOut == (half == "held-out") })
		if len(of) < 30 {
			t.Fatalf("%d %s passages, want 30 or more", len(of), half)
		}
		for _, family := range extracttest.Families(of) {
			scores, misses := extracttest.Run(extracttest.Of(of, func(p extracttest.Passage) bool { return p.Family == family }))
			t.Logf("%-8s %-13s %s", half, family, extracttest.Line(scores))
			for _, m := range misses {
				if half == "seen" {
					t.Log(m)
				}
			}
		}
		scores, _ := extracttest.Run(of)
		t.Logf("%-8s %-13s %s", half, "all", extracttest.Line(scores))
		a, d := scores["action"], scores["decision"]
		got := [6]float64{a.Precision(), a.Recall(), a.OwnersRight(), d.Precision(), d.Recall(), scores["attendee"].F1()}
		for i, name := range []string{"actions' precision", "actions' recall", "owners", "decisions' precision", "decisions' recall", "attendees' F1"} {
			if got[i] < floor[i] {
				t.Errorf("%s passages: %s is %.3f, want %.2f or more", half, name, got[i], floor[i])
			}
		}
		for kind, s := range scores {
			if s.SpansExact() != 1 {
				t.Errorf("%s passages: %.3f of the spans of %ss are exact, want all", half, s.SpansExact(), kind)
			}
		}
	}
}

// A test of the score itself: what is wrong must count.
func TestSuite_Score(t *testing.T) {
	t.Parallel()
	suite, err := extracttest.Load(fstest.MapFS{
		"1.md":     {Data: []byte("# M 2026-02-10\n\nACTION: Ann to call by Friday\nACTION: Bo to write\n")},
		"1.labels": {Data: []byte("action | Ann | 2026-02-12 | call\naction | Cy | - | nothing of this\ntopic | | | M 2026-02-10\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	scores, misses := extracttest.Run(suite)
	a := scores["action"]
	if a.Precision() != 0.5 || a.Recall() != 0.5 || a.OwnersRight() != 1 || a.DuesRight() != 0 || len(misses) != 3 {
		t.Errorf("%+v %q", a, misses)
	}
	if s := scores["topic"]; s.Precision() != 1 || s.Recall() != 1 {
		t.Errorf("%+v", s)
	}
	if _, err := extracttest.Load(fstest.MapFS{"1.md": {}, "1.labels": {Data: []byte("wish | | | x")}}); err == nil {
		t.Error("a label of an unknown kind was read")
	}
}
