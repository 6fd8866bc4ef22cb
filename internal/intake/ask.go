package intake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// ask notes the fields of a record that both the source and a person changed, for the reconciliation of the table.
func (r *recorder) ask(rec desk.Record, title string, fields []member) error {
	for _, f := range fields {
		set, err := json.Marshal(map[string]string{f.name: f.said})
		if err != nil {
			return fmt.Errorf("encode what the export says: %w", err)
		}
		if err := r.askOne(rec, title, FieldChange{Field: f.name, Before: f.mine, After: f.said, set: string(set)}); err != nil {
			return err
		}
	}
	return nil
}

// tell notes fields of a record that the source changed.
func (r *recorder) tell(rec desk.Record, title string, fields []member) {
	for _, f := range fields {
		noted(&r.p.told, rec)
		before, after := differing(f.mine, f.said)
		r.asked = append(r.asked, desk.Discord{TicketID: rec.ID, Title: clipped(title, shown), Field: f.name, Source: after, Ticket: before, Resolution: takenOver})
	}
}

// takenOver is what a reconciliation says of a field that an import changed.
const takenOver = "the source's value was taken"

func (r *recorder) askOne(rec desk.Record, title string, c FieldChange) error {
	seen, err := desk.Seen(rec.Body, c.set)
	if err != nil {
		return err
	}
	noted(&r.p.asked, rec)
	before, after := differing(c.Before, c.After)
	r.asked = append(r.asked, desk.Discord{TicketID: rec.ID, Title: clipped(title, shown), Field: c.Field, Source: after, Ticket: before, Asked: true, Set: c.set, Seen: seen})
	return nil
}

// otherParts is what of an export a reconciliation of its own compares.
const otherParts = "links, sprints and milestones"

// answerable makes a reconciliation of what was noted. It is one of its own, for that of the tickets may be applied.
func (r *recorder) answerable(t *export, what string) error {
	if len(r.asked) == 0 {
		return nil
	}
	b, err := r.reconciliation(t)
	if err != nil {
		return err
	}
	b.Conflicts, b.Part = r.asked, b.Part+", "+what
	if slices.ContainsFunc(r.asked, func(d desk.Discord) bool { return d.Asked }) {
		b.Status = desk.ReconciliationReviewed
	}
	rec, isNew, err := clerk.Ensure(r.w, desk.Reconciliation, b)
	if err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Reconciliation, rec.ID, func(was *desk.ReconciliationBody) { // an attempt that died began it
		for _, c := range r.asked {
			if !slices.ContainsFunc(was.Conflicts, func(x desk.Discord) bool { return x.TicketID == c.TicketID && x.Field == c.Field }) {
				was.Conflicts = append(was.Conflicts, c)
			}
		}
	})
	return err
}

// reconciliation is one of a table of the document, as yet without what it found.
func (r *recorder) reconciliation(t *export) (*desk.ReconciliationBody, error) {
	b := &desk.ReconciliationBody{
		SourceType: strings.ToUpper(string(t.Source)) + "_EXPORT", IntakeID: r.p.id, Part: strings.TrimSpace(r.src.doc.Name + " " + t.sheet), Status: desk.ReconciliationApplied,
		Sources: []desk.Source{{Document: r.src.doc.Name, Artifact: r.src.doc.Artifact, Intake: r.p.id, By: importRule}},
	}
	if t.Source == extract.Jira {
		b.SourceType = "JIRA_DUMP"
	}
	up, ok, err := r.w.Find(desk.Upload, desk.Identity(&desk.UploadBody{Artifact: r.src.doc.Artifact}))
	if err == nil && ok {
		b.UploadID = up.ID
	}
	return b, err
}
