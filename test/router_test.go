package test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// travel is a workflow that a message may begin, without a model.
const travel = `
slug: travel
name: Book a trip
description: Books a journey and tells the team when somebody is away.
examples: [Book a trip to Vienna, I need to travel to the customer next week, Please arrange my journey]
inputs:
  - {name: destination, type: string, required: true, description: Where it goes.}
  - {name: day, type: date, required: true, description: When it begins.}
  - {name: seats, type: integer, default: 1, description: How many travel.}
triggers: [{message: true}]
steps:
  - {id: booked, transform: {to: "${inputs.destination}", on: "${inputs.day}", seats: "${inputs.seats}"}}
`

const payslip = `
slug: payslip
name: Send a payslip
examples: [Send me my payslip, I need the salary statement of March]
triggers: [{message: true}]
steps:
  - {id: sent, transform: {sent: true}}
`

// says says something in a conversation and returns the answer.
func (d *daemon) says(t *testing.T, thread, text string) (out chatAnswer) {
	t.Helper()
	d.must(t, http.MethodPost, "/api/chat", map[string]any{"threadId": thread, "text": text, "wait": true}, &out)
	return out
}

// told waits until a message of a conversation has the text.
func (d *daemon) told(t *testing.T, thread, text string) {
	t.Helper()
	until(t, "the message "+text, func() bool {
		var all []struct{ Message string }
		d.must(t, http.MethodGet, "/api/sessions/"+thread+"/messages", nil, &all)
		for _, m := range all {
			if strings.Contains(m.Message, text) {
				return true
			}
		}
		return false
	})
}

// TestRouter_AMessageBeginsAWorkflow has messages begin workflows without a model: it asks for what is missing over a restart, takes an
// edit in, is confirmed, declined and cancelled.
func TestRouter_AMessageBeginsAWorkflow(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		d.deploys(t, travel)
		d.deploys(t, payslip)
		out := d.says(t, "", "Book a trip to Vienna")
		if !strings.Contains(out.Reply, "I can run **Book a trip** for you, but I need a bit more info:\n\n- **destination** (string): Where it goes.\n- **day** (date): When it begins.\n") {
			t.Fatalf("%+v", out)
		}
		thread := out.Thread
		if out = d.says(t, thread, "destination: Vienna"); !strings.Contains(out.Reply, "- **day** (date)") || strings.Contains(out.Reply, "destination") {
			t.Fatalf("%+v", out)
		}
		d.stop()
		d = s.running(t)
		if out = d.says(t, thread, "on 2027-03-01, seats: 2"); !strings.Contains(out.Reply, "I run **Book a trip** with:") || !strings.Contains(out.Reply, "- **seats**: 2") {
			t.Fatalf("%+v", out)
		}
		d.told(t, thread, "is done.\n\n- **on**: 2027-03-01\n- **seats**: 2\n- **to**: Vienna")
		if out = d.says(t, thread, "Could somebody arrange a journey for me?"); !strings.HasPrefix(out.Reply, "Shall I run **Book a trip**?") {
			t.Fatalf("%+v", out)
		}
		if out = d.says(t, thread, "Never mind."); out.Reply != "**Book a trip** is not run." {
			t.Fatalf("%+v", out)
		}
		if out = d.says(t, thread, "Send me my payslip"); !strings.HasPrefix(out.Reply, "I run **Send a payslip**") {
			t.Fatalf("%+v", out)
		}
		d.told(t, thread, "**Send a payslip**")
		if out = d.says(t, thread, "What do the penguins eat?"); strings.Contains(out.Reply, "**") || out.State != "failed" {
			t.Fatalf("it is answered as ever, which without a model fails: %+v", out)
		}
		vera, _ := d.member(t, "Vera", "viewer")
		if out = vera.says(t, "", "Send me my payslip"); out.State != "failed" {
			t.Errorf("a viewer begins a workflow: %+v", out)
		}
		d.stop()
		s.verified(t)
	})
}

// TestRouter_AGroupOnAChannel has two people of one chat ask for workflows beside each other, with a model that decides: each is asked for
// their own inputs, what one says is not the other's, and one edits what they said.
func TestRouter_AGroupOnAChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		switch {
		case strings.Contains(said, "Its sender was asked for") && strings.Contains(said, "Never"):
			return text(`{"meaning":"cancel","inputs":{}}`)
		case strings.Contains(said, "Its sender was asked for") && strings.Contains(said, "We leave for the sea"):
			return text(`{"meaning":"inputs","inputs":{"destination":"the sea"}}`)
		case strings.Contains(said, "Its sender was asked for"):
			return text(`{"meaning":"other","inputs":{}}`)
		case strings.Contains(said, "the message") && strings.Contains(said, "trip"):
			return text(`{"workflow":"travel","confidence":0.9,"inputs":{"day":"soon"},"reason":"It asks for a journey."}`)
		case strings.Contains(said, "the message"):
			return text(`{"workflow":null,"confidence":0.9,"inputs":{},"reason":"It asks for none."}`)
		}
		return text(`{"delegate":"","sub_task":"","requires":[],"respond":"The team answers."}`)
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d, p := s.running(t), newPortal(t)
	p.open(t, d)
	d.must(t, http.MethodPut, "/api/channels/portal", map[string]any{"kind": "webhook", "settings": map[string]string{"url": p.URL}}, nil)
	p.up(t, d)
	d.deploys(t, travel)
	p.link(t, d, "ann", "editor")
	p.link(t, d, "ben", "editor")
	n := 0
	say := func(who, text string) string {
		t.Helper()
		before := len(p.got("g"))
		n++
		m := from("g", who, fmt.Sprint("m", n), text)
		p.say(t, d, m)
		until(t, "an answer to "+text, func() bool { return len(p.got("g")) > before })
		return p.got("g")[before]
	}
	for _, c := range []struct{ who, text, want string }{
		{"ann", "Book a trip", "bit more info"},
		{"ben", "I need to travel, a trip", "bit more info"},
		{"ann", "2027-04-01", "**destination** (string)"},
		{"ben", "What is for lunch?", "The team answers."},
		{"ben", "Never, we stay", "is not run"},
		{"ann", "We leave for the sea, all of us, as I hope", "I run **Book a trip**"},
	} {
		if got := say(c.who, c.text); !strings.Contains(strings.ReplaceAll(got, "\\", ""), c.want) {
			t.Fatalf("%s says %q and is told %q, want %q", c.who, c.text, got, c.want)
		}
	}
	until(t, "its end", func() bool {
		all := p.got("g")
		return strings.Contains(all[len(all)-1], "the sea")
	})
	var sessions []struct {
		State string `json:"state"`
		Plan  *struct{ ID string }
	}
	var threads []struct{ ID string }
	d.must(t, http.MethodGet, "/api/conversations", nil, &threads)
	d.must(t, http.MethodGet, "/api/conversations/"+threads[0].ID+"/router", nil, &sessions)
	if len(sessions) != 2 {
		t.Errorf("%+v", sessions)
	}
	out, errs, code := s.chela(t, "", "route", "Book a trip to Rome")
	if code != 0 || !strings.Contains(out, "travel") || !strings.Contains(out, "missing: destination, day") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	d.stop()
	s.verified(t)
}
