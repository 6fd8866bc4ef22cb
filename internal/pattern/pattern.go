// Package pattern holds regular expressions that are compiled when they are first used.
// The reading of documents has more than a hundred; compiling them all at the start of
// the program would cost every start 10 ms and 7 MB, read or not.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression in the syntax of regexp. It may be used by several
// goroutines; its methods are those of regexp.Regexp.
type Pattern struct {
	text    string
	compile sync.Once
	re      *regexp.Regexp
}

// New returns the pattern of a text. A text that is no regular expression panics at the
// first use.
func New(text string) *Pattern { return &Pattern{text: text} }

func (p *Pattern) get() *regexp.Regexp {
	p.compile.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// Match is regexp's.
func (p *Pattern) Match(b []byte) bool { return p.get().Match(b) }

// MatchString is regexp's.
func (p *Pattern) MatchString(s string) bool { return p.get().MatchString(s) }

// FindString is regexp's.
func (p *Pattern) FindString(s string) string { return p.get().FindString(s) }

// FindStringSubmatch is regexp's.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is regexp's.
func (p *Pattern) FindStringSubmatchIndex(s string) []int { return p.get().FindStringSubmatchIndex(s) }

// FindSubmatch is regexp's.
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.get().FindSubmatch(b) }

// FindSubmatchIndex is regexp's.
func (p *Pattern) FindSubmatchIndex(b []byte) []int { return p.get().FindSubmatchIndex(b) }

// FindAllString is regexp's.
func (p *Pattern) FindAllString(s string, n int) []string { return p.get().FindAllString(s, n) }

// FindAllStringIndex is regexp's.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is regexp's.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is regexp's.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.get().FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch is regexp's.
func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte { return p.get().FindAllSubmatch(b, n) }

// ReplaceAllString is regexp's.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.get().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is regexp's.
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.get().ReplaceAllStringFunc(s, by)
}

// ReplaceAll is regexp's.
func (p *Pattern) ReplaceAll(b, by []byte) []byte { return p.get().ReplaceAll(b, by) }

// Split is regexp's.
func (p *Pattern) Split(s string, n int) []string { return p.get().Split(s, n) }
