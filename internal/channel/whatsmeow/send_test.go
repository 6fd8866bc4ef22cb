//go:build whatsmeow

package whatsmeow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	lib "go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsmeowtest"
)

// TestSend_ATextIsEdited: alone and in a group, also when the first attempt at it was not answered.
func TestSend_ATextIsEdited(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	ben := s.Person("Ben", "4915550000003", "100000000000003")
	crew := s.Group("120363000000000001", anna, ben)
	a := running(t, s, in)
	for i, to := range []string{idOf(ben.LID), crew.String()} {
		out := channel.Out{Address: channel.Address{Chat: to}, Text: "It grows", Growing: true, Key: fmt.Sprint("draft", i)}
		id, err := a.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"It grows and", "It grows and is *whole*."} {
			out.Text = text
			if again, err := a.Send(t.Context(), out); err != nil || again != id {
				t.Errorf("another attempt made %s of %s: %v", again, id, err)
			}
			if err := a.Edit(t.Context(), id, out); err != nil {
				t.Error(err)
			}
		}
	}
	want := "It grows and is *whole*."
	if got := s.Shows(ben); !slices.Equal(got, []string{want, want}) {
		t.Errorf("Ben sees %q", got)
	}
	if got := s.Shows(anna); !slices.Equal(got, []string{want}) {
		t.Errorf("Anna sees %q", got)
	}
	for chat, words := range map[string]string{"nobody at all": "no chat", "4915559999999": "404"} {
		err := a.Edit(t.Context(), "3EB0", channel.Out{Address: channel.Address{Chat: chat}, Text: "x"})
		if no := channeltest.RefusalOf(t, err); !no.Final || !strings.Contains(no.Text, words) {
			t.Errorf("an edit for %q: %+v", chat, no)
		}
	}
}

// TestSend_WhatGoesWrongWhileWeSend: too much, a fault of WhatsApp's, a connection that breaks before the answer.
func TestSend_WhatGoesWrongWhileWeSend(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	again := linkedTo(t, s)
	first, next := again(), again()
	r := channeltest.Run(t, first, in)
	in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
	out := channel.Out{Address: channel.Address{Chat: idOf(anna.LID)}, Text: "once", Key: "k"}
	for code, after := range map[string]time.Duration{"429": time.Minute, "503": 0} {
		s.Fail(code)
		_, err := first.Send(t.Context(), out)
		if no := channeltest.RefusalOf(t, err); no.Final || no.After != after {
			t.Errorf("%s: %+v", code, no)
		}
	}
	s.CutAfter()
	_, err := first.Send(t.Context(), out)
	if _, no := errors.AsType[*channel.Refusal](err); err == nil || no {
		t.Errorf("cut off: %v", err)
	}
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "ended the connection")
	channeltest.Run(t, next, in)
	in.Wait(t, "the next connection", func() bool { return in.Ups() == 2 })
	out.Doubt = true
	if _, err := next.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if got := s.Shows(anna); !slices.Equal(got, []string{"once"}) {
		t.Errorf("Anna sees %q", got)
	}
}

// TestSend_HalfOpen: a connection over which nothing comes any more is left, and what was said meanwhile comes over the next.
func TestSend_HalfOpen(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	deadline, least, most := lib.KeepAliveResponseDeadline, lib.KeepAliveIntervalMin, lib.KeepAliveIntervalMax
	t.Cleanup(func() {
		lib.KeepAliveResponseDeadline, lib.KeepAliveIntervalMin, lib.KeepAliveIntervalMax = deadline, least, most
	})
	lib.KeepAliveResponseDeadline, lib.KeepAliveIntervalMin, lib.KeepAliveIntervalMax = 250*time.Millisecond, 100*time.Millisecond, 110*time.Millisecond
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	again := linkedTo(t, s)
	end := channeltest.Keep(t, func(ctx context.Context) error { return again().Run(ctx, in) })
	in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
	s.Freeze()
	s.Say(anna, types.JID{}, wrote("to nobody"))
	s.Wait("the device has it", func() bool { return s.Waiting() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"to nobody"}) {
		t.Errorf("it has %q", got)
	}
	if errs := end(); len(errs) == 0 || !strings.Contains(errs[0].Error(), "it does not answer") {
		t.Errorf("the connections ended with %v", errs)
	}
}
