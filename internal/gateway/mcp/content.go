package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/run"
	"chela/internal/talk"
)

// mostWhole bounds a long result that is given whole, in bytes. A longer one is named, and read as a resource.
const mostWhole = 256 << 10

// contents are what a tool gave: its text, its pictures, and whole what is too long for a text.
func (s *Server) contents(text string, got talk.Invoked) []sdk.Content {
	var out []sdk.Content
	if got.Rest != "" {
		text, out = s.whole(text, got.Rest)
	}
	out = append(texts(text), out...)
	for _, ref := range got.Shows {
		raw, err := s.Files.Get(artifact.Ref(ref))
		if err != nil || len(raw) > mostBody {
			out = append(out, link(ref))
			continue
		}
		if kind := http.DetectContentType(raw); strings.HasPrefix(kind, "image/") {
			out = append(out, &sdk.ImageContent{Data: raw, MIMEType: kind})
		}
	}
	return out
}

// whole is a result that is kept in an artifact, beside what is said of it.
func (s *Server) whole(cut, ref string) (text string, more []sdk.Content) {
	raw, err := s.Files.Get(artifact.Ref(ref))
	if err != nil || len(raw) > mostWhole || !utf8.Valid(raw) {
		return cut, []sdk.Content{link(ref)}
	}
	kind := "text/plain"
	if json.Valid(raw) {
		kind = "application/json"
	}
	return "The result is long. It is in the resource " + filesURI + ref + ", which is here with it.",
		[]sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: filesURI + ref, MIMEType: kind, Text: string(raw)}}}
}

func link(ref string) *sdk.ResourceLink { return &sdk.ResourceLink{URI: filesURI + ref, Name: ref} }

// played is what came of an instance of a workflow.
func (s *Server) played(ctx context.Context, r run.Run, out *sdk.CallToolResult) error {
	out.IsError, out.Content = r.State != run.Done, texts("The run is "+string(r.State)+". "+r.Reason)
	ends, _, err := s.Store.Log.Events(ctx, 0, event.Filter{Run: string(r.ID), Type: run.FinishedKind.Name, Limit: 1})
	if err != nil || len(ends) == 0 || out.IsError {
		return err
	}
	end, _, err := run.FinishedKind.Open(ends[0].Event)
	if err != nil {
		return err
	}
	var got instance.Result
	if err := json.Unmarshal(end.Result, &got); err != nil {
		return err
	}
	raw, err := json.Marshal(got.Output)
	out.Content = texts(string(raw))
	return err
}
