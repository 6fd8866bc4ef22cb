package library

import (
	"strings"
	"testing"

	"chela/internal/definition"
)

// TestUnfit_TriggersThatBeginNothing: a trigger gives each required input a value that may fit; a message is asked for it.
func TestUnfit_TriggersThatBeginNothing(t *testing.T) {
	t.Parallel()
	for trigger, want := range map[string]string{
		`{cron: "0 9 * * MON"}`:                              "it gives no value for the required input title",
		`{cron: "0 9 * * MON", inputs: {title: null}}`:       "it gives no value for the required input title",
		`{webhook: tracker, inputs: {n: 3}}`:                 "it gives no value for the required input title",
		`{cron: "0 9 * * MON", inputs: {title: x, n: many}}`: `its value for the input n does not fit: "many" is no whole number`,
		`{cron: "0 9 * * MON", inputs: {title: x, n: 3}}`:    "",
		`{event: {type: desk.ticket.created}, inputs: {title: "${event.payload.set.title}", n: "${event.seq}"}}`: "",
		`{message: true}`: "",
	} {
		c, problems := definition.ReadFile([]byte("slug: a\nname: A\ninputs: [{name: title, type: string, required: true}, {name: n, type: integer}]\ntriggers:\n  - " + trigger + "\nsteps:\n  - {id: b, transform: x}\n"))
		if problems != nil {
			t.Fatalf("%s: %v", trigger, problems)
		}
		got := unfit(c)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0].Text, want) || got[0].Line != 5) {
			t.Errorf("%s: got %+v, want %q in line 5", trigger, got, want)
		}
	}
}
