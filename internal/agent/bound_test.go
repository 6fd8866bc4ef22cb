package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/disk"
	"chela/internal/org"
	"chela/internal/run"
)

// TestApproval_HoldsForWhatItWasGivenFor: a script and a working folder are what they were when
// a person was asked, or that person is asked again, or the call is refused.
func TestApproval_HoldsForWhatItWasGivenFor(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	relink := func(to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := errors.Join(os.Remove(dir+"/link"), os.Symlink(to, dir+"/link")); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, name), text) }
	}
	for name, c := range map[string]struct {
		calls  []string
		change func(t *testing.T, dir string) // while the question waits
		asked  string                         // why it is asked again; "" when it is not
		told   string                         // of the last call
	}{
		"nothing changed":           {calls: []string{`program {"command":"sh deploy.sh"}`}, told: "first"},
		"another file changed":      {calls: []string{`program {"command":"sh deploy.sh"}`}, change: change("other.sh", "x"), told: "first"},
		"a script":                  {calls: []string{`program {"command":"sh deploy.sh"}`}, change: change("deploy.sh", "echo second"), asked: "deploy.sh has changed since a person was asked.", told: "second"},
		"a script by its path":      {calls: []string{`program {"command":"sh ./x/../deploy.sh && true"}`}, change: change("deploy.sh", "echo second"), asked: "deploy.sh has changed", told: "second"},
		"a script that is read":     {calls: []string{`program {"command":"sh < deploy.sh"}`}, change: change("deploy.sh", "echo second"), asked: "deploy.sh has changed", told: "second"},
		"a makefile":                {calls: []string{`program {"command":"make -f rules.mk || sh rules.mk"}`}, change: change("rules.mk", "echo second"), asked: "rules.mk has changed", told: "second"},
		"a script behind a link":    {calls: []string{`program {"command":"sh link/in.sh"}`}, change: relink("b"), asked: "link/in.sh leads to", told: "of b"},
		"a working folder":          {calls: []string{`program {"command":"cat in.txt","working_dir":"link"}`}, change: relink("b"), asked: "link leads to", told: "of b"},
		"a script that was missing": {calls: []string{`program {"command":"sh new.sh"}`}, change: change("new.sh", "echo second"), asked: "new.sh was not there when a person was asked.", told: "second"},
		"a call before it": {
			calls: []string{`program {"command":"echo echo second > deploy.sh"}`, `program {"command":"sh deploy.sh"}`},
			told:  "program was approved, but", // and the rest of the sentence below
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"deploy.sh": "echo first", "rules.mk": "echo first", "x/a": "", "a/in.sh": "echo of a", "b/in.sh": "echo of b", "a/in.txt": "of a", "b/in.txt": "of b"} {
				write(t, filepath.Join(dir, file), text)
			}
			if err := os.Symlink("a", dir+"/link"); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) {
				return agent.Permitted{Folders: disk.Folders{Work: dir}, Links: filepath.EvalSymlinks}, nil
			})})
			r, q := w.waits("Deploy", c.calls...)
			if c.change != nil {
				c.change(t, dir)
			}
			if err := w.decide(org.Editor, approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}); err != nil {
				t.Fatal(err)
			}
			r, _ = w.end(string(r.ID))
			if c.asked != "" {
				if r.State != run.Waiting {
					t.Fatalf("it is %s, want it to ask again", r.State)
				}
				again, err := w.db.Questions.Approval(t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
				if err != nil || again.ID == q.ID || !strings.Contains(strings.Join(again.Calls[0].Notes, " "), c.asked) {
					t.Fatalf("%+v %v, want a new question that says %q", again, err, c.asked)
				}
				if err := w.decide(org.Editor, approval.Answer{ID: again.ID, Choice: approval.Approve, Digest: again.Digest}); err != nil {
					t.Fatal(err)
				}
				r, _ = w.end(string(r.ID))
			}
			got := w.results()
			if r.State != run.Done || len(got) != len(c.calls) || !strings.Contains(got[len(got)-1].Text, c.told) {
				t.Errorf("it is %s and the agent was told %+v, want %q", r.State, got, c.told)
			}
			if name == "a call before it" && !strings.Contains(got[1].Text, "deploy.sh has changed since a person was asked.") {
				t.Errorf("the agent was told %q", got[1].Text)
			}
		})
	}
}
