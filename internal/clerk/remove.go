package clerk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chela/internal/desk"
	"chela/internal/fault"
)

// Remove plans the deletion of a record with what belongs to it alone, and takes it
// out of what refers to it. It returns the ids of everything else it touches.
func (w *Work) Remove(k desk.Kind, id string) ([]string, error) {
	r, err := w.Get(k, id)
	if err != nil {
		return nil, err
	}
	var touched []string
	if err := w.authored(r); err != nil {
		return nil, err
	}
	users, err := w.users(r)
	if err != nil {
		return nil, err
	}
	w.soil(r)
	for _, u := range users {
		touched = append(touched, u.ID)
		if u.Kind.Association() || refersIn(u, u.Kind.Attached(), id) {
			w.drop(u)
			continue
		}
		if err := w.repoint(u, id, ""); err != nil {
			return nil, err
		}
	}
	w.drop(r)
	return touched, nil
}

// users returns the records that refer to r, as planned.
func (w *Work) users(r desk.Record) ([]desk.Record, error) {
	p, err := w.store.Records(w.ctx, Query{Project: r.Project, RefTo: []string{r.ID}, Limit: 10_000})
	if err != nil {
		return nil, err
	}
	var out []desk.Record
	take := func(u desk.Record) error {
		if gone(u) || u.ID == r.ID || !bytes.Contains(u.Body, []byte(r.ID)) {
			return nil
		}
		refs, err := refsOf(u)
		if slices.ContainsFunc(refs, func(ref desk.Ref) bool { return ref.ID == r.ID }) {
			out = append(out, u)
		}
		return err
	}
	seen := make(map[string]bool, len(p.Records))
	for _, u := range p.Records {
		seen[u.ID] = true
		if planned, ok := w.now[u.ID]; ok {
			u = planned
		}
		if err := take(u); err != nil {
			return nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.now)) {
		if !seen[id] {
			if err := take(w.now[id]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// refersIn reports whether a field of r names a record.
func refersIn(r desk.Record, field, id string) bool {
	if field == "" {
		return false
	}
	refs, err := refsOf(r)
	return err == nil && slices.Contains(refs, desk.Ref{Field: field, ID: id})
}

// authored refuses a change of what somebody else wrote.
func (w *Work) authored(r desk.Record) error {
	if r.Kind.Authored() && r.CreatedBy != w.at.From.AgentID {
		return fault.New(fault.Denied, "The %s %s is somebody else's, and only who wrote it changes it. Write another.", r.Kind.Word(), r.ID)
	}
	return nil
}

func refsOf(r desk.Record) ([]desk.Ref, error) {
	s, err := desk.Summarize(r)
	return s.Refs, err
}

func (w *Work) drop(r desk.Record) {
	c := desk.Remove(r)
	r.Deleted, r.Version = true, c.Version
	w.plan(c, r)
}

// repoint plans that user refers to another record, or to nothing when to is "".
func (w *Work) repoint(user desk.Record, from, to string) error {
	var body any
	if err := json.Unmarshal(user.Body, &body); err != nil {
		return fmt.Errorf("read %s: %w", user.ID, err)
	}
	raw, err := json.Marshal(replaced(body, from, to))
	if err != nil {
		return fmt.Errorf("write %s: %w", user.ID, err)
	}
	c, next, changed, err := desk.Edit(user, raw)
	if err == nil && changed {
		w.plan(c, next)
	}
	return err
}

// replaced returns v with every text that is exactly from replaced by to; in lists a
// removed or doubled one goes.
func replaced(v any, from, to string) any {
	switch v := v.(type) {
	case string:
		if v == from {
			return to
		}
	case []any:
		out := []any{}
		for _, x := range v {
			y := replaced(x, from, to)
			if s, ok := y.(string); ok && x == any(from) && (s == "" || slices.Contains(v, any(s))) {
				continue
			}
			out = append(out, y)
		}
		return out
	case map[string]any:
		for k, x := range v {
			v[k] = replaced(x, from, to)
		}
	}
	return v
}
