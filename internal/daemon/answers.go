package daemon

import (
	"context"

	"chela/internal/ask"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/org"
)

// fromRecords implements [router.Records]: it answers who may read, as `chela ask` does, of the conversation's project or of the only one there is.
func (d *Daemon) fromRecords(ctx context.Context, by event.Party, project, text string) (answer string, whole bool, err error) {
	if d.models.Ready() {
		return "", false, nil
	}
	role, err := d.db.Roster.RoleOf(ctx, by)
	if err != nil || !role.AtLeast(org.Viewer) {
		return "", false, err
	}
	q := ask.Question{Project: project, Text: text, By: by}
	if by.Key != "" {
		k, err := d.db.Roster.Key(ctx, by.Key)
		if err != nil || k.Project != "" && project != "" && project != k.Project {
			return "", false, err
		}
		if k.Project != "" {
			q.Project, q.Unnamed = k.Project, true
		}
	}
	if q.Project == "" {
		all, err := d.db.Directory.Projects(ctx)
		if err != nil || len(all) != 1 {
			return "", false, err
		}
		q.Project = all[0].ID
	}
	people, err := d.db.People.Persons(ctx)
	if err != nil {
		return "", false, err
	}
	for _, p := range people {
		if p.ID == org.PersonOf(by) {
			q.Asker = p.Name
		}
	}
	hits, err := d.memory.Recall(ctx, memory.Reader{Person: org.PersonOf(by), Project: q.Project}, memory.Question{Text: text, Scopes: []string{desk.ForAll, desk.ForProject}, Strong: true})
	if err != nil {
		return "", false, err
	}
	for _, h := range hits {
		q.Recalled = append(q.Recalled, h.Source)
	}
	r, err := d.asker.Reply(ctx, q)
	if fault.KindOf(err) == fault.NotFound { // the project is gone
		return "", false, nil
	}
	return r.Text, r.Whole, err
}

// recordsByClock answers what a schedule asks, while no model can.
func (d *Daemon) recordsByClock(ctx context.Context, by event.Party, project, text string) (string, error) {
	answer, _, err := d.fromRecords(ctx, by, project, text)
	return answer, err
}
