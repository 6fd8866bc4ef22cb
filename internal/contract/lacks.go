package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/shell"
)

// A Place is where contracts are checked: who and what is there. Errors are sentences.
type Place interface {
	// MayCall says why an agent cannot call a tool, or that no agent can when none is named; nil is that it can.
	MayCall(ctx context.Context, agent, tool string) error
	// Person says that nobody has a name or an id.
	Person(ctx context.Context, who string) error
	// Answers says that nobody who is enabled has a role or a higher one.
	Answers(ctx context.Context, role string) error
	// Program reports whether agents' programs find one of a name.
	Program(name string) bool
	// Record says that there is no record of an id.
	Record(ctx context.Context, id string) error
}

// Lacks says which conditions can never be met in a place as it is, and why: sentences. What is only known once
// the work is done is left out.
func Lacks(ctx context.Context, p Place, terms []definition.Condition) []string {
	var out []string
	for _, c := range terms {
		if err := lacking(ctx, p, c); err != nil {
			out = append(out, fmt.Sprintf("The check %q can never be met here. %s", c.Title(), fault.TextOf(err)))
		}
	}
	return out
}

func lacking(ctx context.Context, p Place, c definition.Condition) error {
	switch {
	case c.File != nil:
		return p.MayCall(ctx, c.File.Agent, "read_file")
	case c.Command != nil:
		if err := p.MayCall(ctx, c.Command.Agent, "shell_exec"); err != nil {
			return err
		}
		return Programs(p, c.Command.Run)
	case c.Record != nil && fixed(c.Record.ID):
		return p.Record(ctx, c.Record.ID)
	}
	return nil
}

// TermsLack is [Lacks] of the contract of a ticket, whose verdicts name who gives them.
func TermsLack(ctx context.Context, p Place, terms []desk.Term) []string {
	conditions := make([]definition.Condition, 0, len(terms))
	var out []string
	for _, t := range terms {
		conditions = append(conditions, ConditionOf(t))
		if t.Verdict == nil {
			continue
		}
		if err := Reviewer(ctx, p, t.Verdict.Agent, t.Verdict.Person, t.Verdict.Role); err != nil {
			out = append(out, fmt.Sprintf("The check %q can never be met here. %s", t.Title(), fault.TextOf(err)))
		}
	}
	return append(Lacks(ctx, p, conditions), out...)
}

// Reviewer says why who is to review cannot: one of an agent, a person and a role.
func Reviewer(ctx context.Context, p Place, agent, person, role string) error {
	switch {
	case agent != "":
		return p.MayCall(ctx, agent, "")
	case person != "" && fixed(person):
		return p.Person(ctx, person)
	case role != "":
		return p.Answers(ctx, role)
	}
	return nil
}

// fixed reports whether a text has no expressions.
func fixed(text string) bool { return !strings.Contains(text, "${") }

var expression = pattern.New(`\$\{[^}]*\}`)

// unknown stands for what an expression gives.
const unknown = "__value__"

// Programs says which programs of a line for a shell are not in a place. What the line itself may make, a program
// with a folder and what an expression names is not looked for.
func Programs(p Place, line string) error {
	read := shell.Reader{}.Read(expression.ReplaceAllString(line, unknown))
	var missing []string
	for _, c := range read.Commands {
		name := c.Program
		if name == "" || strings.ContainsAny(name, `/$*?`+"`") || strings.Contains(name, unknown) || slices.Contains(builtin, name) || strings.Contains(line, name+"()") {
			continue
		}
		if !p.Program(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.NotFound, "The program %s is not on this machine where agents' programs look; install it, or add its folder to sandbox.path in chela.yaml.", strings.Join(missing, ", "))
}

// builtin are the words that a shell runs itself.
var builtin = strings.Fields(". : [ [[ alias bg break builtin case cd command continue declare dirs do done echo elif else esac eval exec exit export false fg fi for function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source test then time times trap true type typeset ulimit umask unalias unset until wait while")
