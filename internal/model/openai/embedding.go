package openai

import (
	"context"

	"chela/internal/model"
	wire "chela/internal/wire/openai"
)

var _ model.Embedder = (*client)(nil)

// Embed implements [model.Embedder].
func (c *client) Embed(ctx context.Context, name string, texts []string) ([][]float32, model.Answer, error) {
	body, err := wire.WriteEmbedding(name, texts)
	if err != nil {
		return nil, model.Answer{}, err
	}
	in, err := model.Post(ctx, c.http, c.p, name, c.base+"/embeddings", c.header("application/json"), body, 0)
	if err != nil {
		return nil, model.Answer{}, err
	}
	defer func() { _ = in.Close() }() // read to its end, or given up
	got, _, err := model.Read(in, nil, nil, func(raw []byte) (wire.Embeddings, error) { return wire.ReadEmbeddings(raw, len(texts)) })
	if err != nil {
		return nil, model.Answer{}, c.failed(ctx, name, err)
	}
	return got.Vectors, model.Answer{Provider: c.p.Name, Model: name, Stop: model.StopEnd, Usage: model.Usage{InputTokens: got.Tokens}}, nil
}
