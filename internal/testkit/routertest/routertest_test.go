package routertest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/testkit/routertest"
)

// TestMeasure_KeepsItsFigures holds what docs/workflows.md says of the sets, a little below it.
func TestMeasure_KeepsItsFigures(t *testing.T) {
	t.Parallel()
	for i, least := range []routertest.Score{
		{Recall1: 0.87, Recall5: 0.97, Accuracy: 0.82, OutRecall: 0.6, Error: 0.07}, {Recall1: 0.82, Recall5: 0.96, Accuracy: 0.72, OutRecall: 0.6, Error: 0.09}, {Recall1: 0.82, Recall5: 0.96, Accuracy: 0.74, OutRecall: 0.68, Error: 0.09},
	} {
		s := routertest.Sets()[i]
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got := routertest.Measure(s)
			if got.Recall1 < least.Recall1 || got.Recall5 < least.Recall5 || got.Accuracy < least.Accuracy || got.OutRecall < least.OutRecall || got.Error > least.Error {
				t.Errorf("%s", got)
			}
			if i == 0 && (got.Intents < 150 || got.Examples < 3000 || got.In < 1800) {
				t.Errorf("%d intents, %d examples, %d messages", got.Intents, got.Examples, got.In)
			}
		})
	}
}

func TestRead_KnowsItsParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text           string
		examples, asks int
	}{
		"a.csv":       {"text,intent\nhello,greet\nhow are you,greet\nbye,leave\nx,oos\ny,\n", 3, 2},
		"a_train.csv": {"intent,text\ngreet,hello\noos,x\n", 2, 0},
		"a_test.csv":  {"\ufefftext,label\nhello,greet\n", 0, 1},
		"split.csv":   {"text,intent,split\nhello,greet,train\nhi,greet,val\nhey,greet,test\n", 2, 1},
	} {
		s, err := routertest.Read(filepath.Join("x", name), strings.NewReader(c.text))
		if err != nil || len(s.Examples) != c.examples || len(s.Messages) != c.asks {
			t.Errorf("%s: %d and %d, %v", name, len(s.Examples), len(s.Messages), err)
		}
	}
	for _, text := range []string{"", "a,b\n1,2\n", "text,intent\n\"x\n"} {
		if _, err := routertest.Read("x.csv", strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if _, err := os.Stat("testdata/hard.csv"); err != nil {
		t.Error(err)
	}
}
