package clerk

import (
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/fault"
)

// Likely returns the people of the project who are likely the same. Nothing merges them but [Work.MergeInto].
func (w *Work) Likely() ([]capacity.Alike, error) {
	records, err := Every(w.ctx, w.store, Query{Project: w.project, Kind: desk.Resource})
	if err != nil {
		return nil, err
	}
	people := make([]capacity.Person, 0, len(records))
	for _, r := range records {
		b, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return nil, err
		}
		people = append(people, capacity.Person{ID: r.ID, ResourceBody: b})
	}
	return capacity.Likely(people), nil
}

// MergeInto plans that a record takes in others of its kind that a person says to be the same, and goes by their names. It is as
// [Work.Dedup] is for records of one title.
func (w *Work) MergeInto(target string, others []string) (Twins, error) {
	out := Twins{Kept: target, Merged: slices.DeleteFunc(slices.Clone(others), func(id string) bool { return id == target })}
	slices.Sort(out.Merged)
	out.Merged = slices.Compact(out.Merged)
	into, err := w.store.Record(w.ctx, target)
	if err != nil {
		return out, err
	}
	out.Kind = into.Kind
	if !slices.Contains(desk.Mergeable(), into.Kind) {
		return out, fault.BadField("into", fmt.Sprintf("A %s is not merged with others.", into.Kind.Word()))
	}
	if len(out.Merged) == 0 {
		return out, fault.BadField("records", "Name at least one record that the other takes in.")
	}
	s, err := desk.Summarize(into)
	if err != nil {
		return out, err
	}
	out.Title = s.Title
	for _, id := range append([]string{target}, out.Merged...) {
		r, err := w.Get(into.Kind, id)
		if err != nil {
			return out, err
		}
		if r.Deleted || r.MergedInto != "" {
			return out, fault.New(fault.Conflict, "The %s %s is deleted or merged already. Leave it out.", r.Kind.Word(), id)
		}
	}
	return out, w.unite(out)
}

// callToo has a person go by the names of one who is merged into them.
func callToo(all, more map[string]any) {
	var into, from desk.ResourceBody
	for body, to := range map[*desk.ResourceBody]map[string]any{&into: all, &from: more} {
		raw, err := json.Marshal(to)
		if err != nil || json.Unmarshal(raw, body) != nil {
			return // the change is checked when it is planned
		}
	}
	for _, name := range append([]string{from.Name, from.Email}, from.Aliases...) {
		if name != "" && !into.Answers(name) {
			into.Aliases = append(into.Aliases, name)
		}
	}
	if len(into.Aliases) > 0 {
		all["aliases"] = into.Aliases
	}
}
