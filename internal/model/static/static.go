// Package static gives vectors of texts from a file: a static model of the form of model2vec, which has a vector for each
// piece of a word. The vector of a text is the mean of those of its pieces. Nothing is asked over a network, and the same text
// has the same vector on every machine.
package static

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/fault"
	"chela/internal/model"
)

// Files that a model has, and how large they may be, in bytes.
const (
	modelFile     = "model.safetensors"
	tokenizerFile = "tokenizer.json"

	maxModel     = 1 << 30
	maxTokenizer = 64 << 20
)

// maxPieces is how many pieces of a text count: the first.
const maxPieces = 512

// A Model gives vectors. It is read only, so many may ask at once.
type Model struct {
	table   table
	weights []float32 // by piece; nil when all count alike
	rows    []int32   // by piece: its row of the table; nil when that is its number
	pieces  *tokenizer
}

var _ model.Embedder = (*Model)(nil)

// Open reads the model in a folder. A fault.NotFound says that there is none, a fault.Invalid what of it cannot be read.
func Open(dir string) (*Model, error) {
	weights, err := read(dir, modelFile, maxModel)
	if err != nil {
		return nil, err
	}
	words, err := read(dir, tokenizerFile, maxTokenizer)
	if err != nil {
		return nil, err
	}
	m, err := Decode(weights, words)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The model in %s cannot be read: %s.", dir, err)
	}
	return m, nil
}

func read(dir, name string, limit int64) ([]byte, error) {
	file := filepath.Join(dir, name)
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return nil, fault.New(fault.NotFound, "There is no file %s. Put model.safetensors and tokenizer.json of a static model (model2vec) there.", file)
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", file)
	case info.Size() > limit:
		return nil, fault.New(fault.Invalid, "The file %s has %d bytes; the limit is %d.", file, info.Size(), limit)
	}
	raw, err := os.ReadFile(file) //nolint:gosec // a folder of the operator's own
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", file)
	}
	return raw, nil
}

// Decode reads a model from the bytes of its two files.
func Decode(weights, words []byte) (*Model, error) {
	tensors, err := readTensors(weights)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if m.pieces, err = readTokenizer(words); err != nil {
		return nil, err
	}
	if m.table, err = tensors.table("embeddings"); err != nil {
		return nil, err
	}
	if m.weights, err = tensors.floats("weights"); err != nil {
		return nil, err
	}
	if m.rows, err = tensors.numbers("mapping", m.table.rows); err != nil {
		return nil, err
	}
	most := m.table.rows
	if m.rows != nil {
		most = len(m.rows)
	}
	if m.weights != nil {
		most = min(most, len(m.weights))
	}
	if m.pieces.most >= most {
		return nil, wrong("%s names a piece of the number %d, and %s has %d", tokenizerFile, m.pieces.most, modelFile, most)
	}
	return m, nil
}

// Dimensions is how many numbers a vector has.
func (m *Model) Dimensions() int { return m.table.columns }

// Embed implements [model.Embedder]. It reports the pieces as tokens.
func (m *Model) Embed(ctx context.Context, name string, texts []string) ([][]float32, model.Answer, error) {
	out := make([][]float32, len(texts))
	a := model.Answer{Provider: model.StaticProvider, Model: name, Stop: model.StopEnd}
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, a, err
		}
		v, n := m.vector(t)
		out[i] = v
		a.Usage.InputTokens += n
	}
	return out, a, nil
}

// vector is that of a text, of length 1, and of how many pieces it is; all 0 when none is known.
func (m *Model) vector(text string) ([]float32, int) {
	ids := m.pieces.ids(text, maxPieces)
	sum := make([]float32, m.table.columns)
	for _, id := range ids {
		row, weight := int(id), float32(1)
		if m.rows != nil {
			row = int(m.rows[id])
		}
		if m.weights != nil {
			weight = m.weights[id]
		}
		m.table.add(sum, row, weight)
	}
	length := 0.0
	for _, x := range sum {
		length += float64(x) * float64(x)
	}
	length = math.Sqrt(length)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return make([]float32, m.table.columns), len(ids)
	}
	for i := range sum {
		sum[i] = float32(float64(sum[i]) / length)
	}
	return sum, len(ids)
}

// Changed says when the files of a model in a folder were written, and how large they are: it differs when they do.
func Changed(dir string) string {
	out := ""
	for _, name := range []string{modelFile, tokenizerFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out += fmt.Sprintf(" %d %d", info.ModTime().UnixNano(), info.Size())
		}
	}
	return out
}

// Name reports whether a name can be that of a model's folder.
func Name(name string) error {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `\/ `) {
		return fault.BadField("jobs", "A file that gives vectors is named static/NAME, after its folder in embeddings in the data.")
	}
	return nil
}
