package clerk

import (
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/fault"
)

// An Undone says what an undo changes, and what it leaves.
type Undone struct {
	Changed []desk.Diff `json:"changed"`
	Kept    []Kept      `json:"kept"`
}

// A Kept is what an undo leaves as it is, and why.
type Kept struct {
	ID     string    `json:"id"`
	Kind   desk.Kind `json:"kind"`
	Title  string    `json:"title"`
	Field  string    `json:"field,omitempty"` // empty when the whole record is left
	Reason string    `json:"reason"`
}

// Undo plans that what an act did to the project's records is taken back, the last change first. What
// somebody changed since stays, field by field, and so does a new record that others refer to. The
// revisions are those of the act, in the log's order.
func (w *Work) Undo(act []desk.Revision) (Undone, error) {
	u := undo{Work: w, first: make(map[string]desk.Record), out: Undone{Changed: []desk.Diff{}, Kept: []Kept{}}}
	all := act
	act = slices.DeleteFunc(slices.Clone(act), func(r desk.Revision) bool { return r.After.Kind.Account() })
	if err := u.load(act); err != nil {
		return u.out, err
	}
	for _, r := range slices.Backward(act) {
		if err := u.back(r); err != nil {
			return u.out, err
		}
	}
	for _, r := range slices.Backward(act) { // when nothing of the act refers to it any more
		if now := u.now[r.After.ID]; came(r) && !gone(now) {
			if err := u.remove(r, now); err != nil {
				return u.out, err
			}
		}
	}
	if err := u.compare(); err != nil || len(u.out.Changed) == 0 {
		return u.out, err
	}
	return u.out, u.account(all)
}

