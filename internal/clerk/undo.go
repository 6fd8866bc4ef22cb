package clerk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// An Undone says what an undo changes, and what it leaves.
type Undone struct {
	Changed []desk.Diff `json:"changed"`
	Kept    []Kept      `json:"kept"`
}

// Undo records that what an act did to one project is taken back, as [Work.Undo] plans it; without commit it only
// says what that would be. An act that deleted the project brings it back with what the act deleted, unless another
// has its name by now, which is a fault.Conflict.
func (c *Clerk) Undo(ctx context.Context, at event.Place, act []desk.Revision, commit func([]event.Draft) error) (out Undone, err error) {
	project := act[0].After.Project
	in := project
	if slices.ContainsFunc(act, EndsProject) {
		in = "" // it may not be there
	}
	plan := func(w *Work) (err error) {
		w.project = project
		out, err = w.Undo(act)
		return err
	}
	if commit != nil {
		err = c.Do(ctx, at, in, commit, plan)
		return out, err
	}
	w, err := c.Begin(ctx, at, in)
	if err == nil {
		err = plan(w)
	}
	return out, err
}

// EndsProject reports whether a change deleted a project, or brought a deleted one back.
func EndsProject(r desk.Revision) bool {
	return r.After.Kind.Unique() && r.Before.ID != "" && r.Before.Deleted != r.After.Deleted
}

// went reports whether a change deleted a record, or merged it into another.
func went(r desk.Revision) bool { return !gone(r.Before) && gone(r.After) }

