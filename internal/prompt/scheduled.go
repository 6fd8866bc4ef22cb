package prompt

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

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

// Since narrows what an agent is asked to what changed since a time; the zero time to
// nothing.
func Since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "\n\nLook only at what changed since " + t.UTC().Format(time.RFC3339) + "."
}

// A Thread is one that an agent is pointed to.
type Thread struct{ ID, Title string }

// MaxThreads bounds how many threads an agent is pointed to.
const MaxThreads = 50

// Threads narrows what an agent is asked to some threads, of which there are total.
func Threads(list []Thread, total int) string {
	var b strings.Builder
	b.WriteString("\n\nOf the threads, look only at ")
	if len(list) == 0 {
		b.WriteString("none: no thread fits today.")
		return b.String()
	}
	b.WriteString("these:")
	for _, t := range list {
		b.WriteString("\n- " + t.ID + " " + t.Title)
	}
	if total > len(list) {
		fmt.Fprintf(&b, "\nThese are the newest %d of %d.", len(list), total)
	}
	return b.String()
}

// ByClock is what an agent is asked by a schedule that has a message of its own. delivered says that its answer goes to others.
func ByClock(message string, delivered bool) string {
	if delivered {
		return message + "\n\n(The clock asks this; nobody is there to answer you. Your last answer goes, as it is, to where the schedule says. Write it for who reads it there.)"
	}
	return message + "\n\n(The clock asks this; nobody is there to answer you.)"
}
