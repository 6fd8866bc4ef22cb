// Package recalltest measures recall: sets of conversations with questions whose evidence is known, how many of it is
// found among the first results, and what each part of the ranking is worth. docs/memory.md says how a set is written.
package recalltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Set is conversations and questions about them.
type Set struct {
	Name          string         `json:"name,omitempty"`
	Conversations []Conversation `json:"conversations"`
	Questions     []Question     `json:"questions"`
}

// A Conversation is what some people said to one another over several sessions.
type Conversation struct {
	ID       string    `json:"id"`
	Sessions []Session `json:"sessions"`
}

// A Session is what was said on one occasion.
type Session struct {
	ID    string `json:"id"`
	Date  string `json:"date"` // RFC 3339, or a day
	Turns []Turn `json:"turns"`
}

// A Turn is one message.
type Turn struct {
	ID      string `json:"id"`
	Speaker string `json:"speaker,omitempty"`
	Date    string `json:"date,omitempty"` // the session's when left out
	Text    string `json:"text"`
	Caption string `json:"caption,omitempty"` // what a picture of the message shows
}

// A Question is asked about one conversation.
type Question struct {
	ID           string   `json:"id,omitempty"`
	Conversation string   `json:"conversation"`
	Text         string   `json:"text"`
	Date         string   `json:"date,omitempty"` // when it is asked; the end of the conversation when left out
	Kind         string   `json:"kind,omitempty"`
	Evidence     []string `json:"evidence"` // ids of turns or of sessions; none when nothing answers it
	Answer       string   `json:"answer,omitempty"`
}

// Decode reads a set in the form of this package, in LoCoMo's or in LongMemEval's.
func Decode(name string, raw []byte) (Set, error) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
		var items []struct {
			Haystack json.RawMessage `json:"haystack_sessions"`
		}
		if err := json.Unmarshal(raw, &items); err != nil {
			return Set{}, fmt.Errorf("read %s: %w", name, err)
		}
		if len(items) > 0 && items[0].Haystack != nil {
			return decodeHaystacks(name, raw)
		}
		return decodeLocomo(name, raw)
	}
	out := Set{Name: name}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return out, fmt.Errorf("read %s: %w", name, err)
	}
	return out, out.check()
}

// check reports what a set says wrongly.
func (s Set) check() error {
	for _, c := range s.Conversations {
		for _, x := range c.Sessions {
			if _, err := dateOf(x.Date); err != nil {
				return fmt.Errorf("session %s of conversation %s: %w", x.ID, c.ID, err)
			}
		}
	}
	for i, q := range s.Questions {
		if !slices.ContainsFunc(s.Conversations, func(c Conversation) bool { return c.ID == q.Conversation }) {
			return fmt.Errorf("question %d, %q: there is no conversation %q", i+1, q.Text, q.Conversation)
		}
		if _, err := dateOf(q.Date); q.Date != "" && err != nil {
			return fmt.Errorf("question %d, %q: %w", i+1, q.Text, err)
		}
	}
	return nil
}

// dateOf reads a date in any of the forms that sets have.
func dateOf(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly, "3:04 pm on 2 January, 2006", "2006/01/02 (Mon) 15:04", "2006/01/02 15:04", "2006/01/02"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date; write 2026-03-09 or 2026-03-09T10:00:00Z", text)
}

// locomoKinds are the names of its categories.
var locomoKinds = map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

var sessionName = regexp.MustCompile(`^session_(\d+)$`)

// decodeLocomo reads a list of samples: conversation, with session_1, session_1_date_time and so on, and qa.
func decodeLocomo(name string, raw []byte) (Set, error) {
	out := Set{Name: name}
	var samples []struct {
		ID           string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"`
			Category int      `json:"category"`
			Answer   any      `json:"answer"`
		} `json:"qa"`
	}
	if err := json.Unmarshal(raw, &samples); err != nil {
		return out, fmt.Errorf("read %s: %w", name, err)
	}
	for i, s := range samples {
		c := Conversation{ID: s.ID}
		if c.ID == "" {
			c.ID = "conversation-" + strconv.Itoa(i+1)
		}
		for key, value := range s.Conversation {
			found := sessionName.FindStringSubmatch(key)
			if found == nil {
				continue
			}
			var turns []struct {
				Speaker string `json:"speaker"`
				ID      string `json:"dia_id"`
				Text    string `json:"text"`
				Caption string `json:"blip_caption"`
			}
			if err := json.Unmarshal(value, &turns); err != nil {
				return out, fmt.Errorf("read %s of %s: %w", key, c.ID, err)
			}
			x := Session{ID: "D" + found[1]}
			if err := json.Unmarshal(s.Conversation[key+"_date_time"], &x.Date); err != nil {
				return out, fmt.Errorf("read the date of %s of %s: %w", key, c.ID, err)
			}
			for _, t := range turns {
				x.Turns = append(x.Turns, Turn{ID: t.ID, Speaker: t.Speaker, Text: t.Text, Caption: t.Caption})
			}
			c.Sessions = append(c.Sessions, x)
		}
		slices.SortFunc(c.Sessions, func(a, b Session) int { return number(a.ID) - number(b.ID) })
		out.Conversations = append(out.Conversations, c)
		for _, q := range s.QA {
			var evidence []string
			for _, e := range q.Evidence {
				evidence = append(evidence, strings.FieldsFunc(e, func(r rune) bool { return r == ';' || r == ',' || r == ' ' })...)
			}
			out.Questions = append(out.Questions, Question{Conversation: c.ID, Text: q.Question, Kind: locomoKinds[q.Category], Evidence: evidence})
		}
	}
	return out, out.check()
}

func number(id string) int {
	n, err := strconv.Atoi(strings.TrimLeft(id, "D"))
	if err != nil {
		return 0
	}
	return n
}

// decodeHaystacks reads a list of questions with a haystack of sessions each.
func decodeHaystacks(name string, raw []byte) (Set, error) {
	out := Set{Name: name}
	var items []struct {
		ID       string   `json:"question_id"`
		Kind     string   `json:"question_type"`
		Question string   `json:"question"`
		Date     string   `json:"question_date"`
		Sessions []string `json:"haystack_session_ids"`
		Dates    []string `json:"haystack_dates"`
		Haystack [][]struct {
			Role    string `json:"role"`
			Content string `json:"content"`
			Answers bool   `json:"has_answer"`
		} `json:"haystack_sessions"`
		Evidence []string `json:"answer_session_ids"`
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return out, fmt.Errorf("read %s: %w", name, err)
	}
	for _, q := range items {
		if len(q.Sessions) != len(q.Haystack) || len(q.Dates) != len(q.Haystack) {
			return out, fmt.Errorf("question %s has %d sessions, %d ids and %d dates", q.ID, len(q.Haystack), len(q.Sessions), len(q.Dates))
		}
		c := Conversation{ID: q.ID}
		var turns []string
		for i, x := range q.Haystack {
			s := Session{ID: q.Sessions[i], Date: q.Dates[i]}
			for j, t := range x {
				id := fmt.Sprintf("%s#%d", s.ID, j+1)
				s.Turns = append(s.Turns, Turn{ID: id, Speaker: t.Role, Text: t.Content})
				if t.Answers {
					turns = append(turns, id)
				}
			}
			c.Sessions = append(c.Sessions, s)
		}
		if len(turns) == 0 {
			turns = q.Evidence
		}
		out.Conversations = append(out.Conversations, c)
		out.Questions = append(out.Questions, Question{ID: q.ID, Conversation: c.ID, Text: q.Question, Date: q.Date, Kind: q.Kind, Evidence: turns})
	}
	return out, out.check()
}
