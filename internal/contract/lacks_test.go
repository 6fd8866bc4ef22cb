package contract_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"chela/internal/contract"
	"chela/internal/desk"
	"chela/internal/fault"
)

// office is a place with one agent, one person and a few programs.
type office struct{}

func (office) MayCall(_ context.Context, agent, tool string) error {
	if agent != "" && agent != "coder" {
		return fault.New(fault.NotFound, "There is no agent named %s.", agent)
	}
	if tool == "read_file" {
		return fault.New(fault.Denied, "Nobody may call %s.", tool)
	}
	return nil
}

func (office) Person(_ context.Context, who string) error {
	if who != "Ann" {
		return fault.New(fault.NotFound, "There is no person named %s.", who)
	}
	return nil
}

func (office) Answers(_ context.Context, role string) error {
	if role != "editor" {
		return fault.New(fault.NotFound, "Nobody has the role %s.", role)
	}
	return nil
}

func (office) Program(name string) bool { return slices.Contains([]string{"go", "git"}, name) }

func (office) Record(_ context.Context, id string) error {
	return fault.New(fault.NotFound, "There is no record %s.", id)
}

func TestTermsLack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		term desk.Term
		want string // "" is nothing
	}{
		"a program behind a pipe":             {desk.Term{Command: &desk.CommandTerm{Run: "cd /srv/pay && go test ./... | tee /dev/null && [ -f done ]"}}, "program tee is not"},
		"a program that is not there":         {desk.Term{Command: &desk.CommandTerm{Run: "gotestsum ./..."}}, "program gotestsum is not"},
		"words of the shell":                  {desk.Term{Command: &desk.CommandTerm{Run: "set -e; if test -f x; then echo yes; else exit 1; fi; git status"}}, ""},
		"what an expression names":            {desk.Term{Command: &desk.CommandTerm{Run: "${ticket.title} --run; go vet ${result.text}"}}, ""},
		"what lies in a folder":               {desk.Term{Command: &desk.CommandTerm{Run: "./gradlew test"}}, ""},
		"an agent that is not there":          {desk.Term{Command: &desk.CommandTerm{Run: "go test", Agent: "tester"}}, "no agent named tester"},
		"a file that nobody reads":            {desk.Term{File: &desk.FileTerm{Path: "CHANGELOG.md"}}, "Nobody may call read_file"},
		"a record that is not there":          {desk.Term{Record: &desk.RecordTerm{ID: "tkt_1"}}, "no record tkt_1"},
		"a record that is not known yet":      {desk.Term{Record: &desk.RecordTerm{ID: "${ticket.id}"}}, ""},
		"a person who is not there":           {desk.Term{Verdict: &desk.ReviewerTerm{Person: "Zoe"}}, "no person named Zoe"},
		"a person who is there":               {desk.Term{Verdict: &desk.ReviewerTerm{Person: "Ann"}}, ""},
		"a role that nobody has":              {desk.Term{Verdict: &desk.ReviewerTerm{Role: "owner"}}, "Nobody has the role owner"},
		"an agent that reviews and is absent": {desk.Term{Verdict: &desk.ReviewerTerm{Agent: "critic"}}, "no agent named critic"},
		"what is computed":                    {desk.Term{Holds: "size(result.text) > 3"}, ""},
	} {
		got := strings.Join(contract.TermsLack(t.Context(), office{}, []desk.Term{c.term}), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add("go test ./... && ${x} | tee `date`")
	f.Add("a() { b; }; a")
	f.Fuzz(func(t *testing.T, line string) {
		err := contract.Programs(office{}, line)
		if err != nil && strings.Contains(fault.TextOf(err), "__value__") {
			t.Errorf("%q: %v", line, err)
		}
	})
}
