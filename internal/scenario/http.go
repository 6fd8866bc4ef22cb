package scenario

import (
	"context"
	"encoding/json"
	"strings"

	"chela/internal/fault"
)

// answers calls an address and checks the answer. An unexpected status ends the check.
func (p *player) answers(ctx context.Context, name string, h HTTPCheck) error {
	method := h.Method
	if method == "" {
		method = "GET"
	}
	url, err := p.fill(ctx, address(h.URL))
	if err != nil {
		return err
	}
	var body json.RawMessage
	if method != "GET" {
		body = json.RawMessage("{}")
	}
	status, raw, err := p.send(ctx, method, url, body)
	if err != nil {
		return err
	}
	what := name + ": " + method + " " + h.URL
	if h.Status != 0 {
		p.check(status == h.Status, "%s answers %d, expected %d", what, status, h.Status)
		if status != h.Status {
			return nil
		}
	} else if status < 200 || status > 299 {
		p.check(false, "%s answers %d: %s", what, status, raw)
		return nil
	} else {
		p.check(true, "%s answers %d", what, status)
	}
	if err := p.body(ctx, what, h, raw); err != nil {
		return err
	}
	return p.capture(h.Capture, raw)
}

func (p *player) body(ctx context.Context, what string, h HTTPCheck, raw json.RawMessage) error {
	if h.Contains != "" {
		want, err := p.fill(ctx, h.Contains)
		if err != nil {
			return err
		}
		p.check(containsFold(string(raw), want), "%s contains %q", what, want)
	}
	if h.Matches != "" {
		fits, err := p.matches(ctx, h.Matches, string(raw))
		if err != nil {
			return err
		}
		p.check(fits, "%s matches %q", what, h.Matches)
	}
	if h.Path != "" {
		if err := p.path(ctx, what, h, raw); err != nil {
			return err
		}
	}
	if h.MinSize != nil {
		var list []json.RawMessage
		err := json.Unmarshal(first(lookup(raw, h.Path)), &list) // of a list at the path, else of the answer
		if err != nil {
			err = json.Unmarshal(flat(raw), &list)
		}
		p.check(err == nil && len(list) >= *h.MinSize, "%s has %d, expected at least %d", what, len(list), *h.MinSize)
	}
	return p.totals(what, h, raw)
}

func (p *player) totals(what string, h HTTPCheck, raw json.RawMessage) error {
	if h.MinTotal == 0 && h.Total == nil {
		return nil
	}
	var list struct {
		Total *int `json:"total"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || list.Total == nil {
		return fault.New(fault.Invalid, "%s is no list; minTotal and total are for lists.", what)
	}
	if h.MinTotal > 0 {
		p.check(*list.Total >= h.MinTotal, "%s has %d, expected at least %d", what, *list.Total, h.MinTotal)
	}
	if h.Total != nil {
		p.check(*list.Total == *h.Total, "%s has %d, expected %d", what, *list.Total, *h.Total)
	}
	return nil
}

// lookup finds a path in an answer as it is, else with its records flat.
func lookup(raw json.RawMessage, path string) []json.RawMessage {
	if found := walk(raw, path); len(found) > 0 {
		return found
	}
	return walk(flat(raw), path)
}

func first(list []json.RawMessage) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// path checks what lies at a path; several values are joined.
func (p *player) path(ctx context.Context, what string, h HTTPCheck, raw json.RawMessage) error {
	var values []string
	for _, v := range lookup(raw, h.Path) {
		values = append(values, plain(v))
	}
	have := strings.Join(values, ", ")
	if len(h.Equals) > 0 {
		want, err := p.fillJSON(ctx, h.Equals)
		if err != nil {
			return err
		}
		p.check(have == plain(want), "%s has %q at %s, expected %q", what, have, h.Path, plain(want))
	}
	if h.Holds != "" {
		want, err := p.fill(ctx, h.Holds)
		if err != nil {
			return err
		}
		p.check(containsFold(have, want), "%s has %q at %s, expected that it contains %q", what, have, h.Path, want)
	}
	if len(h.Equals) == 0 && h.Holds == "" && h.MinSize == nil {
		p.check(len(values) > 0, "%s has something at %s", what, h.Path)
	}
	return nil
}
