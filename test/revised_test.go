package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestRevised_WhatBecomesOfMessages: a message that was edited, taken back or reacted to is shown so and
// approves nothing; what the platform says of our answers is shown on their deliveries.
func TestRevised_WhatBecomesOfMessages(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		var shown atomic.Value // what the last call was shown
		w := newWorld(t, func(r request) any {
			_, said := r.since()
			shown.Store(fmt.Sprintf("%s", r.Messages))
			return text("You said: " + said)
		})
		s.env = w.env()
		d, p := s.running(t), newPortal(t)
		p.open(t, d)
		p.link(t, d, "u1", "viewer")
		p.link(t, d, "u2", "viewer")
		p.say(t, d, from("c1", "u1", "m1", "The release is on Tusday"))
		until(t, "the answer", func() bool { return len(p.got("c1")) == 1 })

		type delivery struct {
			ID, Thread, State, Why string
			Sent                   []string
			Seen                   time.Time
		}
		deliveries := func() (all []delivery) {
			d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
			return all
		}
		until(t, "the delivery", func() bool { return deliveries()[0].State == "sent" })
		answer := deliveries()[0]
		stamp := 0
		revise := func(sender, what, id, text, to string) {
			t.Helper()
			stamp++
			m := from("c1", sender, id, text)
			m["what"], m["reply_to"], m["at"] = what, to, time.Unix(int64(1_800_000_000+stamp), 0).UTC()
			for range 2 { // each comes twice
				if got := p.say(t, d, m); got != http.StatusNoContent {
					t.Errorf("%s is answered %d", what, got)
				}
			}
		}
		revise("u2", "edited", "m1", "Never", "") // somebody else's
		revise("u1", "edited", "m1", "The release is on Tuesday", "")
		revise("u2", "reacted", "r1", "👍", answer.Sent[0])
		revise("u9", "reacted", "r2", "👎", answer.Sent[0]) // a stranger
		type message struct {
			Message         string
			Edited, Deleted bool
			Reactions       []struct{ Sign string }
		}
		messages := func() (all []message) {
			d.must(t, http.MethodGet, "/api/conversations/"+answer.Thread+"/messages", nil, &all)
			return all
		}
		all := messages()
		if len(all) != 2 || all[0].Message != "The release is on Tuesday" || !all[0].Edited || len(all[1].Reactions) != 1 || all[1].Reactions[0].Sign != "👍" {
			t.Errorf("%+v", all)
		}
		p.say(t, d, from("c1", "u1", "m2", "When is it?"))
		until(t, "the second answer", func() bool { return len(p.got("c1")) == 2 })
		if now := fmt.Sprint(shown.Load()); !strings.Contains(now, "release is on Tuesday") {
			t.Errorf("the agent is shown %s", now)
		}
		revise("u1", "deleted", "m1", "", "")
		if all := messages(); all[0].Message != "" || !all[0].Deleted {
			t.Errorf("%+v", all[0])
		}

		revise("u2", "deleted", "m3", "", "") // somebody else's: it changes nothing
		revise("u1", "edited", "m3", "The launch is on Friday", "")
		p.say(t, d, from("c1", "u1", "m3", "The launch is on Mondy"))
		until(t, "the answer to what was edited before it came", func() bool { return len(p.got("c1")) == 3 })
		if now := fmt.Sprint(shown.Load()); !strings.Contains(now, "launch is on Friday") {
			t.Errorf("the agent is shown %s", now)
		}
		revise("u1", "deleted", "m4", "", "")
		p.say(t, d, from("c1", "u1", "m4", "The wrong chat"))
		if all := messages(); strings.Contains(fmt.Sprint(all), "wrong chat") || !strings.Contains(fmt.Sprint(all), "launch is on Friday") || strings.Contains(fmt.Sprint(all), "Mondy") {
			t.Errorf("%+v", all)
		}

		receipt := func(fate string, want int) {
			t.Helper()
			if got := p.say(t, d, map[string]any{"id": "x" + fate, "chat": "c1", "reply_to": answer.Sent[0], "fate": fate}); got != want {
				t.Errorf("%s is answered %d", fate, got)
			}
		}
		of := func(id string) delivery {
			all := deliveries()
			return all[slices.IndexFunc(all, func(d delivery) bool { return d.ID == id })]
		}
		for range 2 {
			receipt("arrived", http.StatusNoContent)
		}
		if now := of(answer.ID); now.State != "delivered" || !now.Seen.IsZero() {
			t.Errorf("%+v", now)
		}
		receipt("seen", http.StatusNoContent)
		receipt("eaten", http.StatusBadRequest)
		if now := of(answer.ID); now.State != "delivered" || now.Seen.IsZero() {
			t.Errorf("%+v", now)
		}
		var received struct{ Events []json.RawMessage }
		d.must(t, http.MethodGet, "/api/log?type=channel.received", nil, &received)
		if len(received.Events) != 2 {
			t.Errorf("the receipts in the log are %s", received.Events)
		}
		d.stop()
		s.verified(t)
	})
}
