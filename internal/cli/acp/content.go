package acp

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"chela/internal/fault"
)

// What a prompt may bring: as a message of the API takes pictures.
const (
	mostPictures = 8
	mostPicture  = 8 << 20 // bytes
)

// messageOf reads a prompt. What it refers to is named where it stands; texts that came with it follow at the end.
func messageOf(blocks []sdk.ContentBlock) (message, error) {
	var m message
	var said, beside strings.Builder
	for i, b := range blocks {
		at := fmt.Sprintf("prompt.%d", i)
		var err error
		switch {
		case b.Text != nil:
			said.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			said.WriteString(linked(b.ResourceLink.Name, b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			said.WriteString(linked("", r.Uri))
			beside.WriteString("\n\n" + oneLine(r.Uri) + ":\n" + fenced(r.Text))
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			r := b.Resource.Resource.BlobResourceContents
			if r.MimeType == nil || !strings.HasPrefix(*r.MimeType, "image/") {
				return m, fault.BadField(at, "Only texts and pictures can be embedded. Hand "+oneLine(r.Uri)+" in on the page or with `chela intake`.")
			}
			err = m.picture(at, r.Blob)
		case b.Image != nil:
			err = m.picture(at, b.Image.Data)
		case b.Audio != nil:
			return m, fault.BadField(at, "A prompt has no audio. Write what it says.")
		default:
			return m, fault.BadField(at, "The block is of no kind that is known here.")
		}
		if err != nil {
			return m, err
		}
	}
	m.text = strings.TrimSpace(said.String() + beside.String())
	if m.text == "" && len(m.images) == 0 {
		return m, fault.BadField("prompt", "The prompt is empty.")
	}
	return m, nil
}

func (m *message) picture(at, data string) error {
	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		return fault.BadField(at, "The picture is no base64.")
	case len(raw) > mostPicture:
		return fault.New(fault.TooLarge, "A picture has more than %d MB. Send a smaller one.", mostPicture>>20)
	case len(m.images) == mostPictures:
		return fault.BadField(at, fmt.Sprintf("A prompt has at most %d pictures.", mostPictures))
	}
	m.images = append(m.images, raw)
	return nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// linked is how a text names what an editor refers to.
func linked(name, uri string) string {
	if name == "" {
		name = path.Base(uri)
	}
	return "[@" + strings.NewReplacer("[", "(", "]", ")").Replace(oneLine(name)) + "](" + strings.NewReplacer(" ", "%20", ")", "%29").Replace(oneLine(uri)) + ")"
}
