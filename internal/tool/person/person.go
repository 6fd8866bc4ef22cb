// Package person holds the tool by which an agent has a person look something up.
package person

import (
	"embed"
	"net/url"
	"time"

	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Tools returns the tools that persons answer.
func Tools() []*tool.Tool {
	return []*tool.Tool{tool.Asking[search](tool.Spec{
		Name: "human_search", Help: tool.HelpFile(help, "human_search"), Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Alone: true, Untrusted: "a person's search",
	})}
}

// search is what a person is asked to look up.
type search struct {
	Query          string `json:"query" doc:"what to search for"`
	Context        string `json:"context,omitempty" doc:"what it is for, so that the person knows what matters"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" doc:"how long an answer is waited for; 300 when left out"`
}

// Ask implements [tool.Asker].
func (s search) Ask() tool.Question {
	wait := 300 * time.Second // when the call does not say
	if s.TimeoutSeconds > 0 {
		wait = min(time.Duration(s.TimeoutSeconds)*time.Second, 7*24*time.Hour)
	}
	detail := "https://www.google.com/search?q=" + url.QueryEscape(s.Query)
	if s.Context != "" {
		detail += "\n" + s.Context
	}
	return tool.Question{Text: "Please look up: " + s.Query, Detail: detail, Wait: wait}
}
