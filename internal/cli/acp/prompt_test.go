package acp

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
)

// A page is an editor that only shows.
type page struct {
	editor
	text string
}

func (p *page) show(_ string, u update) { p.text += u.agent }

func shown(ctx context.Context) (*conversation, *page) {
	p := new(page)
	return newConnection(ctx, Options{Log: io.Discard}, p).conversation(session.Thread{ID: "thr_1"}, "/w", 0), p
}

// logged is an event of a run.
func logged(t *rapid.T, kind, id, of, from string, payload any) client.Logged {
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return client.Logged{Type: kind, ID: id, ThreadID: "thr_1", RunID: of, From: from, Payload: raw}
}

// TestConversation_AnAnswerIsShownOnce holds however an answer is cut, whichever pieces are lost, and wherever what was said of it comes between them.
func TestConversation_AnAnswerIsShownOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v, p := shown(t.Context())
		whole := []rune(strings.TrimSpace("A" + rapid.StringOfN(rapid.RuneFrom([]rune("ab ü\n")), 0, 20, -1).Draw(rt, "whole")))
		message := logged(rt, session.SaidKind.Name, "msg_2", "run_1", "agent:coder", session.Said{Message: string(whole)})
		lateFrom := rapid.IntRange(0, len(whole)).Draw(rt, "late from")
		told := false
		for at := 0; at < len(whole); {
			n := rapid.IntRange(1, len(whole)-at).Draw(rt, "piece")
			if at >= lateFrom && !told {
				told = true
				v.recorded(t.Context(), message, false)
			}
			if rapid.IntRange(0, 3).Draw(rt, "lost") > 0 {
				v.wrote(stream.Tick{Thread: "thr_1", Run: "run_1", Kind: "delta", Text: string(whole[at : at+n]), At: at})
			}
			at += n
		}
		if !told {
			v.recorded(t.Context(), message, false)
		}
		if p.text != string(whole) {
			rt.Errorf("%q was shown as %q", string(whole), p.text)
		}
	})
}

// TestConversation_APromptEndsOnce holds for whatever becomes of its message and happens meanwhile: it ends when its run does, and not with another's.
func TestConversation_APromptEndsOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v, p := shown(t.Context())
		ended := &prompt{ended: make(chan outcome, 1), sending: true}
		v.prompt = ended
		acc := inbox.Accepted{Thread: "thr_1", Message: "msg_1", Run: "run_1"}
		acc.Queued = rapid.Bool().Draw(rt, "queued")
		if acc.Queued && rapid.Bool().Draw(rt, "with others") {
			acc.Run = ""
		}
		v.accepted(ended, acc, nil)
		person := "agent:person/per_1"
		others := []client.Logged{
			logged(rt, run.FinishedKind.Name, "e1", "run_0", "", run.Finished{State: run.Done}),
			logged(rt, run.StartedKind.Name, "e2", "run_0", "", run.Started{}),
			logged(rt, session.SaidKind.Name, "e3", "run_0", "agent:pm", session.Said{Message: "Other. "}),
			logged(rt, session.DroppedKind.Name, "e4", "", "", session.Dropped{ID: "msg_0"}),
			logged(rt, session.NoticeKind.Name, "e5", "run_0", "", session.Notice{Message: "Notice. "}),
		}
		meanwhile := func() {
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(others)-1), 0, 4).Draw(rt, "meanwhile") {
				v.recorded(t.Context(), others[i], false)
			}
			if len(ended.ended) > 0 || v.prompt != ended {
				rt.Fatal("it ended with what was another's")
			}
		}
		meanwhile()
		if acc.Queued {
			v.recorded(t.Context(), logged(rt, session.SaidKind.Name, "msg_2", "run_1", person, session.Said{Message: "Mine.", Held: "msg_1"}), false)
			meanwhile()
		} else {
			v.recorded(t.Context(), logged(rt, session.SaidKind.Name, "msg_1", "run_1", person, session.Said{Message: "Mine."}), false)
		}
		state := rapid.SampledFrom([]run.State{run.Done, run.Failed, run.Cancelled}).Draw(rt, "state")
		v.recorded(t.Context(), logged(rt, run.FinishedKind.Name, "e6", "run_1", "", run.Finished{State: state, Reason: "Why."}), false)
		v.recorded(t.Context(), logged(rt, run.FinishedKind.Name, "e7", "run_1", "", run.Finished{State: state, Reason: "Why."}), false)
		if len(ended.ended) != 1 || v.prompt != nil {
			rt.Fatalf("%s: it ended %d times", state, len(ended.ended))
		}
		out := <-ended.ended
		if out.cancelled != (state == run.Cancelled) || (out.err != nil) != (state == run.Failed) || out.err != nil && fault.TextOf(out.err) != "Why." || strings.Contains(p.text, "Mine.") {
			rt.Errorf("%s became %+v; shown was %q", state, out, p.text)
		}
	})
}
