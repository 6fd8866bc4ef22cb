package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/clerk"
	"chela/internal/contract"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
	"chela/internal/tool"
	tooldesk "chela/internal/tool/desk"
)

// kept reads the records of a world.
type kept struct {
	store.Desk
	store.People
}

// Keyed implements [agent.Records].
func (k kept) Keyed(ctx context.Context, project, key string) (desk.Record, bool, error) {
	p, err := k.Records(ctx, clerk.Query{Project: project, Kind: desk.Ticket, Identity: strings.ToLower(key), Limit: 1})
	if err != nil || len(p.Records) == 0 {
		return desk.Record{}, false, err
	}
	return p.Records[0], true, nil
}

// ticketTool is the one that changes tickets.
func (w *world) ticketTool() *tool.Tool {
	for _, t := range tooldesk.Tools(clerk.New(w.db.Desk), w.db.Conversations, nil, nil) {
		if t.Name == "update_ticket" {
			return t
		}
	}
	w.t.Fatal("there is no tool update_ticket")
	return nil
}

// files makes a record as Ann, in a project that is made first.
func (w *world) files(project string, k desk.Kind, body string) (id string) {
	w.t.Helper()
	return w.filesAs(ann, project, k, body)
}

func (w *world) filesAs(by event.Party, project string, k desk.Kind, body string) (id string) {
	w.t.Helper()
	at := event.Place{Thread: "thr_ann", Run: "run_ann", Task: "task_ann", From: by}
	err := clerk.New(w.db.Desk).Do(w.t.Context(), at, project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(body))
		id = r.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) ticket(id string) desk.TicketBody {
	w.t.Helper()
	r, err := w.db.Desk.Record(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := desk.Open[desk.TicketBody](r)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// closes has pm say that a ticket is done, with each of the results one after the other until one does.
func (w *world) closes(project, ticket string, results ...string) (run.Run, string) {
	w.t.Helper()
	pm := 0
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		if strings.Contains(r.System, "You are reviewer.") {
			return says(`{"pass":false,"summary":"half","feedback":"The second half is missing."}`), nil
		}
		if pm++; pm <= len(results) {
			return uses(`update_ticket {"ticketId":"` + ticket + `","status":"DONE","result":"` + results[pm-1] + `"}`), nil
		}
		return says("I did what I could."), nil
	}
	r, _ := w.end(w.say(inbox.Message{Text: "Finish " + ticket, Agent: "agent:pm", Project: project}).Run)
	return r, ticket
}

// TestProve_DoneNeedsEvidence: what an agent says is done is checked; unmet it is unproven, with what was found,
// and met it is proven.
func TestProve_DoneNeedsEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	ticket := w.files(project, desk.Ticket, `{"title":"Retry","contract":[{"holds":"size(result.text) > 10"},{"cites":{"text":"${result.text}"}},{"record":{"id":"${ticket.id}","when":"record.status == \"TODO\""}}]}`)
	if by := w.ticket(ticket).ContractBy; by != ann.AgentID {
		t.Errorf("the contract is by %q, want Ann", by)
	}
	if r, _ := w.closes(project, ticket, "done", "see https://ci.example/7 for all"); r.State != run.Done {
		t.Fatalf("the run is %s: %s", r.State, r.Reason)
	}
	got := w.results()
	if len(got) != 2 || !strings.Contains(got[0].Text, "unproven") || !strings.Contains(got[0].Text, "It names 0 sources") || strings.Contains(got[1].Text, "unproven") {
		t.Fatalf("the agent was told %+v, want that the first word did not count and the second did", got)
	}
	if b := w.ticket(ticket); b.Status != desk.Done || b.Proof != desk.Proven {
		t.Errorf("the ticket is %s %s, want DONE PROVEN", b.Status, b.Proof)
	}
	proofs, err := w.db.Workflows.Proofs(t.Context(), ticket)
	if err != nil || len(proofs) != 2 || !proofs[0].Met || proofs[1].Met || len(proofs[1].Found) != 3 || proofs[1].Said != "done" || proofs[1].At.IsZero() {
		t.Fatalf("found %+v %v, want one that was met after one that was not", proofs, err)
	}
	counts, err := w.db.Workflows.Contracts(t.Context())
	if err != nil || len(counts) != 1 || counts[0].Said != 2 || counts[0].Unmet != 1 || counts[0].Rate != 0.5 {
		t.Errorf("counted %+v %v, want 1 of 2", counts, err)
	}
}

