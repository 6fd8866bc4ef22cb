// Package findings keeps what rules find about a project true: where records disagree, as the newest
// delta pack, and what nobody looks at, as blindspots. [Record] plans them, after an intake and, by a
// [Keeper], whenever records change.
package findings

import (
	"context"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/flow"
)

// rule is the source of what is found.
const rule = "rule:drift"

// A Survey is what the rules read of a project.
type Survey struct {
	clerk.Staffing
	Objectives []flow.Objective
	Plan       flow.Plan
	Threads    []drift.Thread
}

// Read surveys a project, without the texts that no rule looks at.
func Read(ctx context.Context, s clerk.Store, project string) (*Survey, error) {
	var out Survey
	return &out, clerk.EachEntry(ctx, s, project, func(e clerk.Entry) error {
		if t, ok := e.Thing.(*desk.TicketBody); ok {
			t.Description, t.Evidence, t.EvidenceLinks, t.Sources, t.Imported = "", nil, nil, nil, nil
		}
		out.add(e)
		return nil
	}, clerk.BoardKinds()...)
}

func (s *Survey) add(e clerk.Entry) {
	switch t := e.Thing.(type) {
	case *desk.ObjectiveBody:
		s.Objectives = append(s.Objectives, flow.Objective{ID: e.ID, ObjectiveBody: *t})
	case *desk.ThreadBody:
		s.Threads = append(s.Threads, drift.Thread{ID: e.ID, ThreadBody: *t})
	}
	s.Plan.Add(e.ID, e.Thing)
	s.Add(e)
}

// Desk is the survey as the rules read it; they are told the time.
func (s *Survey) Desk() drift.Desk {
	return drift.Desk{Tickets: s.Tickets, Touched: s.Touched, Objectives: s.Objectives, Plan: s.Plan, Threads: s.Threads, People: s.People, Shares: s.Shares}
}

// An Occasion says why it was looked.
type Occasion struct {
	Title    string   // of the delta pack
	Compared []string // what was compared
	Run      string   // empty for none
	Source   desk.Source
}

// Record plans what was found: a delta pack that takes the place of the newest one, when that says
// something else, with what somebody read and put there; and blindspots, of which those end that are
// none any more.
func Record(w *clerk.Work, found drift.Found, o Occasion) error {
	o.Source.By = rule
	before, err := newest(w)
	if err != nil {
		return err
	}
	for i := range found.Deltas {
		found.Deltas[i].By = rule
	}
	read := slices.DeleteFunc(slices.Clone(before.Deltas), func(d desk.Delta) bool { return d.By == rule })
	ruled := slices.DeleteFunc(slices.Clone(before.Deltas), func(d desk.Delta) bool { return d.By != rule })
	if !slices.Equal(sames(ruled), sames(found.Deltas)) {
		pack := &desk.DeltaPackBody{Title: o.Title, Compared: o.Compared, Deltas: append(slices.Clone(found.Deltas), read...), RunID: o.Run, Sources: []desk.Source{o.Source}}
		if _, err := clerk.Add(w, desk.DeltaPack, pack); err != nil {
			return err
		}
	}
	return blindspots(w, found.Blindspots, o.Source)
}

// newest is the delta pack that counts; an empty one when there is none.
func newest(w *clerk.Work) (b desk.DeltaPackBody, err error) {
	all, err := w.List(clerk.Query{Kind: desk.DeltaPack, Status: string(desk.PackFinal), Newest: true, Limit: 1})
	if err != nil || len(all) == 0 {
		return b, err
	}
	return desk.Open[desk.DeltaPackBody](all[0])
}

// sames are what tells findings from others, sorted. What somebody has changed a record for is none.
func sames(in []desk.Delta) []string {
	var out []string
	for _, d := range in {
		if d.Changed == "" {
			out = append(out, d.Same())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// blindspots plans those that were found, and the end of those that rules found before and now do not.
// What a person made of one stays, but that it is resolved when it is not.
func blindspots(w *clerk.Work, found []desk.BlindspotBody, source desk.Source) error {
	now := make(map[string]bool)
	for _, b := range found {
		b.Sources = []desk.Source{source}
		r, isNew, err := clerk.Ensure(w, desk.Blindspot, &b)
		if err != nil {
			return err
		}
		now[r.ID] = true
		if isNew {
			continue
		}
		_, err = clerk.Edit(w, desk.Blindspot, r.ID, func(old *desk.BlindspotBody) {
			old.Description, old.RecordIDs, old.Severity = b.Description, b.RecordIDs, b.Severity
			if old.Status == "RESOLVED" {
				old.Status, old.ResolvedAt = "OPEN", ""
			}
		})
		if err != nil {
			return err
		}
	}
	all, err := w.List(clerk.Query{Kind: desk.Blindspot, Status: "OPEN", Limit: clerk.All})
	if err != nil {
		return err
	}
	for _, r := range all {
		b, err := desk.Open[desk.BlindspotBody](r)
		if err != nil {
			return err
		}
		if now[r.ID] || !slices.ContainsFunc(b.Sources, func(s desk.Source) bool { return strings.HasPrefix(s.By, rule) }) {
			continue
		}
		if _, err := clerk.Edit(w, desk.Blindspot, r.ID, func(b *desk.BlindspotBody) { b.Status = "RESOLVED" }); err != nil {
			return err
		}
	}
	return nil
}
