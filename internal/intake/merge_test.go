package intake

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/extract"
)

// TestDifference_KeepsWhatAPersonWrote plays random edits of the source and of the ticket
// between imports: no value that a person wrote is overwritten unasked, and what only the
// source changed is taken.
func TestDifference_KeepsWhatAPersonWrote(t *testing.T) {
	t.Parallel()
	table := &export{TicketTable: extract.TicketTable{Mapping: map[string]string{}}}
	for _, f := range comparedFields {
		for _, c := range f.columns {
			table.Mapping[c] = c
		}
	}
	body := func(t *rapid.T, name string) *desk.TicketBody {
		word := func(field string) string { return rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, name+field) }
		b := &desk.TicketBody{
			Title: "T", Description: word("description"), Reporter: word("reporter"), Sprint: word("sprint"), Status: rapid.SampledFrom(desk.TicketStatuses()).Draw(t, name+"status"),
			StoryPoints: rapid.SampledFrom([]*float64{nil, new(0.0), new(1.0)}).Draw(t, name+"points"), Labels: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.ID).Draw(t, name+"labels"),
		}
		if err := b.Check(); err != nil {
			t.Fatal(err)
		}
		return b
	}
	rapid.Check(t, func(t *rapid.T) {
		source := body(t, "first ")
		ticket := *source
		ticket.Imported = said(nil, source, extract.TicketRow{}, table)
		byHand := make(map[string]bool)
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			if rapid.Bool().Draw(t, "a person edits") {
				edit := body(t, "edit ")
				for _, f := range comparedFields {
					if f.list == nil && f.text(edit) != f.text(&ticket) && rapid.Bool().Draw(t, f.name) {
						f.take(&ticket, edit, "")
						byHand[f.name] = true
					}
				}
			}
			next := body(t, "source ")
			before := ticket
			for _, f := range comparedFields {
				c, ok := f.difference(&held{}, &before, next)
				if ok && !c.Conflict {
					f.take(&ticket, next, before.Imported[f.name])
				}
				if f.list != nil {
					continue
				}
				was, is, says := f.text(&before), f.text(&ticket), f.text(next)
				changed := f.text(source) != says
				switch {
				case byHand[f.name] && is != was && was != f.text(source):
					t.Fatalf("%s: what a person wrote, %q, became %q", f.name, was, is)
				case !byHand[f.name] && is != says && !c.Conflict && changed:
					t.Fatalf("%s: the source says %q, the ticket %q", f.name, says, is)
				case byHand[f.name] && changed && was != says && was != f.text(source) && !c.Conflict:
					t.Fatalf("%s: %q here, %q in the source, and nobody is asked", f.name, was, says)
				}
			}
			ticket.Imported, source = said(before.Imported, next, extract.TicketRow{}, table), next
		}
	})
}

func TestMerged_Lists(t *testing.T) {
	t.Parallel()
	base := digests([]string{"a", "b"})
	for name, c := range map[string]struct{ mine, theirs, want []string }{
		"nothing changed":           {[]string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}},
		"added on both sides":       {[]string{"a", "b", "c"}, []string{"a", "b", "d"}, []string{"a", "b", "c", "d"}},
		"taken out here":            {[]string{"b"}, []string{"a", "b"}, []string{"b"}},
		"dropped by the source":     {[]string{"a", "b", "c"}, []string{"b"}, []string{"b", "c"}},
		"taken out, and put in new": {[]string{"b"}, []string{"a", "b", "c"}, []string{"b", "c"}},
	} {
		if got := merged(base, c.mine, c.theirs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestOwnerChoice_KeepsWhomAPersonChose(t *testing.T) {
	t.Parallel()
	base := ownerSaid("Ann", []string{"res_1"})
	ann, bo := share{"res_1", true}, share{"res_2", false}
	for name, c := range map[string]struct {
		shares     []share
		base, cell string
		come, gone []string
		want       choice
	}{
		"nothing to do":                     {[]share{ann}, base, "Ann", nil, nil, keeps},
		"the source changed":                {[]share{ann}, base, "Cy", []string{"Cy"}, []string{"res_1"}, takes},
		"a person took it away":             {nil, base, "Ann", []string{"Ann"}, nil, keeps},
		"both changed":                      {[]share{bo}, base, "Cy", []string{"Cy"}, nil, asks},
		"never imported, nobody does it":    {nil, "", "Cy", []string{"Cy"}, nil, takes},
		"never imported, a person assigned": {[]share{bo}, "", "Cy", []string{"Cy"}, nil, asks},
	} {
		if got := ownerChoice(&held{shares: c.shares}, c.base, c.cell, c.come, c.gone); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestStock_AnUnreadableCellIsNotSaid holds that a cell that cannot be read changes nothing, and that an empty one clears what the last import said.
func TestStock_AnUnreadableCellIsNotSaid(t *testing.T) {
	t.Parallel()
	read := func(cells ...string) (extract.TicketRow, *desk.TicketBody, *export) {
		got, ok := extract.Tickets([]string{"Issue key", "Summary", "Status", "Priority", "Story Points", "Due Date"}, []extract.Row{{Line: 2, Cells: append([]string{"A-1", "Pay"}, cells...)}})
		if !ok {
			t.Fatal("not read")
		}
		return got.Tickets[0], ticketOf(got.Tickets[0]), newExport(got, "")
	}
	row, was, table := read("In Progress", "High", "5", "2026-12-01")
	if err := was.Check(); err != nil {
		t.Fatal(err)
	}
	was.Imported = said(nil, was, row, table)
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"the same":   {[]string{"In Progress", "High", "5", "2026-12-01"}, ""},
		"unreadable": {[]string{"Odd", "Odd", "five", "31/Feb/26"}, ""},
		"empty":      {[]string{"In Progress", "High", "", ""}, "storyPoints 5→, dueDate 2026-12-01→"},
		"another":    {[]string{"In Progress", "Odd", "8", "31/Feb/26"}, "storyPoints 5→8"},
	} {
		row, now, table := read(c.cells...)
		if err := now.Check(); err != nil {
			t.Fatal(err)
		}
		fields, err := (&stock{}).differences(&held{id: "tkt_1"}, was, row, now, table)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range fields {
			got = append(got, f.Field+" "+f.Before+"→"+f.After)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q; problems %q", name, got, c.want, table.Problems)
		}
		if again := said(was.Imported, now, row, table); name == "unreadable" && !maps.Equal(again, was.Imported) {
			t.Errorf("%s: the last import said %v, now %v", name, was.Imported, again)
		}
	}
}