// TestProve_UnprovenIsNotDone: the status stays, the page and lists can find it, and a person may close it all the same.
func TestProve_UnprovenIsNotDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("reviewer", org.Specialist)
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	ticket := w.files(project, desk.Ticket, `{"title":"Retry","status":"IN_PROGRESS","contract":[{"verdict":{"agent":"reviewer","criteria":"both halves"}},{"record":{"id":"tkt_00000000"}}]}`)
	w.closes(project, ticket, "one half")
	if b := w.ticket(ticket); b.Status != desk.InProgress || b.Proof != desk.Unproven {
		t.Fatalf("the ticket is %s %s, want IN_PROGRESS UNPROVEN", b.Status, b.Proof)
	}
	proofs, err := w.db.Workflows.Proofs(t.Context(), ticket)
	if err != nil || len(proofs) != 1 || !strings.Contains(proofs[0].Found[0].Detail, "second half") || proofs[0].Found[1].Met {
		t.Fatalf("found %+v %v, want the reviewer's reasons and a record that is not there", proofs, err)
	}
	if p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Limit: 10}); err != nil || p.Total != 1 {
		t.Fatal(p.Total, err)
	}
	err = clerk.New(w.db.Desk).Do(t.Context(), event.Place{Thread: "thr_ann", Run: "run_ann", Task: "task_ann", From: ann}, project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, ticket, json.RawMessage(`{"status":"DONE"}`))
		return err
	})
	if b := w.ticket(ticket); err != nil || b.Status != desk.Done || b.Proof != desk.Waived {
		t.Errorf("closed by Ann it is %s %s %v, want DONE WAIVED", b.Status, b.Proof, err)
	}
}

// TestProve_APersonReviews: the run waits for the verdict of a person, and goes on with it.
func TestProve_APersonReviews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	ticket := w.files(project, desk.Ticket, `{"title":"Retry","contract":[{"verdict":{"person":"Ann"}}]}`)
	r, _ := w.closes(project, ticket, "all of it")
	if r.State != run.Waiting {
		t.Fatalf("the run is %s: %s, want it to wait for Ann", r.State, r.Reason)
	}
	asked, err := w.db.Questions.ApprovalsOf(t.Context(), r.ID)
	if err != nil || len(asked) != 1 || len(asked[0].Only) != 1 || asked[0].Only[0] != "per_ann" {
		t.Fatalf("asked %+v %v, want Ann alone", asked, err)
	}
	decider := &approval.Decider{From: w.db.Questions, Runs: w.runs, Persons: w.db.People, Always: agent.Always}
	who, yes := approval.Approver{Party: ann, Role: org.Editor}, approval.Answer{ID: asked[0].ID, Choice: approval.Approve}
	if err := decider.Decide(t.Context(), who, yes); err == nil || !strings.Contains(fault.TextOf(err), "Say why") {
		t.Fatalf("passed without reasons: %v, want that they are asked for, since such a verdict counts for nothing", err)
	}
	yes.Note = "I saw it work."
	if err := decider.Decide(t.Context(), who, yes); err != nil {
		t.Fatal(err)
	}
	for r.State == run.Waiting {
		r, _ = w.end(string(r.ID))
	}
	if b := w.ticket(ticket); b.Proof != desk.Proven {
		t.Errorf("the ticket is %s %s, want DONE PROVEN", b.Status, b.Proof)
	}
	if proofs, err := w.db.Workflows.Proofs(t.Context(), ticket); err != nil || len(proofs) != 1 || proofs[0].Found[0].Detail != "Ann: I saw it work." {
		t.Errorf("found %+v %v, want who passed it by name", proofs, err)
	}
}

