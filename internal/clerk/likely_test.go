package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
)

func TestLikely_ProposesPeopleOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		people []string // a name, and an e-mail address behind a "|"
		want   []string
	}{
		"a handle":                {[]string{"dreyes", "Dana Reyes"}, []string{"Dana Reyes = dreyes: handle"}},
		"an account":              {[]string{"Dana Reyes", "dana.reyes"}, []string{"Dana Reyes = dana.reyes: handle"}},
		"an address":              {[]string{"Dana Reyes", "dana.reyes@acme.io"}, []string{"Dana Reyes = dana.reyes@acme.io: handle"}},
		"the last name first":     {[]string{"Reyes, Dana", "Dana Reyes"}, []string{"Dana Reyes = Reyes, Dana: last name"}},
		"the same address":        {[]string{"Dana Reyes|d@acme.io", "D. R.|D@acme.io"}, []string{"Dana Reyes = D. R.: e-mail"}},
		"an address as a name":    {[]string{"d@acme.io", "Dana Reyes|d@acme.io"}, []string{"Dana Reyes = d@acme.io: e-mail"}},
		"all at once":             {[]string{"Dana Reyes", "dreyes", "dana.reyes@acme.io", "Reyes, Dana", "Bo Kim"}, []string{"Dana Reyes = dreyes: handle", "Dana Reyes = dana.reyes@acme.io: handle", "Dana Reyes = Reyes, Dana: last name"}},
		"accents":                 {[]string{"Jörg Ärger", "jaerger"}, []string{"Jörg Ärger = jaerger: handle"}},
		"a handle of two people":  {[]string{"Dana Reyes", "Dora Reyes", "dreyes"}, nil},
		"another handle":          {[]string{"Dana Reyes", "mreyes", "dr"}, nil},
		"two of one last name":    {[]string{"Dana Reyes", "Maria Reyes"}, nil},
		"a first name":            {[]string{"Dana Reyes", "Dana"}, nil},
		"addresses that differ":   {[]string{"Dana Reyes|d@acme.io", "Bo Kim|b@acme.io"}, nil},
		"a middle name":           {[]string{"Dana M. Reyes", "dreyes"}, []string{"Dana M. Reyes = dreyes: handle"}},
		"a name in full for each": {[]string{"Dana Reyes", "Dana M. Reyes"}, nil},
	} {
		w := newWorld(t)
		for _, p := range c.people {
			called, mail, _ := strings.Cut(p, "|")
			raw, err := json.Marshal(map[string]string{"name": called, "email": mail})
			if err != nil {
				t.Fatal(err)
			}
			w.make(desk.Resource, string(raw))
		}
		var got []string
		w.must(func(c *clerk.Work) error {
			all, err := c.Likely()
			for _, a := range all {
				why := map[bool]string{strings.Contains(a.Why, "handle"): "handle", strings.Contains(a.Why, "last name"): "last name", strings.Contains(a.Why, "e-mail"): "e-mail"}[true]
				got = append(got, a.Name+" = "+a.Called+": "+why)
			}
			return err
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMergeInto_APersonGoesByAllNames: whoever is merged into another is found by each of their names from then on.
func TestMergeInto_APersonGoesByAllNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, handle := w.make(desk.Resource, `{"name":"Dana Reyes"}`), w.make(desk.Resource, `{"name":"dreyes","email":"dana@acme.io","skills":["go"],"aliases":["DR"]}`)
	ticket := w.make(desk.Ticket, `{"title":"One","owner":"dreyes"}`)
	w.must(func(c *clerk.Work) error {
		_, err := c.MergeInto(dana, []string{handle, handle, dana})
		return err
	})
	b := open[desk.ResourceBody](w, dana)
	if want := []string{"DR", "dreyes"}; !slices.Equal(slices.Sorted(slices.Values(b.Aliases)), want) || b.Email != "dana@acme.io" || !slices.Equal(b.Skills, []string{"go"}) {
		t.Errorf("it is %+v", b)
	}
	for _, name := range []string{"dreyes", "DREYES", "dana@acme.io", "DR", "Dana"} {
		w.must(func(c *clerk.Work) error {
			r, made, err := c.Person(name, nil)
			if r.ID != dana || made {
				t.Errorf("%q is %s, made %v", name, r.ID, made)
			}
			return err
		})
	}
	owners, err := clerk.Owners(t.Context(), w.db.Desk, w.project, []desk.Record{{ID: ticket}})
	if err != nil || owners[ticket].Line() != "Dana Reyes" {
		t.Errorf("the ticket is of %q: %v", owners[ticket].Line(), err)
	}
	for name, c := range map[string]struct {
		into   string
		others []string
		kind   fault.Kind
	}{
		"it is merged already": {dana, []string{handle}, fault.Conflict},
		"another kind":         {dana, []string{ticket}, fault.NotFound},
		"nobody":               {dana, nil, fault.Invalid},
		"nothing":              {"res_none", []string{dana}, fault.NotFound},
	} {
		if err := w.do(func(k *clerk.Work) error {
			_, err := k.MergeInto(c.into, c.others)
			return err
		}); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, fmt.Sprint(err))
		}
	}
}
