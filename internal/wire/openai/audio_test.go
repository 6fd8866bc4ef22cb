package openai_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"testing"

	"chela/internal/wire/openai"
)

func TestAudio_WriteAudio(t *testing.T) {
	t.Parallel()
	body, kind, err := openai.WriteAudio(openai.Audio{Model: "whisper-1", Name: "a\"\r\nb.ogg", Type: "audio/ogg", Data: []byte("OggS\r\n--x")})
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(kind)
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	f, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(f)
	if head := form.File["file"][0]; err != nil || string(raw) != "OggS\r\n--x" || head.Filename != "a___b.ogg" || head.Header.Get("Content-Type") != "audio/ogg" ||
		form.Value["model"][0] != "whisper-1" || form.Value["response_format"][0] != "json" {
		t.Errorf("%+v %q %v", form, raw, err)
	}
}

func TestAudio_ReadTranscript(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]openai.Transcript{
		`{"text":" Deploy it.\n"}`: {Text: "Deploy it."},
		`{"text":"Hi","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"audio_tokens":14},"output_tokens":5,"total_tokens":19}}`: {Text: "Hi", Usage: openai.AudioUsage{Type: "tokens", InputTokens: 14, OutputTokens: 5}},
		`{"text":"","usage":{"type":"duration","seconds":9}}`: {Usage: openai.AudioUsage{Type: "duration", Seconds: 9}},
		`{"text":"Hi","usage":{"seconds":-1}}`:                {Text: "Hi"},
	} {
		if got, err := openai.ReadTranscript([]byte(raw)); err != nil || got != want {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
	}
	for _, raw := range []string{``, `{}`, `[]`, `{"text":1}`} {
		if got, err := openai.ReadTranscript([]byte(raw)); err == nil {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	var f *openai.Failure
	if _, err := openai.ReadTranscript([]byte(`{"error":{"message":"no"}}`)); !errors.As(err, &f) {
		t.Errorf("a failure: %v", err)
	}
}

func FuzzReadTranscript(f *testing.F) {
	f.Add([]byte(`{"text":"Deploy it.","usage":{"type":"duration","seconds":3}}`))
	f.Add([]byte(`{"error":{"message":"no","code":"x"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := openai.ReadTranscript(raw)
		if u := got.Usage; err == nil && (u.InputTokens < 0 || u.OutputTokens < 0 || u.Seconds < 0) {
			t.Errorf("%+v", got)
		}
	})
}
