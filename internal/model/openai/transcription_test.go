package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"chela/internal/model"
	"chela/internal/model/openai"
)

// transcriber is a server that answers every audio file with handle.
func transcriber(t *testing.T, handle func(w http.ResponseWriter, r *http.Request)) model.Transcriber {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(handle))
	t.Cleanup(s.Close)
	m, err := openai.Open(model.Provider{Name: "p", Kind: model.KindOpenAI, BaseURL: s.URL + "/v1", Key: "key"}, model.NewHTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	return m.(model.Transcriber)
}

func TestTranscribe_Words(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, kind, want string }{
		"a voice note":    {"voice-1.oga", "audio/ogg; codecs=opus", "voice-1.ogg"},
		"without an end":  {"memo", "audio/mp4", "memo.m4a"},
		"of another kind": {"memo.amr", "audio/amr", "memo.amr"},
	} {
		h := transcriber(t, func(w http.ResponseWriter, r *http.Request) {
			f, head, err := r.FormFile("file")
			if err != nil || r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer key" || r.FormValue("model") != "whisper-1" || head.Filename != c.want {
				t.Errorf("%s: %s %v %v %v", name, r.URL.Path, r.Header, head, err)
				return
			}
			if raw, err := io.ReadAll(f); err != nil || string(raw) != "OggS" {
				t.Errorf("%s: %q %v", name, raw, err)
			}
			_, _ = io.WriteString(w, `{"text":"Deploy it.","usage":{"type":"duration","seconds":3}}`)
		})
		a, err := h.Transcribe(t.Context(), "whisper-1", model.Audio{Name: c.file, Type: c.kind, Data: []byte("OggS")})
		if err != nil || a.Text != "Deploy it." || a.Usage != (model.Usage{Seconds: 3}) || a.Provider != "p" || a.Model != "whisper-1" {
			t.Errorf("%s: %+v %v", name, a, err)
		}
	}
}

func TestTranscription_WhatIsNotTranscribed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		reason model.Reason
	}{
		"refused":    {400, `{"error":{"message":"Invalid file format.","type":"invalid_request_error"}}`, model.Format},
		"no key":     {401, `{"error":{"message":"Incorrect API key"}}`, model.Auth},
		"too large":  {413, `{"error":{"message":"Maximum content size limit exceeded"}}`, model.ContextOverflow},
		"overloaded": {503, `overloaded`, model.Server},
		"no text":    {200, `{}`, model.Server},
		"an error":   {200, `{"error":{"message":"insufficient_quota"}}`, model.Billing},
	} {
		h := transcriber(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		var e *model.Error
		if _, err := h.Transcribe(t.Context(), "whisper-1", model.Audio{Name: "a.ogg", Type: "audio/ogg"}); !errors.As(err, &e) || e.Reason != c.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}