// Undo plans that what an act did to the project's records is taken back, the last change first. What
// somebody changed since stays, field by field, and so does a new record that others refer to. Accounts that
// the act made stay; those that it deleted come back. Findings follow the records, so they keep nothing, and
// what stays of them is not named, unless the act is about findings alone. The revisions are those of the act,
// in the log's order.
func (w *Work) Undo(act []desk.Revision) (Undone, error) {
	u := undo{Work: w, first: make(map[string]desk.Record), went: make(map[string][]string), out: Undone{Changed: []desk.Diff{}, Kept: []Kept{}}}
	u.quiet = slices.ContainsFunc(act, func(r desk.Revision) bool { return !r.After.Kind.Derived() })
	if err := u.load(act); err != nil {
		return u.out, err
	}
	if slices.ContainsFunc(act, func(r desk.Revision) bool { return EndsProject(r) && came(r) }) {
		if err := u.end(act); err != nil {
			return u.out, err
		}
		return u.out, u.compare()
	}
	for _, r := range slices.Backward(act) {
		if err := u.back(r); err != nil {
			return u.out, err
		}
	}
	for _, r := range slices.Backward(act) { // when nothing of the act refers to it any more
		if now := u.now[r.After.ID]; came(r) && !gone(now) && !tells(r) {
			if err := u.remove(r, now); err != nil {
				return u.out, err
			}
		}
	}
	if err := u.doubled(act); err != nil {
		return u.out, err
	}
	if err := u.release(); err != nil {
		return u.out, err
	}
	if err := u.compare(); err != nil || len(u.out.Changed) == 0 {
		return u.out, err
	}
	return u.out, u.account(act)
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
	went  map[string][]string      // accounts and findings → the records that go and that they refer to
	made  map[string]bool          // the records that the act made, or brought back
	quiet bool                     // what stays of findings is not named
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
	u.users, u.made = make(map[string][]desk.Record), make(map[string]bool, len(made))
	for _, id := range made {
		u.made[id] = true
	}
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

// tells reports whether a change made an account, which tells what happened.
func tells(r desk.Revision) bool { return r.After.Kind.Account() && r.Before.ID == "" }

// back plans that one change is taken back, unless it made the record.
func (u *undo) back(r desk.Revision) error {
	now := u.now[r.After.ID]
	switch {
	case went(r) && gone(now):
		if err := u.unique(now); err != nil {
			return err
		}
		c, next, err := desk.Restore(now)
		if err != nil {
			return err
		}
		u.plan(c, next)
		u.soil(next)
		return u.revert(r, next)
	case !came(r) && !went(r) && gone(now) && !u.whole(now.ID):
		return u.keep(now, "", "It was deleted since.")
	case !came(r) && !went(r) && !gone(now):
		return u.revert(r, now)
	}
	return nil
}

// unique refuses that a project comes back while another has its name.
func (u *undo) unique(r desk.Record) error {
	if !r.Kind.Unique() {
		return nil
	}
	s, err := desk.Summarize(r)
	if err != nil {
		return err
	}
	other, ok, err := u.Find(r.Kind, s.Identity)
	if err == nil && ok {
		err = fault.New(fault.Conflict, "Another %s is named %q by now: %s. Rename it, then take the deletion back.", r.Kind.Word(), s.Title, other.ID)
	}
	return err
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
	var follow []string
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
		case refers && (user.Kind.Account() || user.Kind.Derived()):
			follow = append(follow, user.ID)
		case refers:
			return u.keep(now, "", fmt.Sprintf("The %s %s refers to it.", user.Kind.Word(), user.ID))
		}
	}
	for _, id := range follow {
		u.went[id] = append(u.went[id], now.ID)
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

// release plans that accounts and findings do not refer to what goes.
func (u *undo) release() error {
	for _, id := range slices.Sorted(maps.Keys(u.went)) {
		user, ok := u.now[id]
		if !ok {
			user = u.user(id, u.went[id][0])
		}
		if gone(user) {
			continue
		}
		if err := u.forget(user, u.went[id]); err != nil {
			return err
		}
	}
	return nil
}

// forget plans in one edit that a record refers to none of some.
func (u *undo) forget(user desk.Record, ids []string) error {
	var body any
	if err := json.Unmarshal(user.Body, &body); err != nil {
		return fmt.Errorf("read %s: %w", user.ID, err)
	}
	for _, id := range ids {
		body = replaced(body, id, "")
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write %s: %w", user.ID, err)
	}
	c, next, changed, err := desk.Edit(user, raw)
	if err == nil && changed {
		u.plan(c, next)
	}
	return err
}

// user is a recorded one of those that refer to a record.
func (u *undo) user(id, to string) desk.Record {
	all := u.users[to]
	return all[slices.IndexFunc(all, func(r desk.Record) bool { return r.ID == id })]
}

// lost leaves of the fields that a change set those in which an account lost a reference, as by a deletion or a merge
// of another record. What else it says happened.
func lost(r desk.Revision, changed map[string]json.RawMessage) error {
	before, err := refsOf(r.Before)
	if err != nil {
		return err
	}
	after, err := refsOf(r.After)
	if err != nil {
		return err
	}
	maps.DeleteFunc(changed, func(field string, _ json.RawMessage) bool {
		return !slices.ContainsFunc(before, func(ref desk.Ref) bool {
			in, _, _ := strings.Cut(ref.Field, ".")
			return in == field && !slices.Contains(after, ref)
		})
	})
	return nil
}

// revert plans that the fields which a change set have again the values from before it, where they
// have still the ones that it gave them.
func (u *undo) revert(r desk.Revision, now desk.Record) error {
	changed, err := difference(r.After, r.Before) // field → its value before
	if err != nil || len(changed) == 0 {
		return err
	}
	if r.After.Kind.Account() {
		if err := lost(r, changed); err != nil {
			return err
		}
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
	if err := u.succeeded(now, changed); err != nil || len(changed) == 0 {
		return err
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
	return u.along(now, next)
}

// succeeded leaves out of the fields of a record, of whose kind one counts, that it would count again beside one that took
// its place since.
func (u *undo) succeeded(now desk.Record, changed map[string]json.RawMessage) error {
	current := now.Kind.Current()
	if current == "" || string(changed["status"]) != `"`+current+`"` {
		return nil
	}
	p, err := u.store.Records(u.ctx, Query{Project: u.project, Kind: now.Kind, Status: current, Limit: All})
	if slices.ContainsFunc(p.Records, func(r desk.Record) bool { return r.ID != now.ID && !u.made[r.ID] }) {
		delete(changed, "status")
	}
	return err
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

// compare says what the plan changes.
func (u *undo) compare() error {
	for _, id := range u.order {
		if gone(u.first[id]) && gone(u.now[id]) {
			continue
		}
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
