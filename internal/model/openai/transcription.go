package openai

import (
	"context"
	"path"
	"strings"

	"chela/internal/model"
	wire "chela/internal/wire/openai"
)

var _ model.Transcriber = (*client)(nil)

// endings are those that servers know, by the media type of an audio file.
var endings = map[string]string{
	"audio/flac": ".flac", "audio/m4a": ".m4a", "audio/mp3": ".mp3", "audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/ogg": ".ogg",
	"audio/opus": ".ogg", "audio/wav": ".wav", "audio/wave": ".wav", "audio/webm": ".webm", "audio/x-flac": ".flac", "audio/x-m4a": ".m4a", "audio/x-wav": ".wav",
}

// Transcribe implements [model.Transcriber].
func (c *client) Transcribe(ctx context.Context, name string, s model.Audio) (model.Answer, error) {
	kind, _, _ := strings.Cut(s.Type, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	file := path.Base("/" + strings.TrimSuffix(s.Name, path.Ext(s.Name)))
	if ending := endings[kind]; ending != "" {
		file += ending
	} else {
		file += path.Ext(s.Name)
	}
	body, form, err := wire.WriteAudio(wire.Audio{Model: name, Name: file, Type: kind, Data: s.Data})
	if err != nil {
		return model.Answer{}, err
	}
	in, err := model.Post(ctx, c.http, c.p, name, c.base+"/audio/transcriptions", c.header(form), body, 0)
	if err != nil {
		return model.Answer{}, err
	}
	defer func() { _ = in.Close() }() // read to its end, or given up
	got, _, err := model.Read(in, nil, nil, wire.ReadTranscript)
	if err != nil {
		return model.Answer{}, c.failed(ctx, name, err)
	}
	a := model.Answer{
		Provider: c.p.Name, Model: name, Stop: model.StopEnd, Parts: []model.Part{{Text: got.Text}},
		Usage: model.Usage{InputTokens: got.Usage.InputTokens, OutputTokens: got.Usage.OutputTokens, Seconds: got.Usage.Seconds},
	}
	a.Finish()
	return a, nil
}
