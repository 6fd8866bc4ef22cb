package clerk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// Apart are records of one title that stay what they are, and why.
type Apart struct {
	Kind  desk.Kind `json:"kind"`
	Title string    `json:"title"`
	IDs   []string  `json:"ids"`
	Why   string    `json:"why"`
}

// Why records of one title stay apart.
const (
	otherKeys = "They have different keys of a tracker."
	someKeys  = "Some have a key of a tracker and others have none."
	otherWho  = "Different people have them."
)

// Dedup plans that records of one identity become one: the oldest takes in what the
// others hold, and what refers to them refers to it. Nothing is lost. Tickets that are known by
// their title alone, and that different people have, stay apart, as they do when an intake
// brings them; so do those of one title that have different keys.
func (w *Work) Dedup() ([]Twins, []Apart, error) {
	var out []Twins
	var apart []Apart
	for _, k := range desk.Mergeable() {
		records, err := Every(w.ctx, w.store, Query{Project: w.project, Kind: k})
		if err != nil {
			return nil, nil, err
		}
		found, err := w.twins(k, records)
		if err != nil {
			return nil, nil, err
		}
		if k.Owned() {
			apart = append(apart, apartOf(found)...)
		}
		for _, t := range found {
			if len(t.Merged) == 0 {
				continue
			}
			if err := w.unite(t.Twins); err != nil {
				return nil, nil, err
			}
			out = append(out, t.Twins)
		}
	}
	return out, apart, nil
}

// A twin is what records may be the same as: the first of them, with what was found to be it.
type twin struct {
	Twins
	of    desk.Summary
	doers []string // of all of them, by name; nil as long as nobody asked
}

// twins are the records of a kind, those that are the same thing together.
func (w *Work) twins(k desk.Kind, records []desk.Record) ([]*twin, error) {
	var out []*twin
	first := make(map[string][]*twin) // by identity
	for _, r := range records {
		s, err := desk.Summarize(r)
		if err != nil {
			return nil, err
		}
		same := first[s.Identity]
		if k.Owned() && s.ByTitle() && len(same) > 0 {
			if same, err = w.ofDoers(same, r.ID); err != nil {
				return nil, err
			}
		}
		if len(same) > 0 && s.Identity != "" {
			same[0].Merged = append(same[0].Merged, r.ID)
			continue
		}
		t := &twin{Twins: Twins{Kind: k, Kept: r.ID, Title: s.Title}, of: s}
		first[s.Identity] = append(first[s.Identity], t)
		out = append(out, t)
	}
	return out, nil
}

// ofDoers returns those of some twins that a ticket is, the best alone; none when others have them all.
func (w *Work) ofDoers(all []*twin, ticket string) ([]*twin, error) {
	who, err := w.doerNames(ticket)
	if err != nil {
		return nil, err
	}
	var found *twin
	best := 0
	for _, t := range all {
		if t.doers == nil {
			if t.doers, err = w.doerNames(t.Kept); err != nil {
				return nil, err
			}
		}
		if n := SameDoers(t.doers, who); n > best {
			found, best = t, n
		}
	}
	if found == nil {
		return nil, nil
	}
	found.doers = union(found.doers, who)
	return []*twin{found}, nil
}

// apartOf are those of one title that are not the same.
func apartOf(all []*twin) []Apart {
	by := make(map[string][]*twin)
	var titles []string
	for _, t := range all {
		title := t.of.Folded()
		if by[title] == nil {
			titles = append(titles, title)
		}
		by[title] = append(by[title], t)
	}
	var out []Apart
	for _, title := range titles {
		some := by[title]
		if len(some) < 2 {
			continue
		}
		a := Apart{Kind: some[0].Kind, Title: some[0].Title}
		byTitle := 0
		for _, t := range some {
			a.IDs = append(a.IDs, t.Kept)
			if t.of.ByTitle() {
				byTitle++
			}
		}
		var why []string
		switch {
		case byTitle == 0:
			why = append(why, otherKeys)
		case byTitle < len(some):
			why = append(why, someKeys)
		}
		if byTitle > 1 {
			why = append(why, otherWho)
		}
		a.Why = strings.Join(why, " ")
		out = append(out, a)
	}
	return out
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
		if k.Owns() {
			callToo(all, more)
		}
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
