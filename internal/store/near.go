package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"chela/internal/memory"
	"chela/internal/recall"
	"chela/internal/vector"
)

// Bounds of a search by vectors: of how many the angle is computed, of how many more to know what is usual, and how many are
// ranked.
const (
	maxMeasured = 400
	maxSample   = 64
	maxNear     = 40
)

// signs are the vectors of all passages, a bit for each number, by the space in which a passage lies: what is looked through for
// a question. Readers see those that the database had at their beginning, or later.
type signs struct {
	reading sync.Mutex // one at a time reads from the database

	mu      sync.RWMutex // guards the rest
	made    int64
	stamp   int64
	dims    int
	began   int64 // the stamp after which whatever is kept was read
	spaces  map[string]*signBlock
	where   map[int64]signSpot
	threads map[string][]int64 // by conversation: its messages
}

// A signBlock are the vectors of one space.
type signBlock struct {
	n      []int64
	scopes []string
	signs  []uint64
}

type signSpot struct {
	block *signBlock
	at    int
}

// signRow is a row as it is read.
type signRow struct {
	n, stamp                   int64
	space, scope, thread, kind string
	signs                      []byte
}

// ReadVectors implements [vector.Store].
func (r Recall) ReadVectors(ctx context.Context) error {
	s := &r.db.signs
	if !s.reading.TryLock() {
		return nil // somebody reads them; until then what is there is looked through
	}
	defer s.reading.Unlock()
	var made, stamp int64
	var dims int
	if err := r.db.one(ctx, "SELECT made, stamp, dims FROM recall_vector_state WHERE id = 1", nil, &made, &stamp, &dims); err != nil {
		return fmt.Errorf("read how far vectors are: %w", err)
	}
	s.mu.RLock()
	same, after, began, many := s.made == made && s.dims == dims && s.spaces != nil, s.stamp, s.began, len(s.where)
	s.mu.RUnlock()
	if same && after == stamp {
		return nil
	}
	if !same || after-began > 1000+int64(many) { // also when much was replaced or went since
		same, after = false, -1
	}
	rows, err := r.db.Query(ctx, "SELECT v.n, v.stamp, p.space, p.scope, p.thread, p.kind, v.signs FROM recall_vectors v JOIN recall_passages p ON p.n = v.n WHERE v.stamp > ? ORDER BY v.stamp", after)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	read, err := all(rows, func(scan func(...any) error) (x signRow, err error) {
		err = scan(&x.n, &x.stamp, &x.space, &x.scope, &x.thread, &x.kind, &x.signs)
		return x, err
	})
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !same {
		s.spaces, s.where, s.threads = make(map[string]*signBlock), make(map[int64]signSpot), make(map[string][]int64)
		s.made, s.dims, s.began = made, dims, stamp
	}
	for _, x := range read {
		s.put(x)
	}
	s.stamp = stamp
	return nil
}

// put keeps a row; one that was read before is replaced.
func (s *signs) put(x signRow) {
	if len(x.signs) != 8*vector.Words(s.dims) {
		return // it says nothing
	}
	width := vector.Words(s.dims)
	if old, ok := s.where[x.n]; ok {
		last := len(old.block.n) - 1
		old.block.n[old.at], old.block.scopes[old.at] = old.block.n[last], old.block.scopes[last]
		copy(old.block.signs[old.at*width:(old.at+1)*width], old.block.signs[last*width:])
		s.where[old.block.n[old.at]] = old
		old.block.n, old.block.scopes, old.block.signs = old.block.n[:last], old.block.scopes[:last], old.block.signs[:last*width]
	} else if x.kind == "message" {
		s.threads[x.thread] = append(s.threads[x.thread], x.n)
	}
	b := s.spaces[x.space]
	if b == nil {
		b = new(signBlock)
		s.spaces[x.space] = b
	}
	s.where[x.n] = signSpot{b, len(b.n)}
	b.n, b.scopes, b.signs = append(b.n, x.n), append(b.scopes, x.scope), vector.Signs(b.signs, x.signs)
}

// An outlook is what a search looked through.
type outlook struct {
	nearest []int64 // those in which the fewest bits differ
	sample  []int64
	all     int
}

