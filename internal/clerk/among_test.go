package clerk_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
)

// busy is a source in which more changed than it says at once.
type busy struct {
	clerk.Source
	is bool
}

func (b *busy) Changed(ctx context.Context, project string, after int64, limit int) (clerk.Changes, error) {
	c, err := b.Source.Changed(ctx, project, after, limit)
	c.More = c.More || b.is
	return c, err
}

// TestNarrow_KnowsWhatIsKept asks a list for a text of its records: they are not read for it when nobody looked at the project, nor
// when so much changed that it would have to be read anew; else what is found is what there is now.
func TestNarrow_KnowsWhatIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := &busy{Source: w.db.Desk}
	cache := clerk.NewCache(source)
	first := w.make(desk.Ticket, `{"title":"A","description":"The Refund is late."}`)
	second := w.make(desk.Ticket, `{"title":"B"}`)
	none := w.make(desk.Ticket, `{"title":"D"}`)
	third := w.make(desk.Ticket, `{"title":"E"}`)
	w.make(desk.Idea, `{"title":"C","content":"A refund."}`)
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := query.Parse(`open:true -(description:~refund OR status:DONE)`, fields, w.db.Mint().Now())
	if err != nil {
		t.Fatal(err)
	}
	ask := clerk.Query{Project: w.project, Kind: desk.Ticket, Where: filter}
	want := func(when string, ids ...string) {
		t.Helper()
		but := when == "most have it"
		got, err := cache.Narrow(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if got.Where.String() != filter.String() {
			t.Errorf("%s: it reads as %s, want %s", when, got.Where, filter)
		}
		known, ok := got.Where.(query.And)[1].(query.Not).Of.(query.Or)[0].(query.Among)
		if ok != (ids != nil) || !slices.Equal(known.IDs, ids) || known.But != but {
			t.Errorf("%s: it is known of %v, %v, of all others %v; want of %v", when, known.IDs, ok, known.But, ids)
		}
	}
	want("nobody looked")
	want("nor did anybody now")
	if project := <-cache.Wanted(); project != w.project {
		t.Errorf("wanted is %s, want %s", project, w.project)
	}
	select {
	case project := <-cache.Wanted():
		t.Errorf("%s is wanted twice", project)
	default:
	}
	if _, err := cache.Get(t.Context(), w.project); err != nil {
		t.Fatal(err)
	}
	want("somebody looked", first)
	w.patch(desk.Ticket, second, `{"description":"refunds"}`)
	want("another has it, too", first, second)
	w.patch(desk.Ticket, third, `{"description":"refund"}`)
	want("most have it", none)
	w.patch(desk.Ticket, third, `{"description":null}`)
	source.is = true
	want("too much changed")
	source.is = false
	w.patch(desk.Ticket, first, `{"description":""}`)
	want("the first has it no more", second)
	many, err := query.Parse(`description:~a OR description:~b OR description:~c OR description:~d OR description:~e`, fields, w.db.Mint().Now())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cache.Narrow(t.Context(), clerk.Query{Project: w.project, Kind: desk.Ticket, Where: many}); err != nil || !reflect.DeepEqual(got.Where, many) {
		t.Errorf("many texts are looked for as %#v, %v, want as they were asked for", got.Where, err)
	}
}
