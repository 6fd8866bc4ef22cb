package store

import (
	"context"
	"fmt"
	"time"

	"chela/internal/fault"
	"chela/internal/vector"
)

var _ vector.Store = Recall{}

// HoldVectors implements [vector.Store].
func (r Recall) HoldVectors(ctx context.Context, model, holder string, now, until time.Time) (held bool, err error) {
	err = r.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "UPDATE recall_vector_state SET holder = ?, until = ? WHERE id = 1 AND (holder = ? OR until < ?)", holder, micros(until), holder, micros(now))
		if held = n > 0; err != nil || !held {
			return err
		}
		n, err = tx.Exec(ctx, "UPDATE recall_vector_state SET model = ?, dims = 0, made = made + 1, done = 0, touched = touched + 1 WHERE id = 1 AND model <> ?", model, model)
		if err != nil || n == 0 {
			return err
		}
		return tx.do("DELETE FROM recall_vectors")
	})
	if err != nil {
		return false, fmt.Errorf("hold the vectors: %w", err)
	}
	return held, nil
}

// VectorModel implements [vector.Store].
func (r Recall) VectorModel(ctx context.Context) (model string, waits bool, err error) {
	err = r.db.one(ctx, "SELECT model, EXISTS (SELECT 1 FROM recall_passages p WHERE p.n > s.done) FROM recall_vector_state s WHERE id = 1", nil, &model, &waits)
	if err != nil {
		return "", false, fmt.Errorf("read whose vectors there are: %w", err)
	}
	return model, waits, nil
}

// WaitForVectors implements [vector.Store].
func (r Recall) WaitForVectors(ctx context.Context, limit int) (vector.Batch, error) {
	var b vector.Batch
	end, err := r.indexSaid(ctx) // whatever has an earlier position is there
	if err != nil {
		return b, err
	}
	if err := r.db.one(ctx, "SELECT done, touched FROM recall_vector_state WHERE id = 1", nil, &b.Done, &b.Touched); err != nil {
		return b, fmt.Errorf("read how far vectors are: %w", err)
	}
	b.UpTo = max(b.Done, (int64(end)+1)*pieceNumbers-1)
	rows, err := r.db.Query(ctx, "SELECT p.n, p.title, p.text FROM recall_passages p LEFT JOIN recall_vectors v ON v.n = p.n WHERE p.n > ? AND p.n <= ? AND v.n IS NULL ORDER BY p.n"+limited(limit), b.Done, b.UpTo)
	if err != nil {
		return b, fmt.Errorf("read what waits for vectors: %w", err)
	}
	b.Passages, err = all(rows, func(scan func(...any) error) (p vector.Passage, err error) { return p, scan(&p.N, &p.Title, &p.Text) })
	if len(b.Passages) == limit {
		b.UpTo = b.Passages[limit-1].N
	}
	return b, err
}

// KeepVectors implements [vector.Store].
func (r Recall) KeepVectors(ctx context.Context, model string, b vector.Batch, vectors [][]float32) error {
	dims := 0
	if len(vectors) > 0 {
		dims = len(vectors[0])
	}
	blob := "CAST(? AS BLOB)"
	if r.db.Name() == "postgres" {
		blob = "CAST(? AS BYTEA)"
	}
	return r.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, `UPDATE recall_vector_state SET stamp = stamp + 1, dims = CASE WHEN dims = 0 THEN CAST(? AS BIGINT) ELSE dims END,
			done = CASE WHEN touched = ? AND done = ? THEN CAST(? AS BIGINT) ELSE done END WHERE id = 1 AND model = ? AND (dims = 0 OR ? = 0 OR dims = ?)`, dims, b.Touched, b.Done, b.UpTo, model, dims, dims)
		if err != nil {
			return fmt.Errorf("keep how far vectors are: %w", err)
		}
		if n == 0 {
			return fault.New(fault.Conflict, "%s gives vectors of %d numbers, and those that are kept have another length or are another model's. Take the embedding model off the Models page and choose it again: then all are made anew.", model, dims)
		}
		for i, p := range b.Passages {
			numbers, signs := vector.Packed(vectors[i])
			if err := tx.do(`INSERT INTO recall_vectors (n, stamp, vector, signs) SELECT p.n, s.stamp, `+blob+`, `+blob+` FROM recall_passages p CROSS JOIN recall_vector_state s
				WHERE p.n = ? AND p.title = ? AND p.text = ? AND s.id = 1 ON CONFLICT (n) DO UPDATE SET stamp = excluded.stamp, vector = excluded.vector, signs = excluded.signs`,
				numbers, signs, p.N, p.Title, p.Text); err != nil {
				return fmt.Errorf("keep a vector: %w", err)
			}
		}
		return nil
	})
}

// VectorStatus implements [vector.Store].
func (r Recall) VectorStatus(ctx context.Context) (s vector.Status, err error) {
	err = r.db.one(ctx, `SELECT s.model, s.dims, (SELECT count(*) FROM recall_vectors), (SELECT count(*) FROM recall_passages p LEFT JOIN recall_vectors v ON v.n = p.n WHERE p.n > s.done AND v.n IS NULL)
		FROM recall_vector_state s WHERE id = 1`, nil, &s.Model, &s.Dims, &s.Kept, &s.Waiting)
	if err != nil {
		return s, fmt.Errorf("read how far vectors are: %w", err)
	}
	return s, nil
}

// vectorsAgain has the passages that a condition on p names wait for new vectors.
func (tx *Tx) vectorsAgain(where string, args ...any) error {
	first := "(SELECT min(p.n) FROM recall_passages p WHERE " + where + ")"
	if err := tx.do("UPDATE recall_vector_state SET touched = touched + 1, done = CASE WHEN done >= coalesce("+first+", done + 1) THEN "+first+" - 1 ELSE done END WHERE id = 1 AND model <> ''", append(append([]any{}, args...), args...)...); err != nil {
		return err
	}
	return tx.do("DELETE FROM recall_vectors WHERE n IN (SELECT p.n FROM recall_passages p WHERE "+where+")", args...)
}

// forgetVectors takes all vectors out: what they were made of may say something else.
func (tx *Tx) forgetVectors() error {
	if err := tx.do("DELETE FROM recall_vectors"); err != nil {
		return err
	}
	return tx.do("UPDATE recall_vector_state SET made = made + 1, done = 0, touched = touched + 1 WHERE id = 1")
}