// look looks through what a reader may see for a question of so many numbers.
func (s *signs) look(l memory.Lookup, numbers int, question []uint64) outlook {
	s.mu.RLock()
	defer s.mu.RUnlock()
	width := vector.Words(s.dims)
	if s.dims != numbers || width == 0 {
		return outlook{}
	}
	var n []int64
	var differ []uint16
	counts := make([]int, 64*width+1)
	add := func(b *signBlock, i int) {
		if len(l.Scopes) > 0 && !slices.Contains(l.Scopes, b.scopes[i]) {
			return
		}
		d := vector.Differing(question, b.signs[i*width:(i+1)*width])
		n, differ = append(n, b.n[i]), append(differ, uint16(d)) //nolint:gosec // at most the number of bits
		counts[d]++
	}
	seen := make(map[*signBlock]bool)
	for _, space := range l.Spaces {
		b := s.spaces[space]
		if b == nil || seen[b] {
			continue
		}
		seen[b] = true
		for i := range b.n {
			add(b, i)
		}
	}
	for _, id := range s.threads[l.Thread] {
		if at := s.where[id]; at.block != nil && !seen[at.block] {
			add(at.block, at.at)
		}
	}
	most, sum := 0, 0
	for most < len(counts)-1 && sum+counts[most] < maxMeasured {
		sum += counts[most]
		most++
	}
	out := outlook{all: len(n)}
	step := max(1, len(n)/maxSample)
	for i, id := range n {
		if int(differ[i]) <= most && len(out.nearest) < 2*maxMeasured {
			out.nearest = append(out.nearest, id)
		}
		if i%step == 0 {
			out.sample = append(out.sample, id)
		}
	}
	return out
}

// nearRow is a passage with the cosine of its vector.
type nearRow struct {
	n      int64
	cosine float64
	weak   bool
}

// byMeaning finds the passages whose vectors are the nearest to that of the question.
func (k *looker) byMeaning() error {
	if k.l.Vector == nil {
		return nil
	}
	v := k.l.Vector()
	if len(v.Numbers) == 0 {
		return nil
	}
	var model string
	if err := k.db.one(k.ctx, "SELECT model FROM recall_vector_state WHERE id = 1", nil, &model); err != nil || model != v.Model {
		return err
	}
	if err := k.ReadVectors(k.ctx); err != nil {
		return err
	}
	_, packed := vector.Packed(v.Numbers)
	saw := k.db.signs.look(k.l, len(v.Numbers), vector.Signs(nil, packed))
	near, err := k.measured(saw, v.Numbers)
	if err != nil || len(near) == 0 {
		return err
	}
	ids := make([]int64, len(near))
	for i, x := range near {
		ids[i] = x.n
	}
	if err := k.byNumber(ids); err != nil {
		return err
	}
	k.near = near
	return nil
}

// measured are the nearest passages by the angle, and whether others are as near by chance.
func (k *looker) measured(saw outlook, question []float32) ([]nearRow, error) {
	if len(saw.nearest) == 0 {
		return nil, nil
	}
	ids := slices.Concat(saw.nearest, saw.sample)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	admitted, args := k.admitted()
	rows, err := k.db.Query(k.ctx, Once+"SELECT p.n, v.vector FROM recall_vectors v JOIN recall_passages p ON p.n = v.n WHERE v.n IN ("+marks(len(ids))+") AND "+admitted, append(anys(ids), args...)...)
	if err != nil {
		return nil, err
	}
	cosines := make(map[int64]float64, len(ids))
	if err := each(rows, func(scan func(...any) error) error {
		var n int64
		var numbers []byte
		err := scan(&n, &numbers)
		cosines[n] = vector.Cosine(question, numbers)
		return err
	}); err != nil {
		return nil, err
	}
	mean, spread := usual(saw.sample, cosines)
	var out []nearRow
	for _, n := range saw.nearest {
		if c, ok := cosines[n]; ok && c > 0 {
			out = append(out, nearRow{n, c, !recall.StandsOut(c, mean, spread, saw.all)})
		}
	}
	slices.SortFunc(out, func(a, b nearRow) int {
		if a.cosine != b.cosine {
			if a.cosine > b.cosine {
				return -1
			}
			return 1
		}
		return int(b.n - a.n)
	})
	return out[:min(len(out), maxNear)], nil
}

// usual are the mean of the cosines of a sample, and their standard deviation.
func usual(sample []int64, cosines map[int64]float64) (mean, spread float64) {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, id := range sample {
		if c, ok := cosines[id]; ok {
			n, sum, squares = n+1, sum+c, squares+c*c
		}
	}
	if n < 2 {
		return 0, 0
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean))
}
