package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/store"
)

// RecallMany measures how long recall takes among as many memories as CHELA_BENCH_MEMORIES says, half of them of the
// project that is asked about; without it nothing is measured.
func RecallMany(t *testing.T, open Opener) {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("CHELA_BENCH_MEMORIES"))
	if err != nil {
		t.Skip("CHELA_BENCH_MEMORIES does not say how many memories")
	}
	db, _ := open(t)
	mine, _ := add(t, db)
	other, _ := add(t, db)
	random := rand.New(rand.NewPCG(33, 1)) //nolint:gosec // a measurement that is the same each time
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%s%s", []string{"ser", "dep", "tic", "pay", "log", "cust", "rel", "bud"}[i%8], strconv.FormatInt(int64(i), 36))
	}
	word := func() string { // few words are common, most are rare
		f := random.Float64()
		return vocabulary[int(f*f*f*float64(len(vocabulary)))]
	}
	began := time.Now()
	for i := 0; i < n; i += 200 {
		var drafts []event.Draft
		for j := range 200 {
			var words []string
			for range 18 {
				words = append(words, word())
			}
			raw, err := json.Marshal(desk.MemoryBody{Key: fmt.Sprintf("key-%d", i+j), Content: strings.Join(words, " ") + "."})
			check(t, err)
			c, _, err := newRecord(desk.Memory, []string{mine, other}[j%2], raw)
			check(t, err)
			drafts = append(drafts, c.Draft(place("")))
		}
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	t.Logf("%d memories written in %s", n, time.Since(began).Round(time.Second))
	if db.Name() == "postgres" { // as its autovacuum does within a minute
		check(t, db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), "ANALYZE recall_search, recall_passages, desk_refs")
			return err
		}))
	}
	m := memory.New(db.Recall, db.Mint().Now)
	if dims, err := strconv.Atoi(os.Getenv("CHELA_BENCH_VECTORS")); err == nil {
		m.With(drawnVectors(t, db, dims, random), nil)
	}
	var took []time.Duration
	for range 200 {
		var words []string
		for range 3 + random.IntN(6) {
			words = append(words, word())
		}
		at := time.Now()
		hits, err := m.Recall(t.Context(), memory.Reader{Person: "per_1", Project: mine}, memory.Question{Text: "Which " + strings.Join(words, " ") + " last week?"})
		check(t, err)
		took = append(took, time.Since(at))
		for _, h := range hits {
			if h.Project == other {
				t.Fatalf("%s is of another project", h.ID)
			}
		}
	}
	slices.Sort(took)
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	t.Logf("recall: p50 %s, p95 %s, most %s", p50.Round(time.Millisecond/10), p95.Round(time.Millisecond/10), took[len(took)-1].Round(time.Millisecond/10))
	if p95 > 100*time.Millisecond {
		t.Errorf("p95 is %s, want at most 100 ms", p95)
	}
}

// drawn gives vectors that are drawn.
type drawn struct {
	dims   int
	random *rand.Rand
}

func (d drawn) vector() []float32 {
	out := make([]float32, d.dims)
	for i := range out {
		out[i] = float32(d.random.NormFloat64())
	}
	return out
}

// Question implements [memory.Vectors].
func (d drawn) Question(context.Context, string) (memory.Vector, error) {
	return memory.Vector{Model: "test/drawn", Numbers: d.vector()}, nil
}

// drawnVectors gives every passage a vector of so many numbers.
func drawnVectors(t *testing.T, db *store.DB, dims int, random *rand.Rand) drawn {
	t.Helper()
	d, began := drawn{dims, random}, time.Now()
	for {
		held, err := db.Recall.HoldVectors(t.Context(), "test/drawn", "one", time.Now(), time.Now().Add(time.Hour))
		check(t, err)
		b, err := db.Recall.WaitForVectors(t.Context(), 500)
		check(t, err)
		var vectors [][]float32
		for range b.Passages {
			vectors = append(vectors, d.vector())
		}
		check(t, db.Recall.KeepVectors(t.Context(), "test/drawn", b, vectors))
		if !held || len(b.Passages) == 0 {
			break
		}
	}
	t.Logf("vectors of %d numbers written in %s", dims, time.Since(began).Round(time.Second))
	began = time.Now()
	check(t, db.Recall.ReadVectors(t.Context()))
	t.Logf("their signs read into memory in %s", time.Since(began).Round(time.Millisecond))
	return d
}
