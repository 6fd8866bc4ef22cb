package redact

import (
	"math"
	"strings"

	"chela/internal/pattern"
)

// A shape is how tokens of one service look.
type shape struct {
	name    string
	words   []string // one of them is in every text that has such a token
	re      *pattern.Pattern
	entropy float64 // bits for each character, at least; 0 asks none
	digit   bool    // it has a digit and a letter
}

// shapes finds tokens in a view. Where an expression has a group, only that is hidden.
func shapes(v view, out []span) []span {
	for _, s := range known {
		if !s.named(v.text) {
			continue
		}
		for _, m := range s.re.FindAllStringSubmatchIndex(v.text, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			if to == from || !s.likely(v.text[from:to]) {
				continue
			}
			from, to = v.source(from, to)
			out = append(out, span{from, to, "[redacted: " + s.name + "]", false})
		}
	}
	return out
}

func (s shape) named(text string) bool {
	for _, w := range s.words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func (s shape) likely(token string) bool {
	if s.digit && (!strings.ContainsAny(token, "0123456789") || strings.IndexFunc(token, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }) < 0) {
		return false
	}
	return s.entropy == 0 || entropy(token) >= s.entropy
}

// entropy is that of the characters of a text, in bits for each.
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
	}
	sum, n := 0.0, float64(len(text))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
