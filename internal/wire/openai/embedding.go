package openai

import (
	"encoding/json"
	"fmt"
	"math"
)

// MaxDimensions is how many numbers a vector may have.
const MaxDimensions = 8192

// Embeddings are vectors of texts, in their order.
type Embeddings struct {
	Vectors [][]float32
	Tokens  int // that were read
}

// WriteEmbedding writes a call of /embeddings.
func WriteEmbedding(model string, texts []string) ([]byte, error) {
	return json.Marshal(struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}{model, texts, "float"})
}

// ReadEmbeddings reads the answer to a call with n texts.
func ReadEmbeddings(raw []byte, n int) (Embeddings, error) {
	var r struct {
		Data []struct {
			Index  int       `json:"index"`
			Vector []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int `json:"prompt_tokens"`
			Total  int `json:"total_tokens"`
		} `json:"usage"`
		Error *Failure `json:"error"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Embeddings{}, fmt.Errorf("the answer is not JSON, or its vectors are no lists of numbers: %w", err)
	}
	if r.Error != nil {
		return Embeddings{}, r.Error
	}
	if len(r.Data) != n {
		return Embeddings{}, fmt.Errorf("the answer has %d vectors for %d texts", len(r.Data), n)
	}
	out := Embeddings{Vectors: make([][]float32, n), Tokens: max(r.Usage.Prompt, r.Usage.Total, 0)}
	for i, d := range r.Data {
		switch {
		case d.Index < 0 || d.Index >= n || out.Vectors[d.Index] != nil:
			return Embeddings{}, fmt.Errorf("the vector at %d says that it is number %d", i, d.Index)
		case len(d.Vector) == 0 || len(d.Vector) > MaxDimensions || len(d.Vector) != len(r.Data[0].Vector):
			return Embeddings{}, fmt.Errorf("the vector at %d has %d numbers; each has as many as the first, from 1 to %d", i, len(d.Vector), MaxDimensions)
		}
		for _, x := range d.Vector {
			if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
				return Embeddings{}, fmt.Errorf("the vector at %d has what is no number", i)
			}
		}
		out.Vectors[d.Index] = d.Vector
	}
	return out, nil
}
