package intake

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// A held checklist is one that a project has of a ticket.
type heldList struct {
	id   string
	list string // the hash of the name that its source gives it
}

// listOf names a checklist among those of its ticket.
func listOf(c extract.Checklist) string { return digest("list " + c.Name) }

// checklists makes records of what the rows list to be checked, or brings them up to date. ids are
// those of the rows.
func (r *recorder) checklists(rows []extract.TicketRow, ids []string) error {
	for i, row := range rows {
		times := make(map[string]int)
		for _, c := range row.Checklists {
			if times[c.Name]++; times[c.Name] > 1 {
				c.Name = fmt.Sprintf("%s (%d)", c.Name, times[c.Name])
			}
			if err := r.checklist(row, ids[i], c); err != nil {
				return fmt.Errorf("line %d: %w", row.Span.Line, err)
			}
		}
	}
	return nil
}

func (r *recorder) checklist(row extract.TicketRow, ticket string, c extract.Checklist) error {
	said := r.items(c)
	if at := slices.IndexFunc(r.stock.lists[ticket], func(h heldList) bool { return h.list == listOf(c) }); at >= 0 {
		_, err := clerk.Edit(r.w, desk.Checklist, r.stock.lists[ticket][at].id, func(b *desk.ChecklistBody) {
			b.Items = mergedItems(b.Imported["items"], b.Items, said)
			b.Imported = map[string]string{"list": listOf(c), "items": itemDigests(said)}
		})
		return err
	}
	name := strings.TrimSpace(row.Ref + " " + clipped(row.Title, 150))
	if c.Name != "" {
		name += ": " + clipped(c.Name, 100)
	}
	body := &desk.ChecklistBody{
		Name: name, TicketIDs: []string{ticket}, Items: said, Sources: r.source("checklists", row.Span),
		Imported: map[string]string{"list": listOf(c), "items": itemDigests(said)},
	}
	rec, isNew, err := clerk.Ensure(r.w, desk.Checklist, body)
	if err != nil {
		return err
	}
	if isNew, err = r.tally(rec, isNew); err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Checklist, rec.ID, func(b *desk.ChecklistBody) { // one of that name is there
		b.TicketIDs = union(b.TicketIDs, []string{ticket})
		b.Items = mergedItems(b.Imported["items"], b.Items, said)
		b.Imported = body.Imported
	})
	return err
}

// items are a checklist's items as the desk keeps them.
func (r *recorder) items(c extract.Checklist) []desk.Item {
	out := make([]desk.Item, len(c.Items))
	for i, x := range c.Items {
		out[i] = desk.Item{Text: x.Text, Checked: x.Done, Assignee: x.Assignee}
		if x.Ref != "" {
			out[i].TicketID = r.stock.refs[x.Ref]
		}
	}
	return out
}

func itemDigest(text string, checked bool) string { return digest(fmt.Sprint(checked, " ", text)) }

func itemDigests(items []desk.Item) string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = itemDigest(x.Text, x.Checked)
	}
	return strings.Join(out, ",")
}

// mergedItems are the items of a checklist with what the source changed since the last import: items that it added,
// checked, unchecked or took out. An item that a person took out does not come back.
func mergedItems(base string, mine, theirs []desk.Item) []desk.Item {
	had := strings.Split(base, ",")
	was := func(text string, checked bool) bool { return slices.Contains(had, itemDigest(text, checked)) }
	at := func(in []desk.Item, text string) int {
		return slices.IndexFunc(in, func(x desk.Item) bool { return x.Text == text })
	}
	out := make([]desk.Item, 0, len(mine))
	for _, x := range mine {
		i := at(theirs, x.Text)
		switch {
		case i < 0 && was(x.Text, x.Checked): // the source took it out, and nobody touched it here
			continue
		case i >= 0 && !was(x.Text, theirs[i].Checked):
			x.Checked = theirs[i].Checked
		}
		out = append(out, x)
	}
	for _, x := range theirs {
		if at(out, x.Text) < 0 && !was(x.Text, true) && !was(x.Text, false) {
			out = append(out, x)
		}
	}
	return out
}
