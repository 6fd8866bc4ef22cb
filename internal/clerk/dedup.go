package clerk

import (
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/fault"
)

// Twins are records of one kind that are the same thing: one is kept, the others are
// merged into it.
type Twins struct {
	Kind   desk.Kind `json:"kind"`
	Kept   string    `json:"kept"`
	Title  string    `json:"title"`
	Merged []string  `json:"merged"`
}

// Dedup plans that records of one identity become one: the oldest takes in what the
// others hold, and what refers to them refers to it. Nothing is lost.
func (w *Work) Dedup() ([]Twins, error) {
	var out []Twins
	for _, k := range desk.Mergeable() {
		records, err := Every(w.ctx, w.store, Query{Project: w.project, Kind: k})
		if err != nil {
			return nil, err
		}
		first := make(map[string]int) // identity → index in found
		var found []Twins
		for _, r := range records {
			s, err := desk.Summarize(r)
			if err != nil {
				return nil, err
			}
			if at, twin := first[s.Identity]; twin && s.Identity != "" {
				found[at].Merged = append(found[at].Merged, r.ID)
				continue
			}
			first[s.Identity] = len(found)
			found = append(found, Twins{Kind: k, Kept: r.ID, Title: s.Title})
		}
		for _, t := range found {
			if len(t.Merged) == 0 {
				continue
			}
			if err := w.unite(t); err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	return out, nil
}

func (w *Work) unite(t Twins) error {
	if t.Kind == desk.Thread {
		_, err := w.MergeThreads(t.Kept, t.Merged, "")
		return err
	}
	return w.Merge(t.Kind, t.Kept, t.Merged)
}

// Merge plans that target takes in what the sources hold: fields that it does not have,
// and the elements of lists. The sources stay, as merged ones.
func (w *Work) Merge(k desk.Kind, target string, sources []string) error {
	into, err := w.Get(k, target)
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(into.Body, &all); err != nil {
		return fmt.Errorf("read %s: %w", target, err)
	}
	w.soil(into)
	var taken []desk.Record
	for _, id := range slices.DeleteFunc(slices.Clone(sources), func(id string) bool { return id == target }) {
		r, err := w.Get(k, id)
		if err != nil {
			return err
		}
		if r.MergedInto != "" {
			return fault.New(fault.Conflict, "The %s %s is merged into %s already.", k.Word(), id, r.MergedInto)
		}
		var more map[string]any
		if err := json.Unmarshal(r.Body, &more); err != nil {
			return fmt.Errorf("read %s: %w", id, err)
		}
		for _, f := range k.Witnessed() {
			delete(more, f)
		}
		absorb(all, more)
		taken = append(taken, r)
		if err := w.leave(r, target, nil); err != nil {
			return err
		}
	}
	for _, id := range append(slices.Clone(sources), target) { // a record does not refer to itself
		if m, ok := replaced(all, id, "").(map[string]any); ok {
			all = m
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	defer w.taking(taken...)()
	_, err = w.Patch(k, target, raw)
	return err
}

// absorb adds to a body what another has and it has not.
func absorb(into, more map[string]any) {
	for field, v := range more {
		have, ok := into[field]
		if !ok {
			into[field] = v
			continue
		}
		a, isList := have.([]any)
		b, both := v.([]any)
		if !isList || !both {
			continue
		}
		for _, x := range b {
			if !slices.ContainsFunc(a, func(y any) bool { return same(x, y) }) {
				a = append(a, x)
			}
		}
		into[field] = a
	}
}

func same(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}
