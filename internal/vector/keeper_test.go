package vector_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/vector"
)

// models are a model that gives vectors of two numbers.
type models struct {
	name  string
	calls int
	texts []string
	fail  error
	wait  time.Duration
}

func (m *models) Embed(ctx context.Context, texts []string) ([][]float32, model.Answer, error) {
	m.calls++
	select {
	case <-ctx.Done():
		return nil, model.Answer{}, context.Cause(ctx)
	case <-time.After(m.wait):
	}
	if m.fail != nil {
		return nil, model.Answer{}, m.fail
	}
	m.texts = append(m.texts, texts...)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{1, float32(len(t))}
	}
	return out, model.Answer{Provider: "p", Model: "m", Usage: model.Usage{InputTokens: len(texts)}, CostKnown: true, CostUSD: 0.01}, nil
}

func (m *models) EmbeddingModel() string              { return m.name }
func (m *models) EmbeddingPrice() (model.Price, bool) { return model.Price{}, false }
func (m *models) Embeds() error                       { return nil }

func opened(t *testing.T) (*store.DB, func(id, text string)) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the test ends
	return db, func(id, text string) {
		at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: org.Person{ID: "per_1"}.Party()}
		if _, err := db.Log.Append(t.Context(), memory.NotedKind.Draft(memory.Place(at, "per_1"), memory.Note{ID: id, Key: id, Content: text})); err != nil {
			t.Fatal(err)
		}
	}
}

func keeper(db *store.DB, m *models) *vector.Keeper {
	return vector.NewKeeper(db.Recall, m, db.Budgets, db.Log, vector.Options{Holder: "one", Mint: db.Mint(), Log: slog.New(slog.DiscardHandler)})
}

func TestPass_MakesWhatWaitsOnce(t *testing.T) {
	t.Parallel()
	db, note := opened(t)
	m := &models{}
	k := keeper(db, m)
	note("note_1", "Short answers are liked.")
	pass := func(calls int, kept int) {
		t.Helper()
		if err := k.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := k.Status(t.Context())
		if err != nil || m.calls != calls || s.Kept != kept || s.Waiting != 0 {
			t.Errorf("%d calls, %+v %v; want %d calls and %d kept", m.calls, s, err, calls, kept)
		}
	}
	pass(0, 0)
	m.name = "p/m"
	pass(1, 1)
	pass(1, 1) // nothing waits: nothing is asked
	note("note_2", "Long answers are not.")
	pass(2, 2)
	if len(m.texts) != 2 || !strings.Contains(m.texts[1], "Long answers") {
		t.Errorf("asked for %q", m.texts)
	}
	m.name = "p/other"
	pass(3, 2)
	m.name = ""
	pass(3, 0)
	spent, err := db.Spending.Spent(t.Context(), "", time.Time{})
	if err != nil || spent.Calls != 3 {
		t.Errorf("what vectors took: %+v %v, want 3 calls", spent, err)
	}
}

func TestPass_StaysWithinBudgets(t *testing.T) {
	t.Parallel()
	db, note := opened(t)
	m := &models{name: "p/m"}
	note("note_1", "Short answers are liked.")
	at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: org.Person{ID: "per_1"}.Party()}
	limit := budget.Limit{Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{Tokens: new(int64(1))}}
	if _, err := db.Log.Append(t.Context(), budget.SetKind.Draft(at, limit)); err != nil {
		t.Fatal(err)
	}
	if err := keeper(db, m).Pass(t.Context()); fault.KindOf(err) != fault.Unavailable || m.calls != 0 {
		t.Errorf("%d calls: %v", m.calls, err)
	}
	if s, err := db.Recall.VectorStatus(t.Context()); err != nil || s.Waiting != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestQuestion_IsAskedOnceAndNeverLong(t *testing.T) {
	t.Parallel()
	db, _ := opened(t)
	m := &models{name: "p/m"}
	k := keeper(db, m)
	for range 3 {
		if v, err := k.Question(t.Context(), "What is liked?"); err != nil || v.Model != "p/m" || len(v.Numbers) != 2 || m.calls != 1 {
			t.Errorf("%+v %v after %d calls", v, err, m.calls)
		}
	}
	m.fail = errors.New("no")
	if _, err := k.Question(t.Context(), "Another?"); err == nil {
		t.Error("a failure is not told")
	}
	if v, err := k.Question(t.Context(), "A third?"); err != nil || v.Numbers != nil || m.calls != 2 {
		t.Errorf("after a failure: %+v %v, %d calls; want words alone", v, err, m.calls)
	}
	slow := &models{name: "p/m", wait: time.Minute}
	began := time.Now()
	if _, err := keeper(db, slow).Question(t.Context(), "Slow?"); fault.KindOf(err) != fault.Unavailable || time.Since(began) > 10*time.Second {
		t.Errorf("a slow model: %v after %s", err, time.Since(began))
	}
}

func TestPacked_KeepsTheAngle(t *testing.T) {
	t.Parallel()
	v := []float32{0.5, -1, 0.25, 0}
	numbers, signs := vector.Packed(v)
	if c := vector.Cosine(v, numbers); c < 0.9999 {
		t.Errorf("the cosine with itself is %f", c)
	}
	words := vector.Signs(nil, signs)
	_, other := vector.Packed([]float32{0.5, 1, 0.25, 0})
	if d := vector.Differing(words, vector.Signs(nil, other)); d != 1 {
		t.Errorf("%d bits differ, want 1", d)
	}
	if numbers, signs := vector.Packed([]float32{0, 0}); len(numbers) != 0 || len(signs) != 0 || vector.Cosine([]float32{0, 0}, numbers) != 0 {
		t.Errorf("a vector that says nothing is %v %v", numbers, signs)
	}
}
