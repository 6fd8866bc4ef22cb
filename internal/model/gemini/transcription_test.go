package gemini_test

import (
	"errors"
	"strings"
	"testing"

	"chela/internal/model"
)

func TestTranscribe_Words(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, "/gemini-2.5-flash:generateContent", says(`{"candidates":[{"content":{"role":"model","parts":[{"text":"Deploy it."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":60,"candidatesTokenCount":3}}`))
	a, err := m.(model.Transcriber).Transcribe(t.Context(), "gemini-2.5-flash", model.Audio{Name: "v.mp3", Type: "audio/mpeg; rate=8000", Data: []byte("ID3")})
	if err != nil || a.Text != "Deploy it." || a.Usage != (model.Usage{InputTokens: 60, OutputTokens: 3}) {
		t.Fatalf("%+v %v", a, err)
	}
	if body := (*bodies)[0]; !strings.Contains(body, `{"inlineData":{"mimeType":"audio/mp3","data":"SUQz"}}`) || !strings.Contains(body, "word for word") {
		t.Error(body)
	}
}

func TestTranscribe_Refused(t *testing.T) {
	t.Parallel()
	m, _ := server(t, ":generateContent", says(`{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"SAFETY"}]}`))
	var e *model.Error
	if _, err := m.(model.Transcriber).Transcribe(t.Context(), "gemini-2.5-flash", model.Audio{Type: "audio/ogg"}); !errors.As(err, &e) || e.Reason != model.Format {
		t.Error(err)
	}
}
