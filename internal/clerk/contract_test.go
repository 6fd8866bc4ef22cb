package clerk_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

var (
	anAgent  = event.Party{AgentID: "agent:pm", Role: "agent"}
	aPerson  = event.Party{AgentID: "agent:person/per_ann", Role: "person"}
	contract = `[{"name":"tests pass","command":{"run":"go test ./..."}}]`
)

// as plans and records as somebody, who found that of a contract.
func (w *world) as(by event.Party, run string, found desk.Proof, plan func(*clerk.Work) error) error {
	at := place()
	at.Run, at.From = run, by
	return w.clerk.Do(w.t.Context(), at, w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		c.Proved(found)
		return plan(c)
	})
}

func (w *world) set(by event.Party, id, run string, found desk.Proof, patch string) error {
	return w.as(by, run, found, func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, id, json.RawMessage(patch))
		return err
	})
}

// TestContract_AnAgentsWordNeedsProof: no way of writing a ticket lets an agent say that it is done; a person may, which is said.
func TestContract_AnAgentsWordNeedsProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Ticket, `{"title":"T","contract":`+contract+`}`)
	if err := w.set(anAgent, id, "run_1", "", `{"status":"DONE"}`); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an agent's word alone: %v, want a conflict", err)
	}
	if err := w.as(anAgent, "run_2", "", func(c *clerk.Work) error {
		_, err := c.Create(desk.Ticket, json.RawMessage(`{"title":"U","status":"DONE","contract":`+contract+`}`))
		return err
	}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a new one that is done: %v, want a conflict", err)
	}
	for what, patch := range map[string]string{"takes it away": `{"contract":null}`, "writes another": `{"contract":[{"holds":"true"}]}`} {
		if err := w.set(anAgent, id, "run_3", "", patch); fault.KindOf(err) != fault.Denied {
			t.Errorf("an agent %s: %v, want it denied", what, err)
		}
	}
	for what, patch := range map[string]string{"proof": `{"proof":"PROVEN"}`, "its writer": `{"contractBy":"agent:person/per_bob"}`} {
		if err := w.set(aPerson, id, "run_4", "", patch); fault.KindOf(err) != fault.Invalid {
			t.Errorf("somebody writes %s: %v, want it refused", what, err)
		}
	}
	if err := w.set(aPerson, id, "run_5", "", `{"contract":[{"holds":"ticket.("}]}`); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a term that cannot be computed: %v, want it refused", err)
	}
	if err := w.set(anAgent, id, "run_11", "", `{"contract":[{"name":"tests pass","command":{"run":"go test ./..."}},{"holds":"true"}]}`); err != nil || open[desk.TicketBody](w, id).ContractBy != "agent:test agent:pm" {
		t.Errorf("a term more: %+v %v, want both who wrote it", open[desk.TicketBody](w, id), err)
	}
	if err := w.set(anAgent, id, "run_6", desk.Unproven, `{}`); err != nil || open[desk.TicketBody](w, id).Proof != desk.Unproven {
		t.Errorf("unmet it is %+v %v, want it unproven", open[desk.TicketBody](w, id), err)
	}
	if err := w.set(anAgent, id, "run_7", desk.Proven, `{"status":"DONE"}`); err != nil || open[desk.TicketBody](w, id).Proof != desk.Proven {
		t.Errorf("met it is %+v %v, want it proven", open[desk.TicketBody](w, id), err)
	}
	w.undo("run_7", "run_8")
	if b := open[desk.TicketBody](w, id); b.Status != desk.Todo || b.Proof != desk.Unproven {
		t.Errorf("taken back it is %s %s, want it as it was", b.Status, b.Proof)
	}
	if err := w.set(aPerson, id, "run_9", "", `{"status":"DONE","description":null}`); err != nil || open[desk.TicketBody](w, id).Proof != desk.Waived {
		t.Errorf("closed by a person it is %+v %v, want it waived", open[desk.TicketBody](w, id), err)
	}
	if err := w.set(aPerson, id, "run_10", "", `{"status":"IN_PROGRESS"}`); err != nil || open[desk.TicketBody](w, id).Proof != "" {
		t.Errorf("open again it is %+v %v, want nothing proven", open[desk.TicketBody](w, id), err)
	}
}

// TestContract_IsOfOneTicket: a merge takes over the terms, and nothing that was found.
func TestContract_IsOfOneTicket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.make(desk.Ticket, `{"title":"A"}`), w.make(desk.Ticket, `{"title":"B","contract":`+contract+`}`)
	if err := w.set(anAgent, b, "run_1", desk.Proven, `{"status":"DONE"}`); err != nil {
		t.Fatal(err)
	}
	if err := w.as(aPerson, "run_2", "", func(c *clerk.Work) error { return c.Merge(desk.Ticket, a, []string{b}) }); err != nil {
		t.Fatal(err)
	}
	if got := open[desk.TicketBody](w, a); len(got.Contract) != 1 || got.Proof != "" || got.ContractBy != aPerson.AgentID {
		t.Errorf("merged it is %+v, want the terms and nothing proven", got)
	}
}

// TestContract_WhoeverWrites sends a ticket through random writes: one with a contract that is done was proven, or a person
// said so, and no agent takes a term away.
func TestContract_WhoeverWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		now := &desk.TicketBody{Title: "T", Status: desk.Todo}
		for range rapid.IntRange(1, 20).Draw(rt, "writes") {
			next := *now
			by := desk.Actor{ID: "x", Agent: rapid.Bool().Draw(rt, "agent"), Found: rapid.SampledFrom([]desk.Proof{"", "", desk.Proven, desk.Unproven}).Draw(rt, "found")}
			next.Status = rapid.SampledFrom(desk.TicketStatuses()).Draw(rt, "status")
			next.Contract = rapid.SampledFrom([][]desk.Term{now.Contract, now.Contract, nil, {{Holds: "true"}}, {{Holds: "true"}, {Holds: "1 < 2"}}}).Draw(rt, "contract")
			before := len(now.Contract)
			if _, err := desk.Settle(now, &next, by); err != nil {
				continue
			}
			switch {
			case by.Agent && len(next.Contract) < before:
				rt.Fatalf("an agent took %d terms to %d", before, len(next.Contract))
			case len(next.Contract) == 0 && next.Proof != "":
				rt.Fatalf("it is %s without a contract", next.Proof)
			case len(next.Contract) > 0 && next.Status == desk.Done && next.Proof == "":
				rt.Fatal("it is done, and nothing says why")
			case next.Status == desk.Done && now.Status != desk.Done && by.Agent && len(next.Contract) > 0 && (by.Found != desk.Proven || next.Proof != desk.Proven):
				rt.Fatalf("an agent's word made it done and %q, having found %q", next.Proof, by.Found)
			case next.Proof == desk.Waived && next.Status != desk.Done:
				rt.Fatalf("it is %s and waived", next.Status)
			}
			now = &next
		}
	})
}
