package notify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/approval"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store/past"
	"chela/internal/tool"
)

// began records that a comment on a record began a run of the pm, and returns its place.
func (w *world) began(record string) event.Place {
	w.t.Helper()
	by := org.Person{ID: "per_ann"}.Party()
	thread := session.About(record, "agent:pm", 0)
	at := w.place(event.ThreadStream(thread), by.AgentID)
	at.Thread = thread
	input, err := json.Marshal(session.TurnInput{About: record, Background: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.append(run.QueuedKind.Draft(at, run.Spec{ID: run.ID(at.Run), Thread: thread, Project: w.project, Kind: session.ChatRun, Lane: "user", Agent: "agent:pm", Title: "Do it", By: by, Input: input}))
	return at
}

// ends records how a run ended.
func (w *world) ends(at event.Place, how run.Finished, said *session.Said) {
	w.t.Helper()
	if said != nil {
		var err error
		if how.Result, err = json.Marshal(said); err != nil {
			w.t.Fatal(err)
		}
	}
	w.append(run.FinishedKind.Draft(at, how))
}

// comments are what stands on a record, oldest first, as "who: text", with a star where words came from outside.
func (w *world) comments(record string) []string {
	w.t.Helper()
	p, err := w.db.Desk.Records(w.t.Context(), clerk.Query{Project: w.project, Kind: desk.Comment, RefField: "recordId", RefTo: []string{record}, Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.SortFunc(p.Records, func(a, b desk.Record) int { return strings.Compare(a.ID, b.ID) })
	var out []string
	for _, r := range p.Records {
		b, err := desk.Open[desk.CommentBody](r)
		if err != nil {
			w.t.Fatal(err)
		}
		star := ""
		if r.Outside {
			star = "*"
		}
		out = append(out, r.CreatedBy+star+": "+b.Text)
	}
	return out
}

// stands fails unless the last comments on a record are these.
func (w *world) stands(record string, want ...string) {
	w.t.Helper()
	if got := w.comments(record); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("on the record stands\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// rewind has the keepers hear everything again, as after a crash before they noted how far they were.
func (w *world) rewind(to event.Seq) {
	w.t.Helper()
	now, err := w.db.Log.Cursor(w.t.Context(), "notifications")
	if err != nil {
		w.t.Fatal(err)
	}
	if ok, err := w.db.Log.MoveCursor(w.t.Context(), "notifications", now, to); err != nil || !ok {
		w.t.Fatalf("the cursor goes back: %v %v", ok, err)
	}
	w.restart()
}

func (w *world) heardUpTo() event.Seq {
	w.t.Helper()
	now, err := w.db.Log.Cursor(w.t.Context(), "notifications")
	if err != nil {
		w.t.Fatal(err)
	}
	return now
}

// TestKeeper_PutsTheAnswerOnTheRecord: what an agent answers stands on the record once, however often a keeper hears of it, tells who follows the record, mentions
// nobody, and is taken back as any comment.
func TestKeeper_PutsTheAnswerOnTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler","owner":"Dana Reyes"}`)
	w.make("per_ann", desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"@pm mend it"}`, ticket))
	w.pass()
	before := w.heardUpTo()
	at := w.began(ticket)
	concerned, stop := w.db.Log.Subscribe(event.PeopleConcerned)
	defer stop()
	w.ends(at, run.Finished{State: run.Done}, &session.Said{Message: "Mended. @Joe Martinez @pm look.", Origins: []string{tool.FromFiles}})
	select {
	case <-concerned:
	default:
		t.Error("the end of such a run wakes no keeper")
	}
	w.pass()
	asked := "agent:person/per_ann: @pm mend it"
	answer := "agent:pm*: Mended. @Joe Martinez @pm look."
	w.stands(ticket, asked, answer)
	for range 2 {
		w.pass()
		w.rewind(before)
		w.pass()
	}
	w.stands(ticket, asked, answer)
	w.expect("per_ann", "A comment on Card handler: Mended. @Joe Martinez @pm look.")
	w.expect("per_dana", "A comment on Card handler: @pm mend it", "A comment on Card handler: Mended. @Joe Martinez @pm look.")
	w.expect("per_joe")
	for i, q := range w.asked {
		if i > 0 && q != w.asked[0] { // the keeper that went back asks again under the key
			t.Errorf("an answer asks an agent: %s", q)
		}
	}
	act, err := past.New(w.db).Act(t.Context(), at.Run, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.clerk.Undo(t.Context(), w.place("", "agent:person/per_ann"), act, func(d []event.Draft) error {
		_, err := w.db.Log.Append(t.Context(), d...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.rewind(before)
	w.pass()
	w.stands(ticket, asked)
}

func TestKeeper_PutsHowARunEndedOnTheRecord(t *testing.T) {
	t.Parallel()
	no := false
	for name, c := range map[string]struct {
		how  run.Finished
		said *session.Said
		want string
	}{
		"plain":     {run.Finished{State: run.Done}, &session.Said{Message: "It is mended.", Origins: []string{tool.FromRecords}}, "agent:pm: It is mended."},
		"doubtful":  {run.Finished{State: run.Done}, &session.Said{Message: "Mended.", Confirmed: &no, Review: "No test."}, "agent:pm: Mended.\n\nThe review did not pass this: No test."},
		"failed":    {run.Finished{State: run.Failed, Reason: "The agent pm is disabled."}, nil, "agent:pm*: I could not do this. The agent pm is disabled."},
		"cancelled": {run.Finished{State: run.Cancelled, Reason: "Ann stopped it."}, nil, "agent:pm*: This was stopped before I had an answer. Ann stopped it."},
		"wordless":  {run.Finished{State: run.Done}, nil, "agent:pm: I am done, and have nothing to say about it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
			w.ends(w.began(ticket), c.how, c.said)
			w.pass()
			w.stands(ticket, c.want)
		})
	}
}

// TestKeeper_LongAnswersAreCut: a comment has room for so much, and says where the rest stands.
func TestKeeper_LongAnswersAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	w.ends(w.began(ticket), run.Finished{State: run.Done}, &session.Said{Message: strings.Repeat("ö", 60_000)})
	w.pass()
	if got := w.comments(ticket); len(got) != 1 || len(got[0]) > 17_000 || !strings.Contains(got[0], session.About(ticket, "agent:pm", 0)) {
		t.Errorf("a long answer stands as %d comments: %.100q", len(got), got)
	}
}

// TestKeeper_LeavesToAgentsWhatTheySaid: an agent that commented on the record itself has said it; that it failed is said all the same.
func TestKeeper_LeavesToAgentsWhatTheySaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	other := w.make("per_dana", desk.Ticket, `{"title":"Logs"}`)
	comment := func(at event.Place, on string) {
		at.Stream, at.From = "", org.AgentID("agent:pm").Party()
		err := w.clerk.Do(t.Context(), at, w.project, func(d []event.Draft) error {
			_, err := w.db.Log.Append(t.Context(), d...)
			return err
		}, func(c *clerk.Work) error {
			_, err := clerk.Add(c, desk.Comment, &desk.CommentBody{RecordID: on, Text: "By my own hand."})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	itself, elsewhere, broken := w.began(ticket), w.began(ticket), w.began(ticket)
	comment(itself, ticket)
	w.ends(itself, run.Finished{State: run.Done}, &session.Said{Message: "first"})
	comment(elsewhere, other)
	w.ends(elsewhere, run.Finished{State: run.Done}, &session.Said{Message: "second"})
	comment(broken, ticket)
	w.ends(broken, run.Finished{State: run.Failed, Reason: "Out of disk."}, nil)
	w.pass()
	w.stands(ticket, "agent:pm: By my own hand.", "agent:pm: By my own hand.", "agent:pm: second", "agent:pm*: I could not do this. Out of disk.")
}

// TestKeeper_SaysForWhomARunWaits: once, however many questions the run has.
func TestKeeper_SaysForWhomARunWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	at := w.began(ticket)
	ask := func(id string) {
		w.append(approval.RequestedKind.Draft(at, approval.Request{ID: id, Run: run.ID(at.Run), Kind: approval.ToolCalls, Question: "pm wants to call shell_exec.", Choices: []string{"approve", "deny"}, Project: w.project}))
	}
	ask("apr_0")
	w.append(approval.AnsweredKind.Draft(at, approval.Answer{ID: "apr_0", Choice: "approve"})) // before anybody looked
	w.pass()
	w.stands(ticket)
	ask("apr_1")
	w.pass()
	waits := "agent:pm: I wait for an answer from Ann Owner. pm wants to call shell_exec. It stands under Approvals, as apr_1."
	w.stands(ticket, waits)
	ask("apr_2")
	w.pass()
	w.stands(ticket, waits)
	w.ends(at, run.Finished{State: run.Done}, &session.Said{Message: "Mended."})
	w.pass()
	w.stands(ticket, waits, "agent:pm: Mended.")
}

// TestKeeper_AnswersWhatAConversationTookIn: a comment that steered a run which somebody began in the conversation itself is answered on the record, and what is said
// in the conversation alone is not.
func TestKeeper_AnswersWhatAConversationTookIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	thread := session.About(ticket, "agent:pm", 0)
	by := org.Person{ID: "per_ann"}.Party()
	said := func(about string) event.Place {
		at := w.place(event.ThreadStream(thread), by.AgentID)
		at.Thread = thread
		w.append(run.QueuedKind.Draft(at, run.Spec{ID: run.ID(at.Run), Thread: thread, Project: w.project, Kind: session.ChatRun, Lane: "user", Agent: "agent:pm", Title: "Do it", By: by, Input: json.RawMessage(`{"message_id":"msg_1"}`)}),
			session.SaidKind.Draft(at, session.Said{Message: "And the logs?", About: about}))
		return at
	}
	w.append(session.OpenedKind.Draft(event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_0", Task: "task_0", From: by}, session.Opened{Project: w.project, Agent: "agent:pm", Channel: "page", Title: "T", Person: by.AgentID}))
	w.ends(said(""), run.Finished{State: run.Done}, &session.Said{Message: "Between us."})
	w.ends(said(ticket), run.Finished{State: run.Done}, &session.Said{Message: "The logs are fine."})
	w.pass()
	w.stands(ticket, "agent:pm: The logs are fine.")
}

// TestKeeper_SaysThatAnAgentCouldNotBeAsked: who mentions an agent that cannot begin reads why, once.
func TestKeeper_SaysThatAnAgentCouldNotBeAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refusal = fault.New(fault.Denied, "The key may not.")
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	before := w.heardUpTo()
	w.make("per_ann", desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"@pm mend it"}`, ticket))
	w.pass()
	w.rewind(before)
	w.pass()
	w.stands(ticket, "agent:person/per_ann: @pm mend it", "agent:pm: I could not begin this. The key may not.")
}

// TestKeeper_RecordsThatAreGoneHaveNoAnswer: nobody is kept from being told by a ticket that was deleted, or stands in an archived project.
func TestKeeper_RecordsThatAreGoneHaveNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_dana", desk.Ticket, `{"title":"Card handler"}`)
	kept := w.make("per_dana", desk.Ticket, `{"title":"Logs"}`)
	gone, stays := w.began(ticket), w.began(kept)
	w.do("per_dana", func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, ticket); return err })
	w.do("per_ann", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Project, w.project, json.RawMessage(`{"status":"ARCHIVED"}`))
		return err
	})
	w.ends(gone, run.Finished{State: run.Done}, &session.Said{Message: "Mended."})
	w.ends(stays, run.Finished{State: run.Done}, &session.Said{Message: "Read."})
	w.pass()
	w.stands(ticket)
	w.stands(kept, "agent:pm: Read.")
}
