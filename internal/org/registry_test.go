package org_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// happened makes an event of a draft.
func happened[P any](k event.Kind[P], from event.Party, p P, at time.Time) event.Event {
	d := k.Draft(event.Place{Stream: event.OrgStream, From: from}, p)
	return event.Event{At: at, Message: d.Message}
}

func TestRegistry_Apply(t *testing.T) {
	t.Parallel()
	a := pm(t)
	sys := event.Party{AgentID: "agent:chela", Role: "system"}
	t0 := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := func(m org.Member, e event.Event) org.Member {
		t.Helper()
		next, err := org.Apply(m, e)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	m := step(org.Member{}, happened(org.UpdateKind, sys, org.Update{AgentID: "agent:pm", Status: org.Busy}, t0))
	if d := cmp.Diff(org.Member{}, m); d != "" {
		t.Errorf("an update made an agent that nobody registered: %s", d)
	}
	m = step(m, happened(org.RegisterKind, sys, org.Registration{Card: a.Card, Profile: &a.Profile}, t0))
	if d := cmp.Diff(org.Member{Agent: a, Status: org.Online, SeenAt: t0}, m); d != "" {
		t.Error(d)
	}
	changed, err := org.Patch(a, []byte(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	m = step(m, happened(org.UpdateKind, sys, org.Update{AgentID: "agent:pm", Profile: &changed.Profile, Status: org.Degraded}, t0.Add(time.Hour)))
	if m.Model != "m" || m.Status != org.Degraded || m.Card.Display.Name != a.Card.Display.Name || !m.SeenAt.Equal(t0.Add(time.Hour)) {
		t.Errorf("after the update: %+v", m)
	}
	beat := org.Heartbeat{Status: org.Busy, CurrentTasks: 2, Metrics: org.Metrics{TasksCompleted: 5}}
	if other := step(m, happened(org.HeartbeatKind, event.Party{AgentID: "agent:coder"}, beat, t0)); !cmp.Equal(m, other) {
		t.Error("another agent's heartbeat changed it")
	}
	if other := step(m, happened(org.UpdateKind, sys, org.Update{AgentID: "agent:coder", Status: org.Offline}, t0)); !cmp.Equal(m, other) {
		t.Error("another agent's update changed it")
	}
	if other := step(m, happened(org.RegisterKind, sys, org.Registration{Card: org.Card{AgentID: "agent:coder"}}, t0)); !cmp.Equal(m, other) {
		t.Error("another agent's registration changed it")
	}
	m = step(m, happened(org.HeartbeatKind, m.Card.AgentID.Party(), beat, t0.Add(2*time.Hour)))
	if m.Status != org.Busy || m.Beat == nil || m.Beat.CurrentTasks != 2 {
		t.Errorf("after the heartbeat: %+v", m)
	}
	outside := step(org.Member{}, happened(org.RegisterKind, sys, org.Registration{Card: org.Card{AgentID: "agent:ken"}, Status: org.Busy}, t0))
	if outside.Kind != org.Specialist || !outside.Enabled || len(outside.Tools) != 0 || len(outside.Permissions) != 0 || outside.Status != org.Busy {
		t.Errorf("an agent from outside: %+v", outside)
	}
	broken := happened(org.RegisterKind, sys, org.Registration{}, t0)
	broken.Message.Payload = []byte(`{"card":1}`)
	if _, err := org.Apply(m, broken); err == nil {
		t.Error("a payload that cannot be read is no error")
	}
}

func TestRegistry_HeartbeatCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		beat  org.Heartbeat
		field string
	}{
		"status":  {org.Heartbeat{Status: "fine"}, "status"},
		"tasks":   {org.Heartbeat{Status: org.Online, CurrentTasks: -1}, "current_tasks"},
		"metrics": {org.Heartbeat{Status: org.Online, Metrics: org.Metrics{TotalCost: -1}}, "metrics"},
	} {
		if got := field(t, c.beat.Check()); got != c.field {
			t.Errorf("%s: it blames %s, want %s", name, got, c.field)
		}
	}
	if err := (org.Heartbeat{Status: org.Degraded}).Check(); err != nil {
		t.Error(err)
	}
}

func TestRegistry_UpdateCheck(t *testing.T) {
	t.Parallel()
	a := pm(t)
	other, bad, nameless := a.Card, a.Card, a.Profile
	other.AgentID, bad.Display.Name, nameless.Prompt = "agent:coder", "", ""
	for name, c := range map[string]struct {
		update org.Update
		field  string
	}{
		"another's card": {org.Update{AgentID: "agent:pm", Card: &other}, "card.agent_id"},
		"bad card":       {org.Update{AgentID: "agent:pm", Card: &bad}, "card.display.name"},
		"bad profile":    {org.Update{AgentID: "agent:pm", Card: &a.Card, Profile: &nameless}, "prompt"},
		"status":         {org.Update{AgentID: "agent:pm", Status: "fine"}, "status"},
		"id":             {org.Update{AgentID: "pm"}, "card.agent_id"},
	} {
		if got := field(t, c.update.Check()); got != c.field {
			t.Errorf("%s: it blames %s, want %s", name, got, c.field)
		}
	}
	if err := (org.Update{AgentID: "agent:pm", Card: &a.Card, Profile: &a.Profile, Status: org.Busy}).Check(); err != nil {
		t.Error(err)
	}
	m, err := org.Apply(org.Member{Agent: a}, happened(org.UpdateKind, event.Party{}, org.Update{AgentID: "agent:pm", Card: &other}, time.Time{}))
	if err != nil || m.Card.AgentID != "agent:pm" {
		t.Errorf("an update made it %s, %v", m.Card.AgentID, err)
	}
}

func TestRegistry_Parties(t *testing.T) {
	t.Parallel()
	p := org.Person{ID: "per_1"}
	if got := p.Party(); got != (event.Party{AgentID: "agent:person/per_1", Role: "person"}) {
		t.Errorf("a person speaks as %+v", got)
	}
	if org.PersonOf(p.Party()) != "per_1" || org.AgentOf(p.Party()) != "" {
		t.Error("the way back from a person does not lead there")
	}
	a := org.AgentID("agent:pm")
	if org.AgentOf(a.Party()) != a || org.PersonOf(a.Party()) != "" || a.Name() != "pm" {
		t.Error("the way back from an agent does not lead there")
	}
	if org.AgentOf(event.Party{AgentID: "group:all"}) != "" {
		t.Error("a group is an agent")
	}
}

func TestRegistry_Roles(t *testing.T) {
	t.Parallel()
	roles := []org.Role{org.Owner, org.Admin, org.Editor, org.Viewer}
	for i, have := range roles {
		for j, least := range roles {
			if got, want := have.AtLeast(least), i <= j; got != want {
				t.Errorf("%s.AtLeast(%s) = %v", have, least, got)
			}
		}
		for _, none := range []org.Role{"", "root", "Owner"} {
			if have.AtLeast(none) || none.AtLeast(have) || none.AtLeast(none) {
				t.Errorf("%q is comparable with %s", none, have)
			}
		}
		if err := have.Check(); err != nil {
			t.Error(err)
		}
	}
	if got := field(t, org.Role("root").Check()); got != "role" {
		t.Errorf("it blames %s", got)
	}
}

func ptr[T any](v T) *T { return &v }

func TestRegistry_PersonRules(t *testing.T) {
	t.Parallel()
	ann := org.Person{ID: "per_ann", Name: "Ann", Role: org.Owner, Enabled: true, Identities: []string{"email:ann@example.com"}}
	bob := org.Person{ID: "per_bob", Name: "Bob", Role: org.Owner, Enabled: false}
	cem := org.Person{ID: "per_cem", Name: "Cem", Role: org.Admin, Enabled: true}
	all := []org.Person{ann, bob, cem}
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"demote the last owner":  {org.CheckChange(all, org.PersonChanged{ID: "per_ann", Role: ptr(org.Admin)}), fault.Conflict},
		"disable the last owner": {org.CheckChange(all, org.PersonChanged{ID: "per_ann", Enabled: ptr(false)}), fault.Conflict},
		"nobody":                 {org.CheckChange(all, org.PersonChanged{ID: "per_x"}), fault.NotFound},
		"no role":                {org.CheckChange(all, org.PersonChanged{ID: "per_cem", Role: ptr(org.Role("root"))}), fault.Invalid},
		"no name":                {org.CheckChange(all, org.PersonChanged{ID: "per_cem", Name: ptr(" ")}), fault.Invalid},
		"somebody else's":        {org.CheckLink(all, org.Identity{Person: "per_cem", Identity: "email:ann@example.com"}), fault.Conflict},
		"link of nobody":         {org.CheckLink(all, org.Identity{Person: "per_x", Identity: "email:x@example.com"}), fault.NotFound},
		"no channel":             {org.CheckLink(all, org.Identity{Person: "per_cem", Identity: "cem"}), fault.Invalid},
		"blanks":                 {org.CheckLink(all, org.Identity{Person: "per_cem", Identity: "email:c m"}), fault.Invalid},
		"id":                     {org.PersonAdded{ID: "ann", Name: "Ann", Role: org.Viewer}.Check(), fault.Invalid},
		"nameless":               {org.PersonAdded{ID: "per_1", Role: org.Viewer}.Check(), fault.Invalid},
		"roleless":               {org.PersonAdded{ID: "per_1", Name: "Ann"}.Check(), fault.Invalid},
	} {
		if c.err == nil || fault.KindOf(c.err) != c.kind {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	for name, err := range map[string]error{
		"demote with another owner": org.CheckChange([]org.Person{ann, {ID: "per_dee", Role: org.Owner, Enabled: true}}, org.PersonChanged{ID: "per_ann", Role: ptr(org.Viewer)}),
		"rename":                    org.CheckChange(all, org.PersonChanged{ID: "per_ann", Name: ptr("Anna")}),
		"enable":                    org.CheckChange(all, org.PersonChanged{ID: "per_bob", Enabled: ptr(true)}),
		"link again":                org.CheckLink(all, org.Identity{Person: "per_ann", Identity: "email:ann@example.com"}),
		"link":                      org.CheckLink(all, org.Identity{Person: "per_cem", Identity: "slack:T1/U2"}),
		"add":                       org.PersonAdded{ID: "per_1", Name: "Ann", Role: org.Viewer}.Check(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever changes are tried in whatever order, an owner who can act remains and
// every identity leads to one person.
func TestRegistry_PersonsStayGoverned(t *testing.T) {
	t.Parallel()
	sys := event.Party{AgentID: "agent:chela", Role: "system"}
	rapid.Check(t, func(t *rapid.T) {
		var all []org.Person
		ids := []string{"per_a", "per_b", "per_c"}
		apply := func(e event.Event) {
			next, err := org.ApplyPerson(all, e)
			if err != nil {
				t.Fatal(err)
			}
			all = next
		}
		for i, id := range ids {
			role := org.Viewer
			if i == 0 {
				role = org.Owner
			}
			apply(happened(org.PersonAddedKind, sys, org.PersonAdded{ID: id, Name: id, Role: role}, time.Time{}))
		}
		id := rapid.SampledFrom(ids)
		identity := rapid.SampledFrom([]string{"email:x@y", "slack:1", "slack:2"})
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				c := org.PersonChanged{ID: id.Draw(t, "who")}
				if rapid.Bool().Draw(t, "of role") {
					c.Role = ptr(rapid.SampledFrom([]org.Role{org.Owner, org.Admin, org.Editor, org.Viewer}).Draw(t, "role"))
				} else {
					c.Enabled = ptr(rapid.Bool().Draw(t, "enabled"))
				}
				if org.CheckChange(all, c) == nil {
					apply(happened(org.PersonChangedKind, sys, c, time.Time{}))
				}
			},
			"link": func(t *rapid.T) {
				link := org.Identity{Person: id.Draw(t, "who"), Identity: identity.Draw(t, "identity")}
				if org.CheckLink(all, link) == nil {
					apply(happened(org.LinkedKind, sys, link, time.Time{}))
				}
			},
			"unlink": func(t *rapid.T) {
				apply(happened(org.UnlinkedKind, sys, org.Identity{Person: id.Draw(t, "who"), Identity: identity.Draw(t, "identity")}, time.Time{}))
			},
			"": func(t *rapid.T) {
				owners, seen := 0, make(map[string]bool)
				for _, p := range all {
					if p.Role == org.Owner && p.Enabled {
						owners++
					}
					for _, i := range p.Identities {
						if seen[i] {
							t.Fatalf("%s is linked twice", i)
						}
						seen[i] = true
					}
				}
				if owners == 0 {
					t.Fatal("nobody is owner")
				}
			},
		})
	})
}

func TestRegistry_ApplyPersonLeavesItsInput(t *testing.T) {
	t.Parallel()
	sys := event.Party{AgentID: "agent:chela", Role: "system"}
	all := []org.Person{{ID: "per_a", Identities: []string{"a:1", "a:2"}}, {ID: "per_b", Identities: []string{}}}
	keep := []org.Person{{ID: "per_a", Identities: []string{"a:1", "a:2"}}, {ID: "per_b", Identities: []string{}}}
	for _, e := range []event.Event{
		happened(org.LinkedKind, sys, org.Identity{Person: "per_b", Identity: "a:1"}, time.Time{}),
		happened(org.UnlinkedKind, sys, org.Identity{Person: "per_a", Identity: "a:1"}, time.Time{}),
		happened(org.PersonChangedKind, sys, org.PersonChanged{ID: "per_a", Name: ptr("x")}, time.Time{}),
		happened(org.HeartbeatKind, sys, org.Heartbeat{}, time.Time{}),
	} {
		if _, err := org.ApplyPerson(all, e); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(keep, all); d != "" {
			t.Errorf("%s: %s", e.Message.Type, d)
		}
	}
	broken := happened(org.LinkedKind, sys, org.Identity{}, time.Time{})
	broken.Message.Payload = []byte(`[]`)
	if _, err := org.ApplyPerson(all, broken); err == nil {
		t.Error("a payload that cannot be read is no error")
	}
}
