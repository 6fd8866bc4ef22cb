package session_test

import (
	"strings"
	"testing"
	"time"

	"chela/internal/session"
)

func TestAudio_WordsOfAudio(t *testing.T) {
	t.Parallel()
	file := session.File{Ref: "artifact:1", Name: "voice.ogg", Type: "audio/ogg", Size: 4}
	for want, s := range map[string]session.Said{
		"See\n[The audio file voice.ogg (audio/ogg, 4 bytes) came with this message and is kept as artifact:1. It is being transcribed": {Message: "See", Audio: []session.Audio{{File: file}}},
		"[Transcript of voice.ogg: Deploy it.]":                                           {Audio: []session.Audio{{File: file, Text: "Deploy it."}}},
		"It could not be transcribed: the model is gone. Say so":                          {Audio: []session.Audio{{File: file, Why: "the model is gone."}}},
		"[Its sender changed this message later.]\n[Transcript of voice.ogg: Deploy it.]": {Message: "New", Edited: true, Audio: []session.Audio{{File: file, Text: "Deploy it."}}},
		"[Its sender took this message back.]":                                            {Deleted: true},
	} {
		if got := s.Words(); !strings.Contains(got, want) {
			t.Errorf("%q, without %q", got, want)
		}
	}
}

func TestAudio_WhatAwaitsATranscript(t *testing.T) {
	t.Parallel()
	open, heard := []session.Audio{{}}, []session.Audio{{Text: "x"}, {Why: "y"}}
	for text, want := range map[string]bool{"": true, "[Voice message, 2s]": true, " [A]\n\n[B] ": true, "What is this?\n[Audio: a]": false, "[a] b": false} {
		if session.AwaitsTranscript(text, open) != want {
			t.Errorf("%q awaits a transcript: %v", text, !want)
		}
		if session.AwaitsTranscript(text, heard) || session.AwaitsTranscript(text, nil) {
			t.Errorf("%q awaits nothing", text)
		}
	}
}

// TestDebounce_WaitsForATranscript: what comes after a voice note is answered with it.
func TestDebounce_WaitsForATranscript(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	note := session.Waiting{At: now, Held: session.Held{Audio: []session.Audio{{}}, Due: session.Until(now)}}
	if due := session.Debounce([]session.Waiting{note}, now.Add(time.Second)); !due.Equal(note.Due) {
		t.Errorf("due at %s", due)
	}
	note.Audio[0].Text = "Deploy it."
	if due := session.Debounce([]session.Waiting{note}, now.Add(time.Second)); due.After(now.Add(2 * time.Second)) {
		t.Errorf("heard, and due at %s", due)
	}
}