// account plans that the accounts of the act say that it was taken back.
func (u *undo) account(act []desk.Revision) error {
	first := make(map[string]desk.Record)
	for i, r := range act {
		if !r.After.Kind.Account() {
			continue
		}
		if _, ok := first[r.After.ID]; !ok {
			first[r.After.ID] = r.Before
		}
		if slices.ContainsFunc(act[i+1:], func(o desk.Revision) bool { return o.After.ID == r.After.ID }) {
			continue
		}
		now, err := u.Get(r.After.Kind, r.After.ID)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		says, err := desk.Undone(first[r.After.ID], r.After, now)
		if err == nil && says != nil {
			_, err = u.put(now, says)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An undo is one act that is taken back.
type undo struct {
	*Work
	first map[string]desk.Record   // the records of the act as they are
	order []string                 // their ids, as the act first changed them
	users map[string][]desk.Record // what refers to the records that the act made
	out   Undone
}

// load reads the records of the act, and what refers to the new ones.
func (u *undo) load(act []desk.Revision) error {
	var made []string
	for _, r := range act {
		id := r.After.ID
		if gone(r.Before) {
			made = append(made, id)
		}
		if _, ok := u.first[id]; !ok {
			u.first[id] = desk.Record{}
			u.order = append(u.order, id)
		}
	}
	u.users = make(map[string][]desk.Record)
	for some := range slices.Chunk(u.order, manyIDs) {
		p, err := u.store.Records(u.ctx, Query{IDs: some, Gone: true, Limit: All})
		if err != nil {
			return err
		}
		for _, r := range p.Records {
			u.first[r.ID], u.now[r.ID] = r, r
		}
	}
	for some := range slices.Chunk(made, manyIDs) {
		p, err := u.store.Records(u.ctx, Query{RefTo: some, Limit: All})
		if err != nil {
			return err
		}
		for _, r := range p.Records {
			refs, err := refsOf(r)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				if ref.ID != "" && !slices.ContainsFunc(u.users[ref.ID], func(o desk.Record) bool { return o.ID == r.ID }) {
					u.users[ref.ID] = append(u.users[ref.ID], r)
				}
			}
		}
	}
	return nil
}

// manyIDs bounds how many records one query names.
const manyIDs = 500

// came reports whether a change made a record, or brought it back.
func came(r desk.Revision) bool { return gone(r.Before) && !gone(r.After) }

// back plans that one change is taken back, unless it made the record.
func (u *undo) back(r desk.Revision) error {
	now := u.now[r.After.ID]
	switch went := !gone(r.Before) && gone(r.After); {
	case went && gone(now):
		c, next, err := desk.Restore(now)
		if err != nil {
			return err
		}
		u.plan(c, next)
		u.soil(next)
		return u.revert(r, next)
	case !came(r) && !went && !gone(now):
		return u.revert(r, now)
	}
	return nil
}

// remove plans that a record goes which the act made, unless it was changed since or others refer to it.
func (u *undo) remove(r desk.Revision, now desk.Record) error {
	if now.Kind.Unique() {
		return u.keep(now, "", "It is deleted by itself: chela project delete.")
	}
	patch, err := difference(now, r.After)
	if err != nil {
		return err
	}
	if len(patch) > 0 {
		return u.keep(now, "", "It was changed since.")
	}
	for _, user := range u.users[now.ID] {
		if planned, ok := u.now[user.ID]; ok {
			user = planned
		}
		if gone(user) {
			continue
		}
		refs, err := refsOf(user)
		if err != nil {
			return err
		}
		switch refers := slices.ContainsFunc(refs, func(ref desk.Ref) bool { return ref.ID == now.ID }); {
		case refers && user.Kind.Account():
			if err := u.repoint(user, now.ID, ""); err != nil {
				return err
			}
		case refers:
			return u.keep(now, "", fmt.Sprintf("The %s %s refers to it.", user.Kind.Word(), user.ID))
		}
	}
	u.soil(now)
	if r.Before.MergedInto != "" { // it is merged again, as it was before an undo
		c := desk.Change{ID: now.ID, Kind: now.Kind, Project: now.Project, Op: desk.Merged, Version: now.Version + 1, MergedInto: r.Before.MergedInto}
		now.MergedInto, now.Version = c.MergedInto, c.Version
		u.plan(c, now)
		return nil
	}
	u.drop(now)
	return nil
}

// revert plans that the fields which a change set have again the values from before it, where they
// have still the ones that it gave them.
func (u *undo) revert(r desk.Revision, now desk.Record) error {
	changed, err := difference(r.After, r.Before) // field → its value before
	if err != nil || len(changed) == 0 {
		return err
	}
	since, err := difference(now, r.After) // fields that somebody changed since
	if err != nil {
		return err
	}
	for field := range since {
		if _, ours := changed[field]; ours {
			delete(changed, field)
			if err := u.keep(now, field, "It was changed since."); err != nil {
				return err
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	patch, err := json.Marshal(changed)
	if err != nil {
		return fmt.Errorf("write the undo of %s: %w", now.ID, err)
	}
	c, next, err := desk.Revert(now, patch)
	if err == nil && c.ID != "" {
		err = u.refer(next, changed)
	}
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.NotFound {
		return u.keep(now, "", fault.TextOf(err))
	}
	if err != nil || c.ID == "" {
		return err
	}
	u.soil(now)
	u.plan(c, next)
	u.soil(next)
	return nil
}

// refer refuses a record that would refer again to what is gone.
func (u *undo) refer(next desk.Record, changed map[string]json.RawMessage) error {
	refs, err := refsOf(next)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if _, ours := changed[ref.Field]; ref.ID == "" || !ours {
			continue
		}
		if err := u.exists(ref); err != nil {
			return err
		}
	}
	return nil
}

// keep notes what is left.
func (u *undo) keep(r desk.Record, field, reason string) error {
	s, err := desk.Summarize(r)
	if field == "" { // the whole record, so also what was said of its fields
		u.out.Kept = slices.DeleteFunc(u.out.Kept, func(k Kept) bool { return k.ID == r.ID })
	}
	u.out.Kept = append(u.out.Kept, Kept{ID: r.ID, Kind: r.Kind, Title: s.Title, Field: field, Reason: reason})
	return err
}

// compare says what the plan changes.
func (u *undo) compare() error {
	for _, id := range u.order {
		d, changed, err := desk.DiffOf(u.first[id], u.now[id])
		if err != nil {
			return err
		}
		if changed {
			u.out.Changed = append(u.out.Changed, d)
		}
	}
	return nil
}

// difference returns the fields that have to change for from to have the body of to, but for those
// that are computed.
func difference(from, to desk.Record) (map[string]json.RawMessage, error) {
	raw, err := desk.Difference(from.Body, to.Body)
	if err != nil || raw == nil {
		return nil, err
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("compare %s: %w", from.ID, err)
	}
	delete(out, from.Kind.Computed())
	return out, nil
}