// TestProve_NobodyIsAskedInVain: a person is not asked to pass what fails a check.
func TestProve_NobodyIsAskedInVain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	ticket := w.files(project, desk.Ticket, `{"title":"Retry","contract":[{"verdict":{"person":"Ann"}},{"record":{"id":"tkt_00000000"}}]}`)
	r, _ := w.closes(project, ticket, "half of it")
	if b := w.ticket(ticket); r.State != run.Done || b.Proof != desk.Unproven {
		t.Fatalf("the run is %s (%s) and the ticket %s, want that it is unproven without a question", r.State, r.Reason, b.Proof)
	}
	proofs, err := w.db.Workflows.Proofs(t.Context(), ticket)
	if err != nil || len(proofs) != 1 || !strings.HasPrefix(proofs[0].Found[0].Detail, "Nobody was asked") || proofs[0].Found[0].Condition != "the verdict of Ann" {
		t.Errorf("found %+v %v", proofs, err)
	}
}

// TestProve_AWriterOfLessRights: a check may do no more than who wrote the contract may now.
func TestProve_AWriterOfLessRights(t *testing.T) {
	t.Parallel()
	for role, met := range map[org.Role]bool{org.Editor: true, org.Viewer: false} {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent.Options{})
			project := w.files("", desk.Project, `{"name":"Payments"}`)
			bob := org.Person{ID: "per_bob"}.Party()
			if _, err := w.db.Log.Append(t.Context(), org.PersonAddedKind.Draft(w.place(), org.PersonAdded{ID: "per_bob", Name: "Bob", Role: role})); err != nil {
				t.Fatal(err)
			}
			ticket := w.filesAs(bob, project, desk.Ticket, `{"title":"Retry","contract":[{"file":{"path":"CHANGELOG.md"}}]}`)
			w.closes(project, ticket, "all of it")
			proofs, err := w.db.Workflows.Proofs(t.Context(), ticket)
			if err != nil || len(proofs) != 1 || proofs[0].Met != met {
				t.Fatalf("found %+v %v, want met %v for a contract of a person who is %s", proofs, err, met, role)
			}
		})
	}
}

// TestStrayed_CountsWhatWasNotAsked: a request that names a ticket bounds what its task changes.
func TestStrayed_CountsWhatWasNotAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	one := w.files(project, desk.Ticket, `{"title":"Retry","externalRef":"PAY-1"}`)
	two := w.files(project, desk.Ticket, `{"title":"Refunds","externalRef":"PAY-2"}`)
	works := func(request, priority string) {
		t.Helper()
		n := 0
		w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
			if n++; n == 1 {
				return uses(`update_ticket {"ticketId":"`+one+`","priority":"`+priority+`"}`, `update_ticket {"ticketId":"`+two+`","priority":"`+priority+`"}`), nil
			}
			return says("Done."), nil
		}
		if r, _ := w.end(w.say(inbox.Message{Text: request, Agent: "agent:pm", Project: project}).Run); r.State != run.Done {
			t.Fatalf("the run is %s: %s", r.State, r.Reason)
		}
	}
	works("Raise the priority where it is due, in UTF-8 please", "HIGH")
	if out, err := w.db.Workflows.Outside(t.Context(), "agent:pm", 10); err != nil || len(out) != 0 {
		t.Fatalf("found %+v %v, want nothing: the request names no record", out, err)
	}
	works("Lower the priority of PAY-1", "LOW")
	out, err := w.db.Workflows.Outside(t.Context(), "agent:pm", 10)
	if err != nil || len(out) != 1 || strings.Join(out[0].Changed, " ") != two || strings.Join(out[0].Named, " ") != "PAY-1" {
		t.Fatalf("found %+v %v, want %s", out, err, two)
	}
	counts, err := w.db.Workflows.Contracts(t.Context())
	if err != nil || len(counts) != 1 || counts[0].Outside != 1 || counts[0].Tasks != 1 {
		t.Errorf("counted %+v %v, want one change in one task", counts, err)
	}
	if w.count(agent.OutsideKind.Name) != 1 || w.count(contract.EvidenceKind.Name) != 0 {
		t.Error("the log tells something else")
	}
}
