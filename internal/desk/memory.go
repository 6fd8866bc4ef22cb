package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// Memory is the kind of knowledge with a scope and a lifetime.
const Memory Kind = "memory"

// A MemoryBody is knowledge with a scope and a lifetime.
type MemoryBody struct {
	Scope     string   `json:"scope"` // GLOBAL, PROJECT, SESSION, THREAD
	ThreadID  string   `json:"threadId,omitempty"`
	Key       string   `json:"key,omitempty"` // made from the content when left out
	Content   string   `json:"content"`
	Tags      []string `json:"tags,omitempty"`
	ExpiresAt Date     `json:"expiresAt,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (m *MemoryBody) Check() error {
	orDefault(&m.Scope, "PROJECT")
	if strings.TrimSpace(m.Key) == "" {
		m.Key = keyOf(m.Content)
	}
	return firstOf(required("content", m.Content), m.ExpiresAt.check("expiresAt"), oneOf("scope", m.Scope, []string{"GLOBAL", "PROJECT", "SESSION", "THREAD"}))
}

// keyOf makes a key from a content: its first words, and what tells it from others that begin alike. The
// same content has the same key.
func keyOf(content string) string {
	words := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	sum := sha256.Sum256([]byte(content))
	return strings.Join(append(words[:min(len(words), 5)], hex.EncodeToString(sum[:4])), "-")
}

func (m *MemoryBody) identity() string { return m.Scope + " " + m.ThreadID + " " + m.Key }
func (m *MemoryBody) title() string    { return m.Key }
func (m *MemoryBody) status() string   { return m.Scope }
func (m *MemoryBody) refs() []Ref      { return nil }

func (*MemoryBody) facets() facets {
	return facets{
		kind:    Memory,
		prefix:  "mem",
		word:    "memory",
		section: "MEMORIES",
		asked:   Asked{Columns: []string{"key", "content"}},
	}
}

func (m *MemoryBody) line(_ string) string {
	return fmt.Sprintf("%s: %.400s", m.Key, m.Content)
}

// everywhere reports whether the memory is one of all projects.
func (m *MemoryBody) everywhere() bool { return m.Scope == "GLOBAL" }
