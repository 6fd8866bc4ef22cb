package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/extract"
)

func TestExtract_Objectives(t *testing.T) {
	t.Parallel()
	const card = "Migrate the card handlers > All 3 handlers migrated | J-101, J-102 done | API limits | [J-101 J-102] | COMMITTED"
	for text, want := range map[string]string{
		"Objective: Migrate the card handlers\nOutcome: All 3 handlers migrated\nSignal: J-101, J-102 done\nRisk: API limits\nStatus: COMMITTED\n":                                                card,
		"Objective: Migrate the card handlers / Outcome: All 3 handlers migrated / Signal: J-101, J-102 done / Risk: API limits / Status: COMMITTED":                                              card,
		"Notes of Monday\n\n### Objective 1: Migrate the card handlers\n\n- **Outcome:** All 3 handlers migrated.\n- **Signal:** J-101, J-102 done\n- **Risks:** API limits\n- Status: COMMITTED": card,
		"Sprint 12 goal: Ship it\nMeasurable signal: 10 users\n- no field":                                                                                                                        "Sprint 12: Ship it > | 10 users | | [] | ",
		"Objective: Ship it\nSprint: 12\nRisks:\n- The vendor is slow\n- Nobody is there; no budget\nKey result 1: 10 users\nKR2: J-7 done\nDue: 2026-12-18":                                      "Sprint 12: Ship it > | 10 users; J-7 done | The vendor is slow+Nobody is there+no budget | [J-7] |  2026-12-18",
		"Ziel: Umzug der Kasse\nErgebnis: Drei Kassen umgezogen\nRisiko: Lieferzeit\nStatus: PROPOSED":                                                                                            "Umzug der Kasse > Drei Kassen umgezogen | | Lieferzeit | [] | PROPOSED",
		"Objectives for Sprint 12:\n1. Migrate the card handlers - Outcome: All 3 handlers migrated - Signal: J-101 done\n2. Ship the report (J-7) - COMMITTED\n\n3. Cut the costs":               "Sprint 12: Migrate the card handlers > All 3 handlers migrated | J-101 done | | [J-101] | \nSprint 12: Ship the report (J-7) > | | | [J-7] | COMMITTED\nSprint 12: Cut the costs > | | | [] | ",
		"## Sprint 12 objectives\n- Migrate the card handlers\n  - Outcome: All 3 migrated\n  - Risks: none\n- Ship the report [AT RISK]\n\nAnn will write it.":                                   "Sprint 12: Migrate the card handlers > All 3 migrated | | | [] | \nSprint 12: Ship the report > | | | [] | AT RISK",
		"Objectives:\n1. Migrate the card handlers\n2. Ship the report":                                                                                                                           "Migrate the card handlers > | | | [] | \nShip the report > | | | [] | ",

		"Objective: agree on the budget\nOutcome: the budget is approved":                      "agree on the budget > | | | [] | ", // as minutes say what came of it
		"Goal: ship the new checkout in April":                                                 "ship the new checkout in April > | | | [] | ",
		"Objective: discuss the plan\nStatus: open\nRisk: none":                                "",
		"Goals:\n- Ann to call the bank by Friday\n- Bo to write the report":                   "",
		"Goals:\n1. Be on time\n2. Be kind":                                                    "",
		"Objectives:\n1. Discuss the plan\n2. Decide on the venue":                             "",
		"Risks:\n- The vendor is slow\nOutcome: approved":                                      "",
		"```\nObjectives for Sprint 12:\n```\nThe objectives for Sprint 12 are not known yet.": "",
	} {
		var got []string
		m := extract.ReadMinutes(text)
		for _, g := range m.Goals {
			one := strings.TrimPrefix(fmt.Sprintf("%s: %s > %s | %s | %s | %v | %s %s", g.Sprint, g.Text, g.Outcome, g.Signal, strings.Join(g.Risks, "+"), g.Keys, g.Status, date(g.End)), ": ")
			got = append(got, strings.TrimSpace(strings.ReplaceAll(one, "|  |", "| |")))
			if lines := strings.Split(text, "\n"); !strings.Contains(strings.Join(lines[g.Span.Line-1:g.Span.EndLine], "\n"), g.Span.Quote) {
				t.Errorf("%q does not stand in lines %d to %d", g.Span.Quote, g.Span.Line, g.Span.EndLine)
			}
		}
		norm := func(s string) string {
			var out []string
			for _, line := range strings.Split(s, "\n") {
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
			return strings.Join(out, "\n")
		}
		if norm(strings.Join(got, "\n")) != norm(want) {
			t.Errorf("%q\nhas %q\nwant %q", text, strings.Join(got, "\n"), want)
		}
		if strings.Contains(want, "COMMITTED") && len(m.Decisions)+len(m.Actions) > 0 {
			t.Errorf("%q: %+v and %+v", text, m.Decisions, m.Actions)
		}
	}
}
