package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// An Audio is what a transcription is asked of.
type Audio struct {
	Model string
	Name  string // of the file, by whose ending the server goes
	Type  string // media type
	Data  []byte
}

// A Transcript is the answer.
type Transcript struct {
	Text  string
	Usage AudioUsage
}

// An AudioUsage counts tokens, or seconds of audio: which of them, the model decides.
type AudioUsage struct {
	Type         string  `json:"type"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Seconds      float64 `json:"seconds"`
}

// WriteAudio writes a call of /audio/transcriptions as a form, whose media type it returns.
func WriteAudio(s Audio) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, f := range [][2]string{{"model", s.Model}, {"response_format", "json"}} {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return nil, "", err
		}
	}
	quote := strings.NewReplacer("\\", "_", `"`, "_", "\r", "_", "\n", "_").Replace
	file, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + quote(s.Name) + `"`}, "Content-Type": {quote(s.Type)},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := file.Write(s.Data); err != nil {
		return nil, "", err
	}
	err = form.Close()
	return b.Bytes(), form.FormDataContentType(), err
}

// ReadTranscript reads an answer in JSON.
func ReadTranscript(raw []byte) (Transcript, error) {
	var r struct {
		Text  *string     `json:"text"`
		Usage *AudioUsage `json:"usage"`
		Error *Failure    `json:"error"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Transcript{}, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if r.Error != nil {
		return Transcript{}, r.Error
	}
	if r.Text == nil {
		return Transcript{}, fmt.Errorf("the answer has no text")
	}
	t := Transcript{Text: strings.TrimSpace(*r.Text)}
	if u := r.Usage; u != nil {
		t.Usage = *u
		t.Usage.InputTokens, t.Usage.OutputTokens, t.Usage.Seconds = max(u.InputTokens, 0), max(u.OutputTokens, 0), max(u.Seconds, 0)
	}
	return t, nil
}
