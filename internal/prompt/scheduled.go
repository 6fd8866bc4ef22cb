package prompt

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"chela/internal/org"
)

//go:embed scheduled/*.md
var scheduled embed.FS

// Scheduled is what an agent is asked when the clock begins it.
func Scheduled(id org.AgentID) string {
	raw, err := scheduled.ReadFile("scheduled/" + id.Name() + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = scheduled.ReadFile("scheduled/generic.md")
	}
	if err != nil {
		panic("prompt: " + err.Error()) // embedded
	}
	return strings.TrimSpace(string(raw))
}
