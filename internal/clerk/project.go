package clerk

import (
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/fault"
)

// RemoveProject plans the deletion of the work's project with all its records, and
// counts them by kind.
func (w *Work) RemoveProject() (map[desk.Kind]int, error) {
	project, err := w.Get(desk.Project, w.project)
	if err != nil {
		return nil, err
	}
	took, err := w.EmptyProject()
	if err == nil {
		w.drop(project)
	}
	return took, err
}

// EmptyProject plans the deletion of all records of the work's project, and counts them by
// kind.
func (w *Work) EmptyProject() (map[desk.Kind]int, error) {
	records, err := Every(w.ctx, w.store, Query{Project: w.project})
	if err != nil {
		return nil, err
	}
	took := make(map[desk.Kind]int)
	for _, r := range records {
		if r.Kind != desk.Project {
			w.drop(r)
			took[r.Kind]++
		}
	}
	return took, nil
}

// end plans that the project which the act brought back is deleted again, with what the act brought back in it. What was made there
// since, or changed, is not deleted by an undo: that is a fault.Conflict.
func (u *undo) end(act []desk.Revision) error {
	back := make(map[string]desk.Record, len(act))
	for _, r := range act {
		back[r.After.ID] = r.After
	}
	records, err := Every(u.ctx, u.store, Query{Project: u.project})
	if err != nil {
		return err
	}
	for _, r := range records {
		was, ok := back[r.ID]
		if ok {
			patch, err := difference(r, was)
			if err != nil {
				return err
			}
			ok = len(patch) == 0
		}
		if !ok && !r.Kind.Derived() && !r.Kind.Account() {
			s, err := desk.Summarize(r)
			if err != nil {
				return err
			}
			return fault.New(fault.Conflict, "The %s %q was made or changed since the project came back, so that is not taken back. To delete the project as it is now: chela project delete.", r.Kind.Word(), s.Title)
		}
		u.drop(r)
	}
	return nil
}

// dropped are the fields that belong to the project that was copied and not to its
// copy: how far it is, when, and where it came from.
var dropped = []string{
	"status", "coveragePercent", "startDate", "endDate", "targetDate", "actualDate", "dueDate", "externalRef", "externalCreated", "externalResolved",
	"lastExternalSync", "sources", "evidence", "reporter", "sprint",
}

// A Copying says how a project is copied. The zero value takes everything along that a
// copy can have.
type Copying struct {
	Template bool        // the copy is a template for further ones
	Without  []desk.Kind // kinds that are left out
}

func (c Copying) check() error {
	copied := desk.Copied()
	for _, k := range c.Without {
		if !slices.Contains(copied, k) {
			names := make([]string, len(copied))
			for i, k := range copied {
				names[i] = string(k)
			}
			return fault.BadField("without", "A copy does not take records of the kind "+string(k)+" along.", names...)
		}
	}
	return nil
}

// CopyProject plans a new project that begins as another is made: its phases,
// milestones, checklists with their templates, objectives, tickets and links, nothing
// of them done and nobody assigned.
func (w *Work) CopyProject(from, name string, how Copying) (desk.Record, error) {
	if err := how.check(); err != nil {
		return desk.Record{}, err
	}
	source, err := w.store.Record(w.ctx, from)
	if err != nil || source.Kind != desk.Project || source.Deleted {
		return source, fault.New(fault.NotFound, "The project %s does not exist.", from)
	}
	body, err := desk.Open[desk.ProjectBody](source)
	if err != nil {
		return source, err
	}
	body.Name, body.Status = name, desk.ProjectActive
	if how.Template {
		body.Status = desk.ProjectTemplate
	}
	project, err := Add(w, desk.Project, &body)
	if err != nil {
		return project, err
	}
	w.project = project.ID
	made := make(map[string]string) // the original's id → the copy's
	var originals []desk.Record
	for _, k := range desk.Copied() {
		if slices.Contains(how.Without, k) {
			continue
		}
		records, err := Every(w.ctx, w.store, Query{Project: from, Kind: k})
		if err != nil {
			return project, err
		}
		for _, r := range records {
			raw, err := copyOf(r, made)
			if err != nil {
				return project, err
			}
			end := w.taking(r)
			c, err := w.Create(k, raw)
			end()
			if err != nil {
				return project, err
			}
			made[r.ID] = c.ID
			originals = append(originals, r)
		}
	}
	for _, r := range originals { // what refers to a later one
		raw, err := copyOf(r, made)
		if err != nil {
			return project, err
		}
		if _, err := w.Patch(r.Kind, made[r.ID], raw); err != nil {
			return project, err
		}
	}
	return project, nil
}

// copyOf returns the body of r as a copy has it: it refers to copies, and to nothing
// that has none.
func copyOf(r desk.Record, made map[string]string) (json.RawMessage, error) {
	s, err := desk.Summarize(r)
	if err != nil {
		return nil, err
	}
	var body any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil, fmt.Errorf("read %s: %w", r.ID, err)
	}
	for _, ref := range s.Refs {
		body = replaced(body, ref.ID, made[ref.ID])
	}
	if fields, ok := body.(map[string]any); ok {
		for _, f := range slices.Concat(dropped, r.Kind.Witnessed()) {
			delete(fields, f)
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", r.ID, err)
	}
	if !desk.Begin(r.Kind.Zero()) {
		return raw, nil
	}
	thing, err := desk.Parse(r.Kind, raw)
	if err != nil {
		return nil, err
	}
	desk.Begin(thing)
	if raw, err = json.Marshal(thing); err != nil {
		return nil, fmt.Errorf("write %s: %w", r.ID, err)
	}
	return raw, nil
}
