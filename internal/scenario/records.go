package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"chela/internal/model/scripted"
)

// records checks what is found in a collection.
func (p *player) records(ctx context.Context, name string, c RecordCheck) error {
	all, err := p.collection(ctx, c)
	if err != nil {
		return err
	}
	var found []json.RawMessage
	for _, r := range all {
		fits, err := p.fits(ctx, r, c.Filter)
		if err != nil {
			return err
		}
		if fits {
			found = append(found, r)
		}
	}
	where := c.Collection
	if len(c.Filter) > 0 {
		where += " " + string(encoded(c.Filter))
	}
	n := len(found)
	switch a := c.Assert; {
	case a.Eq != nil:
		p.check(n == *a.Eq, "%s: %s has %d, expected %d", name, where, n, *a.Eq)
	case a.Gte != nil:
		p.check(n >= *a.Gte, "%s: %s has %d, expected at least %d", name, where, n, *a.Gte)
	case a.Lte != nil:
		p.check(n <= *a.Lte, "%s: %s has %d, expected at most %d", name, where, n, *a.Lte)
	case a.Exists != nil:
		p.check((n > 0) == *a.Exists, "%s: %s has %d, expected that there are some: %t", name, where, n, *a.Exists)
	default:
		return p.anyMatch(ctx, name, where, found, a)
	}
	return nil
}

func (p *player) anyMatch(ctx context.Context, name, where string, found []json.RawMessage, a Assert) error {
	for _, r := range found {
		for _, v := range walk(r, field(a.Field)) {
			fits, err := p.matches(ctx, a.Pattern, plain(v))
			if err != nil {
				return err
			}
			if fits {
				p.check(true, "%s: %s has %s ~ %q", name, where, a.Field, a.Pattern)
				return nil
			}
		}
	}
	p.check(false, "%s: none of the %d of %s has %s ~ %q", name, len(found), where, a.Field, a.Pattern)
	return nil
}

// field is where a field lies here.
func field(name string) string { return strings.TrimPrefix(name, "payload.") }

// fits reports whether a record has all that a filter wants.
func (p *player) fits(ctx context.Context, record json.RawMessage, filter map[string]json.RawMessage) (bool, error) {
	for name, want := range filter {
		if name == "thingCategory" {
			continue // it names the collection
		}
		want, err := p.fillJSON(ctx, want)
		if err != nil {
			return false, err
		}
		found := walk(record, field(name))
		if len(found) == 0 {
			if plain(want) != "null" {
				return false, nil
			}
			continue
		}
		hit := false
		for _, v := range found {
			hit = hit || same(v, want)
		}
		if !hit {
			return false, nil
		}
	}
	return true, nil
}

// collection returns everything in a collection.
func (p *player) collection(ctx context.Context, c RecordCheck) ([]json.RawMessage, error) {
	name := c.Collection
	if name == "things" {
		name = plain(c.Filter["thingCategory"])
	}
	where, _ := collectionNamed(name)
	switch where.Own {
	case "":
		base := "/api/projects"
		if where.Path != "" {
			base += "/" + p.project + "/" + where.Path
		}
		return p.pages(ctx, base)
	case "messages":
		all, err := p.said(ctx, p.thread)
		return each(all), err
	case "events":
		all, err := p.log(ctx, 0)
		return each(all), err
	case "prompts":
		return p.prompts()
	}
	var list []json.RawMessage
	err := p.read(ctx, map[string]string{"agents": "/api/agents", "approvals": "/api/approvals?limit=200", "conversations": "/api/conversations?limit=200"}[where.Own], &list)
	return list, err
}

func (p *player) pages(ctx context.Context, base string) ([]json.RawMessage, error) {
	var out []json.RawMessage
	cursor := ""
	for {
		raw, err := p.get(ctx, base+"?limit=500&cursor="+url.QueryEscape(cursor))
		if err != nil {
			return nil, err
		}
		out = append(out, walk(flat(raw), "$[*]")...)
		next := walk(raw, "next")
		if len(next) == 0 || plain(next[0]) == "" {
			return out, nil
		}
		cursor = plain(next[0])
	}
}

func each[T any](list []T) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, v := range list {
		out[i] = encoded(v)
	}
	return out
}

// prompt is what a model was shown, by the names such files use.
type prompt struct {
	Agent    []string `json:"agentId"` // by every name it goes by
	Session  string   `json:"sessionId"`
	Said     string   `json:"userQuery"`
	Prompt   string   `json:"prompt"`
	Answer   string   `json:"llmResponse"`
	Fallback string   `json:"responseFallback"`
}

// prompts reads the model's transcript.
func (p *player) prompts() ([]json.RawMessage, error) {
	raw, err := os.ReadFile(p.transcriptFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	var out []json.RawMessage
	for line := range strings.Lines(string(raw)) {
		var l scripted.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return nil, fmt.Errorf("read the transcript: %w", err)
		}
		out = append(out, encoded(prompt{append([]string{l.Agent}, otherNames[l.Agent]...), p.thread, l.Said, l.Prompt, l.Answer, l.Answer}))
	}
	return out, nil
}
