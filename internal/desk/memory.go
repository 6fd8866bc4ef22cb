package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/fault"
)

// Memory is the kind of knowledge with a scope and a lifetime.
const Memory Kind = "memory"

// A Scope says for whom a memory is.
type Scope = string

// The scopes of records. What concerns one person alone is a note of theirs and no record.
const (
	ForAll     Scope = "GLOBAL"
	ForProject Scope = "PROJECT"
	ForSession Scope = "SESSION" // a thread, for a day
	ForThread  Scope = "THREAD"  // a thread, for a week
	ForAgent   Scope = "AGENT"
	ForTeam    Scope = "TEAM"
)

// Scopes lists the scopes of records.
func Scopes() []string { return []string{ForAll, ForProject, ForSession, ForThread, ForAgent, ForTeam} }

// MemoryTypes lists what a memory may be.
func MemoryTypes() []string {
	return []string{"fact", "decision", "preference", "procedure", "question", "summary"}
}

// A MemoryBody is knowledge with a scope and a lifetime.
type MemoryBody struct {
	Scope       string   `json:"scope"`           // GLOBAL, PROJECT, SESSION, THREAD, AGENT, TEAM
	Owner       string   `json:"owner,omitempty"` // the agent of an AGENT memory, the team of a TEAM memory
	ThreadID    string   `json:"threadId,omitempty"`
	Key         string   `json:"key,omitempty"`  // made from the content when left out
	Type        string   `json:"type,omitempty"` // one of MemoryTypes; a fact when left out
	Content     string   `json:"content"`
	Confidence  float64  `json:"confidence,omitempty"` // above 0, at most 1; certain when left out
	Tags        []string `json:"tags,omitempty"`
	ValidFrom   Date     `json:"validFrom,omitempty"`   // what it says holds from then
	ValidTo     Date     `json:"validTo,omitempty"`     // until then
	Supersedes  []string `json:"supersedes,omitempty"`  // memories whose place it takes
	Contradicts []string `json:"contradicts,omitempty"` // memories that say otherwise
	ExpiresAt   Date     `json:"expiresAt,omitempty" doc:"from when on it is found no more; a day begins in UTC. One that lies in the past has expired"`
	Sources     []Source `json:"sources,omitempty"`
}

// DocumentTag is the tag of a memory that is a document as an intake was given it, for search, and nothing that anybody knows.
const DocumentTag = "raw-content"

// Document reports whether the memory is a document as an intake was given it.
func (m *MemoryBody) Document() bool { return slices.Contains(m.Tags, DocumentTag) }

// Check implements [Thing].
func (m *MemoryBody) Check() error {
	orDefault(&m.Scope, ForProject)
	if m.Scope == ForAgent && m.Owner != "" { // it is named by its id, or by its name
		m.Owner = "agent:" + strings.TrimPrefix(m.Owner, "agent:")
	}
	if strings.TrimSpace(m.Key) == "" {
		m.Key = keyOf(m.Content)
	}
	switch {
	case m.Type != "" && !slices.Contains(MemoryTypes(), m.Type):
		return fault.BadField("type", "The type of a memory is not known.", MemoryTypes()...)
	case m.Confidence < 0 || m.Confidence > 1:
		return fault.BadField("confidence", "A confidence is between 0 and 1.")
	}
	return firstOf(required("content", m.Content), m.ExpiresAt.check("expiresAt"), m.ValidFrom.check("validFrom"), m.ValidTo.check("validTo"), oneOf("scope", m.Scope, Scopes()))
}

// settle refuses a validTo before validFrom; a memory that had them already is changed otherwise.
func (m *MemoryBody) settle(before Thing, _ Actor) (bool, error) {
	if old, ok := before.(*MemoryBody); ok && old.ValidFrom == m.ValidFrom && old.ValidTo == m.ValidTo {
		return false, nil
	}
	if m.ValidFrom != "" && m.ValidTo != "" && m.ValidTo.Time().Before(m.ValidFrom.Time()) {
		return false, fault.BadField("validTo", fmt.Sprintf("What it says would hold until %s, which lies before %s, from when on it holds. Give a later validTo, or leave one of the two out.", m.ValidTo, m.ValidFrom))
	}
	return false, nil
}

// Expired reports whether the time of a memory is over. A day expires as it begins.
func (m *MemoryBody) Expired(now time.Time) bool {
	return m.ExpiresAt != "" && !m.ExpiresAt.Time().IsZero() && !m.ExpiresAt.Time().After(now)
}

// alive implements [Alive].
func (m *MemoryBody) alive(now time.Time) error {
	if m.Expired(now) {
		return fault.BadField("expiresAt", fmt.Sprintf("It would have expired already: %s is over, and a day counts from its beginning in UTC. Give a later time, or leave it out.", m.ExpiresAt))
	}
	return nil
}

// SummaryKey names what a conversation came to among the memories of its thread.
const SummaryKey = "conversation"

// lifetimes say how long a memory of a thread stays when nothing is said.
var lifetimes = map[Scope]time.Duration{ForThread: 7 * 24 * time.Hour, ForSession: 24 * time.Hour}

// LivesFor is how long a memory of the scope stays when nothing is said; 0 is for good.
func LivesFor(s Scope) time.Duration { return lifetimes[s] }

// keyOf makes a key from a content: its first words, and what tells it from others that begin alike. The
// same content has the same key.
func keyOf(content string) string {
	words := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	sum := sha256.Sum256([]byte(content))
	return strings.Join(append(words[:min(len(words), 5)], hex.EncodeToString(sum[:4])), "-")
}

func (m *MemoryBody) identity() string {
	return m.Scope + " " + m.ThreadID + strings.Repeat(" ", min(len(m.Owner), 1)) + m.Owner + " " + m.Key
}
func (m *MemoryBody) title() string  { return m.Key }
func (m *MemoryBody) status() string { return m.Scope }

func (m *MemoryBody) refs() []Ref {
	return append(refsTo("supersedes", m.Supersedes), refsTo("contradicts", m.Contradicts)...)
}

func (*MemoryBody) facets() facets {
	return facets{
		kind:     Memory,
		prefix:   "mem",
		word:     "memory",
		section:  "MEMORIES",
		asked:    Asked{Columns: []string{"key", "content"}},
		erasable: true,
	}
}

func (m *MemoryBody) line(_ string) string {
	return fmt.Sprintf("%s: %.400s", m.Key, m.Content)
}

// everywhere reports whether the memory is one of all projects.
func (m *MemoryBody) everywhere() bool {
	return m.Scope == ForAll || m.Scope == ForAgent || m.Scope == ForTeam
}
