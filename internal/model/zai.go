package model

import (
	"net/url"
	"strings"
)

// ZAI reports which wire the endpoint at base speaks when it is one of Z.AI's, whose
// models are called GLM (docs.z.ai): /api/paas/v4 and, for the coding plan,
// /api/coding/paas/v4 speak OpenAI's, /api/anthropic speaks Anthropic's. They differ from
// the wires' owners in this: an answer's form is either any JSON object or not asked for,
// tools cannot be forced, a stream gives its usage unasked, and Anthropic's wire takes the
// key as a bearer's.
func ZAI(base string) (Kind, bool) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() != "api.z.ai" {
		return "", false
	}
	if strings.HasPrefix(u.Path, "/api/anthropic") {
		return KindAnthropic, true
	}
	return KindOpenAI, true
}

// InWords is a system prompt that asks for a form, for those who cannot be asked otherwise.
func (s *Schema) InWords(system string) string {
	return system + "\n\nAnswer with one JSON object and nothing else. It fits this JSON Schema:\n" + string(s.Schema)
}
