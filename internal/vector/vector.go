// Package vector keeps vectors of what can be recalled, where a model is named that gives them: so a question also finds what
// means about the same in other words. [Keeper] makes them in the background, a batch after another, by one daemon of all
// that share a database, within the budgets, and gives those of questions. The vectors are an index that can be made anew:
// they are in no log, go with their passage, and another model's take their place whole.
package vector

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"time"
)

// A Passage waits for its vector.
type Passage struct {
	N           int64
	Title, Text string
}

// A Batch is what waits, the oldest first.
type Batch struct {
	Passages []Passage
	Done     int64 // the number up to which none waited before
	UpTo     int64 // and up to which none waits after this batch
	Touched  int64 // how often what was done was changed since
}

// A Status says how far an index is.
type Status struct {
	Model   string `json:"model,omitempty" doc:"whose vectors these are; left out when there are none"`
	Dims    int    `json:"dims,omitempty" doc:"numbers in a vector"`
	Kept    int    `json:"kept" doc:"passages with a vector"`
	Waiting int    `json:"waiting" doc:"passages that wait for one"`
	Problem string `json:"problem,omitempty" doc:"why none is made now"`
}

// A Store keeps vectors.
type Store interface {
	// HoldVectors has holder be the one who makes vectors of model until then; false says that another holds. The vectors of another
	// model go.
	HoldVectors(ctx context.Context, model, holder string, now, until time.Time) (bool, error)
	// VectorModel is whose vectors there are, and whether a passage may wait.
	VectorModel(ctx context.Context) (model string, waits bool, err error)
	// WaitForVectors returns passages that wait, at most limit.
	WaitForVectors(ctx context.Context, limit int) (Batch, error)
	// KeepVectors keeps the vectors of a batch, in its order, of the passages that still say what they said. A fault.Conflict says
	// that there are others of another length or of another model.
	KeepVectors(ctx context.Context, model string, b Batch, vectors [][]float32) error
	// VectorStatus says how far vectors are. Without a model everything waits.
	VectorStatus(ctx context.Context) (Status, error)
	// ReadVectors reads into memory what is looked through.
	ReadVectors(ctx context.Context) error
}

// Packed is a vector as it is kept: a signed byte for each number, as shares of the largest, and a bit for each, whether it is
// above 0. A vector without a number other than 0 has neither.
func Packed(v []float32) (numbers, signs []byte) {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return []byte{}, []byte{}
	}
	numbers, signs = make([]byte, len(v)), make([]byte, 8*Words(len(v)))
	for i, x := range v {
		numbers[i] = byte(int8(math.Round(127 * float64(x) / most))) //nolint:gosec // it is between -127 and 127
		if x > 0 {
			signs[i/8] |= 1 << (i % 8)
		}
	}
	return numbers, signs
}

// Words is how many words of 64 bits the signs of so many numbers take.
func Words(dims int) int { return (dims + 63) / 64 }

// Signs are the bits that were packed, appended to words.
func Signs(into []uint64, signs []byte) []uint64 {
	for i := 0; i+8 <= len(signs); i += 8 {
		into = append(into, binary.LittleEndian.Uint64(signs[i:]))
	}
	return into
}

// Differing is in how many bits two vectors differ.
func Differing(a, b []uint64) int {
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x ^ b[i])
	}
	return n
}

// Cosine is that of the angle between a vector and a packed one; 0 when one of them says nothing.
func Cosine(v []float32, numbers []byte) float64 {
	if len(v) != len(numbers) {
		return 0
	}
	var both, one, other float64
	for i, x := range v {
		y := float64(int8(numbers[i])) //nolint:gosec // the byte is a signed number
		both += float64(x) * y
		one += float64(x) * float64(x)
		other += y * y
	}
	if one == 0 || other == 0 {
		return 0
	}
	return both / math.Sqrt(one*other)
}
