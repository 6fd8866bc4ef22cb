package storetest

import (
	"encoding/json"
	"testing"

	"chela/internal/agent"
	"chela/internal/ask"
	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/model"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
)

// retoldErased holds that a question about a project leaves nothing of its words when its person is erased, also with a model, who may
// have said nothing else; so do the messages that the router and workflows keep, and a request for a workflow. What another asked stays.
func retoldErased(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db)
	input, err := json.Marshal(builder.Input{Plan: "pln_1", Text: "Build a workflow for Xyzzy."})
	check(t, err)
	inquire := func(person, thread, text string) []event.Draft {
		asked := asPerson(person)
		asked.Stream, asked.Thread, asked.Run, asked.Task = event.ProjectStream(project), thread, "run_"+thread, "task_"+thread
		claw := asked
		claw.From = event.Party{AgentID: "agent:ask-claw", Role: "agent"}
		output, err := json.Marshal("Nothing is known of " + text)
		check(t, err)
		return []event.Draft{
			run.RequestKind.Draft(asked, run.TaskRequest{Title: "Answer a question", Description: text}),
			run.AcceptKind.Draft(claw, run.TaskAccept{TaskID: asked.Task, AgentID: claw.From.AgentID}),
			run.AsStep(agent.AnsweredKind.Draft(claw, agent.Answered{Agent: claw.From.AgentID, Answer: model.Answer{Text: "You ask " + text, Stop: model.StopEnd, Provider: "p", Model: "m"}}), "answer", true),
			run.ResultKind.Draft(claw, run.TaskResult{Success: true, Output: output, Summary: "p/m answered."}),
			ask.AnsweredKind.Draft(asked, ask.Recorded{Question: text}),
		}
	}
	drafts := append(inquire("per_1", "thr_1", "What does Xyzzy cost?"), inquire("per_2", "thr_2", "What does Plugh cost?")...)
	at := asPerson("per_1")
	at.Stream, at.Thread, at.Run, at.Task = event.ThreadStream("thr_3"), "thr_3", "run_3", "task_3"
	chela := at
	chela.From = run.Chela()
	drafts = append(
		drafts,
		session.OpenedKind.Draft(at, session.Opened{Channel: "page", Project: project, Person: at.From.AgentID}),
		session.SaidKind.Draft(at, session.Said{Message: "Start the report on Xyzzy."}),
		run.QueuedKind.Draft(chela, run.Spec{ID: "run_3", Thread: "thr_3", Kind: builder.RunKind, Lane: run.UserLane, Title: "Plan a workflow", Input: input, By: at.From}),
		builder.PlannedKind.Draft(chela, builder.Planned{Plan: blueprint.Plan{ID: "pln_1", Context: blueprint.Context{Intent: "Build a workflow for Xyzzy."}}, Person: at.From.AgentID, By: "rules"}),
	)
	recorded, err := db.Log.Append(t.Context(), drafts...)
	check(t, err)
	said := recorded[len(recorded)-3]
	_, told, _ := instance.Told(said)
	g := &router.Gathering{Slug: "report", Heard: []router.Heard{{ID: said.Message.ID, Text: "Start the report on Xyzzy."}, {ID: "msg_other", Text: "About Plugh."}}}
	_, err = db.Log.Append(
		t.Context(),
		router.DecidedKind.Draft(chela, router.Decided{Message: said.Message.ID, Gathering: g}),
		router.ChangedKind.Draft(chela, router.Changed{From: router.Routing, Session: router.Session{Thread: "thr_3", Person: at.From.AgentID, State: router.Idle, Gathering: g}}),
		instance.HeardKind.Draft(chela, instance.Heard{Seq: said.Seq, Event: told}),
		instance.StepKind.Draft(chela, instance.Step{Path: "wait", State: instance.Done, Output: told}),
	)
	check(t, err)
	by := asPerson("per_2")
	by.Stream = event.OrgStream
	for i, want := range []int64{11, 0} {
		out, err := db.Audit.Erase(t.Context(), by, "per_1", "asked for")
		if err != nil || out.Events != want {
			t.Fatalf("erasing for time %d: %+v, %v, want %d events", i+1, out, err, want)
		}
	}
	noTrace(t, db, "Xyzzy")
	asked, _, err := db.Log.Events(t.Context(), 0, event.Filter{Thread: "thr_2", Type: run.RequestKind.Name})
	check(t, err)
	if got, _, err := run.RequestKind.Open(asked[0].Event); err != nil || got.Description != "What does Plugh cost?" {
		t.Errorf("what another asked is %+v, %v", got, err)
	}
	heard, err := db.Workflows.RouterSession(t.Context(), "thr_3", at.From.AgentID)
	if err != nil || heard.Gathering == nil || len(heard.Gathering.Heard) != 2 || heard.Gathering.Heard[0].Text != "[erased]" || heard.Gathering.Heard[1].Text != "About Plugh." {
		t.Errorf("the router heard %+v, %v", heard.Gathering, err)
	}
}
