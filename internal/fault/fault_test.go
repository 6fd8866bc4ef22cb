package fault_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
)

func TestFault_PeopleReadTheSentenceAndProgramsTheKind(t *testing.T) {
	t.Parallel()
	const neutral = "Something went wrong inside Chela. The log of the daemon has the details."
	lost := fault.Wrap(io.ErrUnexpectedEOF, fault.Unavailable, "The model %s does not answer; try again.", "m")
	for name, c := range map[string]struct {
		err       error
		kind      fault.Kind
		text, log string
	}{
		"a fault":                  {fault.New(fault.NotFound, "Run %s does not exist.", "run_1"), fault.NotFound, "Run run_1 does not exist.", "Run run_1 does not exist."},
		"a cause stays in the log": {lost, fault.Unavailable, "The model m does not answer; try again.", "The model m does not answer; try again.: unexpected EOF"},
		"wrapped with words":       {fmt.Errorf("ask: %w", lost), fault.Unavailable, lost.Text, "ask: " + lost.Error()},
		"the outermost counts":     {fault.Wrap(lost, fault.Invalid, "No."), fault.Invalid, "No.", "No.: " + lost.Error()},
		"joined with another":      {errors.Join(io.EOF, lost), fault.Unavailable, lost.Text, "EOF\n" + lost.Error()},
		"another's error":          {io.EOF, fault.Internal, neutral, "EOF"},
		"a secret of another":      {fmt.Errorf("dial postgres://u:p@h"), fault.Internal, neutral, "dial postgres://u:p@h"},
		"the zero kind":            {&fault.Error{Text: "Ours."}, fault.Internal, "Ours.", "Ours."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fault.KindOf(c.err); got != c.kind {
				t.Errorf("the kind is %d, want %d", got, c.kind)
			}
			if got := fault.TextOf(c.err); got != c.text {
				t.Errorf("people read %q, want %q", got, c.text)
			}
			if got := c.err.Error(); got != c.log {
				t.Errorf("the log has %q, want %q", got, c.log)
			}
		})
	}
	if !errors.Is(lost, io.ErrUnexpectedEOF) {
		t.Error("the cause is not found")
	}
	if errors.Unwrap(fault.New(fault.Invalid, "x")) != nil {
		t.Error("a fault without a cause has one")
	}
}

func TestFault_ABadFieldNamesItselfAndTheWayOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     *fault.Error
		text    string
		allowed []string
	}{
		"free":                       {fault.BadField("dueDate", "The date soon cannot be read."), "dueDate: The date soon cannot be read.", nil},
		"one of a few":               {fault.BadField("status", "The value X is not allowed.", "TODO", "DONE"), "status: The value X is not allowed. Allowed: TODO, DONE.", []string{"TODO", "DONE"}},
		"a sign of a format is text": {fault.BadField("a.%d", "100 %s"), "a.%d: 100 %s", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if c.err.Kind != fault.Invalid || c.err.Text != c.text || len(c.err.Fields) != 1 {
				t.Fatalf("%+v", c.err)
			}
			f := c.err.Fields[0]
			if !strings.HasPrefix(c.text, f.Name+": "+f.Text) || !slices.Equal(f.Allowed, c.allowed) {
				t.Errorf("%+v", f)
			}
		})
	}
}
