package sandbox_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// TestRun_Talk speaks to a program and hears it while it runs, and ends it by the end of what it reads, or by the
// context although it reads on.
func TestRun_Talk(t *testing.T) {
	t.Parallel()
	inEach(t, talks)
}

// patience bounds what is waited for.
const patience = 20 * time.Second

func talks(t *testing.T, s *sandbox.Sandbox) {
	begin := func(ctx context.Context) (say *os.File, heard <-chan string, ended <-chan error) {
		in, say, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		said, done := make(chan string, 10), make(chan error, 1)
		go func() {
			exit, err := s.Run(ctx, tool.Job{Argv: []string{"cat"}, Input: in, Output: func(_ bool, text []byte) { said <- string(text) }, Limits: tool.Limits{Time: time.Hour}})
			if err == nil && exit.Code != 0 {
				err = errors.New(exit.Stderr)
			}
			_ = in.Close() // it has ended
			done <- err
		}()
		return say, said, done
	}
	speak := func(say *os.File, heard <-chan string, text string) {
		t.Helper()
		if _, err := say.WriteString(text); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-heard:
			if got != text {
				t.Errorf("heard %q, want %q", got, text)
			}
		case <-time.After(patience):
			t.Fatal("nothing is heard while it runs")
		}
	}
	end := func(ended <-chan error, want error) {
		t.Helper()
		select {
		case err := <-ended:
			if !errors.Is(err, want) {
				t.Errorf("it ended with %v, want %v", err, want)
			}
		case <-time.After(patience):
			t.Fatal("it does not end")
		}
	}
	say, heard, ended := begin(t.Context())
	speak(say, heard, "one\n")
	speak(say, heard, "two\n")
	_ = say.Close() // the end of what it reads
	end(ended, nil)

	ctx, cancel := context.WithCancel(t.Context())
	say, heard, ended = begin(ctx)
	speak(say, heard, "three\n")
	cancel()
	end(ended, context.Canceled)
	_ = say.Close() // nobody reads
}
