package extract_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
	"chela/internal/testkit/extracttest"
)

func TestWeights_AreLearntFromWhatIsThere(t *testing.T) {
	t.Parallel()
	all, err := extracttest.LearntFrom(os.DirFS("testdata/minutes"), os.DirFS("testdata/practice"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.HeldOut {
			t.Errorf("%s is held out, and learnt from", p.Name)
		}
	}
	examples := extracttest.Examples(all)
	if examples.Actions < 2000 || examples.Decisions < 1500 || len(examples.Sentences) < 15_000 || examples.Heres < 2000 || len(examples.Names) < 10_000 || len(examples.Choices) < 1500 {
		t.Fatalf("%d sentences, %d of them actions, %d decisions; %d names, %d of who was there; %d choices of who acts", len(examples.Sentences), examples.Actions, examples.Decisions, len(examples.Names), examples.Heres, len(examples.Choices))
	}
	digest, file := extracttest.Digest(examples), extract.LearntFile()
	if !bytes.HasPrefix(file, digest[:]) {
		t.Fatal("the passages, the texts to practice on or the traits of a sentence are others than the weights were learnt from; write them anew: go run ./script/minuteslearn")
	}
	if again := extracttest.Learn(examples, digest); !bytes.Equal(again, file) {
		t.Error("learning the weights again gives another file; write it anew: go run ./script/minuteslearn")
	}
}

func TestNewWeights_RefusesWhatIsCutOff(t *testing.T) {
	t.Parallel()
	file := extract.LearntFile()
	if _, err := extract.NewWeights(file[:len(file)-1]); err == nil {
		t.Error("a file that is cut off was read")
	}
	if _, err := extract.NewWeights(nil); err == nil {
		t.Error("no file was read")
	}
	for _, at := range []int{0, 4} { // of sentences, and of names
		file := extract.LearntFile()
		clear(file[extract.DigestBytes+at : extract.DigestBytes+at+4])
		file[extract.DigestBytes+at+3] = 1
		if _, err := extract.NewWeights(file); err == nil {
			t.Error("a file of fewer weights than it says was read")
		}
	}
}

// What the reader adds has an exact span, its owner and its day, and less confidence than what a rule is sure of.
func TestReadWith_AddsWhatNoRuleFinds(t *testing.T) {
	t.Parallel()
	text := "Call, 2026-05-04\nPresent: Ida Brandt, Marek Wolny\n\nIda: and I ought to phone the council this week\nMarek: the weather will be better in June\nIda: ACTION: Marek to mend the hose\n"
	if rules := extract.ReadWith(text, nil).Actions; len(rules) != 1 {
		t.Fatalf("the rules alone find %+v", rules)
	}
	got := extract.ReadMinutes(text).Actions
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	a := got[0]
	if a.Owner != "Ida Brandt" || !strings.Contains(a.Text, "phone the council") || a.Span.Line != 4 || !strings.Contains(text, a.Span.Quote) || a.Confidence >= got[1].Confidence || a.Date.IsZero() {
		t.Errorf("%+v", a)
	}
}

// Who is to act may stand elsewhere in the text, and several act together.
func TestReadMinutes_ChoosesWhoIsToAct(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ name, text, says, owner string }{
		{"who signs", "Dear Mr Okafor,\n\nthe panel agreed to keep the fees.\nFor my part I shall send round the new scale of fees by Friday.\n\nKind regards,\nImelda Hartnett\n", "scale of fees", "Imelda Hartnett"},
		{"in small letters", "retro 12 march\n\n- deploys were slow again\n- tomasz writes up the rollback steps before lunch\n- divya answers the six issues today\n", "rollback steps", "tomasz"},
		{"together", "Committee, 4 May 2026\nPresent: Nia Adeyemi, Tom Pritchard, Ola Berg\n\nACTION: Nia and Tom to review the lease\n", "review the lease", "Nia Adeyemi, Tom Pritchard"},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			all := extract.ReadMinutes(one.text).Actions
			at := slices.IndexFunc(all, func(a extract.Action) bool { return strings.Contains(a.Text, one.says) })
			if at < 0 || all[at].Owner != one.owner {
				t.Errorf("want %s to act, got %+v", one.owner, all)
			}
		})
	}
}
