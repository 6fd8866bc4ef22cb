// Package extract holds the rules that read records out of text and rows before any
// model is asked. Every finding has its span: the lines and the exact words. Rules
// prefer to miss something over inventing it; a model may add to what they found.
package extract

import (
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A Span is where a finding stands in the text.
type Span struct {
	Line    int    // from 1
	EndLine int    // the last line, inclusive
	Quote   string // the exact words
}

// Minutes are what rules read out of the notes of one or more meetings.
type Minutes struct {
	Title      string
	Chat       string    // the name of an exported chat that begins with what its program tells
	Opening    string    // how a pasted chat begins, or what a letter is about
	Date       time.Time // of the only or first meeting; zero when not said
	Attendees  []Attendee
	Speakers   []Speaker // of a transcript or log
	Topics     []Topic
	Decisions  []Decision
	Actions    []Action
	Questions  []Question
	Goals      []Goal
	Phases     []Phase
	Milestones []Milestone
	Absences   []Absence
	Reminders  []Reminder
	Keys       []Key
	Links      []Link
}

// An Attendee was there, or sent apologies.
type Attendee struct {
	Name   string
	Handle string // without @
	Absent bool
	Span   Span
}

// A Topic is a heading and what stands below it.
type Topic struct {
	Title    string
	Level    int
	Numbered bool      // the text numbers its topics
	Page     bool      // it is one of the pages that a list names
	Lists    bool      // its lines are actions, decisions, questions or people, as it says
	Date     time.Time // of the meeting it belongs to
	Span     Span      // the heading
	Text     string    // what follows, up to the next heading of its level
	End      int       // its last line
}

// A Decision was taken.
type Decision struct {
	Text       string
	By         string
	Topic      int // index in Topics, -1 for none
	Date       time.Time
	Confidence float64 // from 0 to 1: marked as one, listed as one, or only said
	Span       Span
}

// An Action is somebody's to do.
type Action struct {
	Text       string
	Owner      string // as written, without @; empty when nobody is named
	Due        time.Time
	Done       bool
	Dropped    bool // the notes say that it was called off or put off: it is nobody's to do
	Topic      int
	Date       time.Time // of the meeting
	Keys       []string
	Confidence float64
	Span       Span
}

// A Question was left open.
type Question struct {
	Text       string
	Topic      int
	Confidence float64
	Span       Span
}

// A Goal is an outcome that the notes commit to.
type Goal struct {
	Text   string
	Sprint string
	Span   Span

	// What a block or a list of objectives says of one besides; Written says that it is from such.
	Written    bool
	Outcome    string // where it has a name, too
	Signal     string
	Risks      []string
	Keys       []string // of issues that it names
	Status     string   // as written
	Start, End time.Time
}

// A Key is an issue's key.
type Key struct {
	Key  string
	Span Span
}

// A Link is a web address.
type Link struct {
	URL   string
	Title string
	Span  Span
}

var (
	keyPattern  = pattern.New(`\b[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6}\b`)
	linkPattern = pattern.New(`\[([^\]\n]{1,200})\]\((https?://[^)\s]+)\)|https?://[^\s<>)\]"']+`)
	// notKeys are prefixes of standards and the like that look like issue keys.
	notKeys = []string{"ACTION", "AI", "SEV", "UTF", "SHA", "MD", "ISO", "RFC", "CVE", "COVID", "IEEE", "HTTP", "TLS", "AES", "RSA", "ES", "PEP", "JEP", "KEP", "BIP", "EIP", "CP", "GPT", "IPV", "X", "WCAG", "ECMA", "ANSI", "UTC", "GMT", "USB", "MPEG", "PCI", "GDPR", "Q", "H", "P", "V"}
)

// Keys returns the issue keys in a line.
func Keys(line string) []string {
	var out []string
	for _, k := range keyPattern.FindAllString(line, -1) {
		prefix, _, _ := strings.Cut(k, "-")
		if !slices.Contains(notKeys, prefix) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// A Routes says which phases the words of a text call for.
type Routes struct {
	Tickets, Plan, Resources bool
}

// Signals is the safety net under a triage: it can only turn routes on.
func Signals(text string) Routes {
	low := strings.ToLower(text)
	has := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(low, w) })
	}
	keys := make(map[string]bool)
	for line := range strings.Lines(text) {
		for _, k := range Keys(line) {
			keys[k] = true
		}
	}
	return Routes{
		Tickets: len(keys) >= 3,
		Plan: has("objective") && (has("outcome") || has("committed") || has("proposed")) || has("measurable signal") ||
			has("sprint goal") || has("sprint objective"),
		Resources: has("capacity", "availability") || has("resource allocation") || has("engineer", "skills"),
	}
}

// Hinted is the type that a person's word for some content means.
func Hinted(word string) (sourceType string, ok bool) {
	word = strings.ToLower(word)
	for _, h := range [][2]string{
		{"jira", "JIRA_DUMP"},
		{"confluence", "CONFLUENCE_EXPORT"},
		{"smartsheet", "SMARTSHEET_EXPORT"},
		{"meeting", "MEETING_NOTES"},
		{"minutes", "MEETING_NOTES"},
		{"standup", "MEETING_NOTES"},
		{"retro", "MEETING_NOTES"},
		{"design", "DESIGN_DOC"},
		{"link", "LINK_LIST"},
		{"excel", "EXCEL_UPLOAD"},
	} {
		if strings.Contains(word, h[0]) {
			return h[1], true
		}
	}
	return "", false
}

// Classify says what content is, with a confidence.
func Classify(text string, tickets bool) (sourceType string, confidence float64) {
	low := strings.ToLower(text)
	has := func(w string) bool { return strings.Contains(low, w) }
	links, lines := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
			links++
		}
	}
	switch {
	case tickets:
		return "JIRA_DUMP", 0.95
	case has("confluence") && has("space"):
		return "CONFLUENCE_EXPORT", 0.8
	case has("meeting") || has("minutes") || has("standup") || has("retro") || has("attendees") || has("agenda") || has("action item"):
		if has("attend") || has("present") || has("agenda") || has("action") || has("notes") || has("participants") {
			return "MEETING_NOTES", 0.9
		}
		return "MEETING_NOTES", 0.7
	case has("background") && has("proposal") && (has("alternatives") || has("api design")):
		return "DESIGN_DOC", 0.85
	case links >= 3 && links*2 > lines:
		return "LINK_LIST", 0.8
	}
	return "FREE_TEXT", 0.6
}
