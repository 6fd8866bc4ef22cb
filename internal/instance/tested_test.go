package instance_test

import (
	"strings"
	"testing"

	"chela/internal/definition"
	"chela/internal/instance"
)

// all has every kind of step, and tests of its own for how they go on.
const all = `
slug: all
name: All
inputs:
  - {name: items, type: list, default: [1, 2, 3]}
  - {name: mood, type: string, default: good}
steps:
  - id: score
    rule:
      - {when: inputs.mood == "good", then: 10}
      - {then: 1}
  - id: fetch
    tool: {name: http_get, args: {url: "https://example.com/${inputs.mood}"}}
    retry: {times: 2, wait: 10s}
    compensate: {name: http_get, args: {url: "https://example.com/undo/${fetch.text}"}}
  - id: rescue
    needs: [fetch.error]
    transform: {why: "${errors.fetch}"}
  - id: each
    needs: [fetch, rescue]
    map:
      over: inputs.items
      do:
        - id: ask_one
          agent: {name: pm, task: "Look at ${item}, number ${index}."}
        - id: kept
          transform: {text: "${ask_one.text}", item: "${item}"}
  - id: rounds
    loop:
      most: 5
      until: grow.n >= 3
      do:
        - id: grow
          transform: {n: "${round}"}
  - id: write
    when: score > 5
    agent: {name: generalist, task: Write it.}
    review:
      by: [{agent: reviewer}, {role: editor}]
      rework: 2
      escalate: {role: admin}
      after: 1
    contract:
      - {name: long enough, holds: size(result.text) > 3}
      - {name: tests pass, command: {run: go test ./...}}
      - {verdict: true}
  - id: decide
    wait: {person: {ask: "Ship ${write.text}?"}}
  - id: gate
    branch:
      - {case: ship, when: decide.choice == "approve"}
      - {case: hold}
  - id: shipped
    needs: [gate.ship]
    transform: {text: "${write.text}", items: "${each.results.map(r, r.item)}", rounds: "${rounds.rounds}"}
  - id: held
    needs: [gate.hold]
    transform: {text: held}
tests:
  - name: it ships
    given: {fetch: page, each.ask_one: [a, b, c], write: "A text.", decide: approve}
    reviews: {write: approve}
    expect:
      steps: {rescue: skipped, held: skipped, shipped: done, write: done}
      output: {text: "A text.", items: [1, 2, 3], rounds: 3}
  - name: it is tried again
    inputs: {mood: bad}
    given: {fetch: [{error: "No."}, {error: "No."}, page], each.ask_one: a, decide: deny}
    expect: {steps: {fetch: done, write: passed, shipped: skipped, held: done}, output: {text: held}}
  - name: a failure is taken care of
    given: {fetch: {error: "No."}, each.ask_one: a, write: "A text.", decide: approve}
    reviews: {write: approve}
    expect: {steps: {fetch: failed, rescue: done, shipped: done}}
  - name: it is reworked and then accepted
    given: {fetch: page, each.ask_one: a, write: ["One.", "Two.", "Three."], decide: approve}
    reviews: {write: [too short, approve]}
    expect: {output: {text: "Two."}}
  - name: it is never accepted
    given: {fetch: page, each.ask_one: a, write: "One."}
    reviews: {write: no}
    expect: {state: failed, error: after 2 reworks, steps: {fetch: undone}}
  - name: what is said to be done is not
    given: {fetch: page, each.ask_one: a, write: "One."}
    reviews: {write: approve}
    evidence: {write: {tests pass: false}}
    expect: {state: unproven, error: "Not met: tests pass."}
`

// TestTest_EveryKindOfStep plays the tests of a file, and a file whose tests do not hold.
func TestTest_EveryKindOfStep(t *testing.T) {
	t.Parallel()
	c, problems := definition.ReadFile([]byte(all))
	if problems != nil {
		t.Fatal(problems.In("all.yaml"))
	}
	for _, test := range c.Tests {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if got := instance.Test(t.Context(), c, test); !got.OK {
				t.Errorf("%s\n%+v", strings.Join(got.Failed, "\n"), got.Steps)
			}
		})
	}
	for want, test := range map[string]definition.Test{
		"gives nothing for the step fetch": {Name: "nothing"},
		"It is done, and not failed":       {Name: "other", Given: map[string]any{"fetch": "x", "each.ask_one": "a", "write": "Long.", "decide": "deny"}, Reviews: map[string]any{"write": "approve"}, Expect: definition.Expectation{State: "failed"}},
		"The output.text is held":          {Name: "output", Given: map[string]any{"fetch": "x", "each.ask_one": "a", "write": "Long.", "decide": "deny"}, Reviews: map[string]any{"write": "approve"}, Expect: definition.Expectation{Output: map[string]any{"text": "x"}}},
		"is no whole number":               {Name: "inputs", Inputs: map[string]any{"items": int64(3)}},
	} {
		got := instance.Test(t.Context(), c, test)
		if want == "is no whole number" {
			want = "is no list"
		}
		if text := strings.Join(got.Failed, "\n"); got.OK || !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q in it", test.Name, text, want)
		}
	}
}
