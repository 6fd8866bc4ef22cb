package extract_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// listedTickets reads what a text lists, a line for each ticket.
func listedTickets(t *testing.T, text string) (out []string) {
	t.Helper()
	header, rows, ok := extract.ListedTickets(text)
	if !ok {
		return nil
	}
	since := extract.Since(func() (time.Time, string) { return time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC), "the text" })
	table, ok := since.Tickets(header, rows)
	if !ok {
		t.Fatalf("%v are no tickets", rows)
	}
	lines := strings.Split(text, "\n")
	for _, x := range table.Tickets {
		if x.Span.Quote != strings.TrimSpace(lines[x.Span.Line-1]) || !x.Listed {
			t.Errorf("%s quotes %q for line %d", x.Ref, x.Span.Quote, x.Span.Line)
		}
		points := "-"
		if x.Points != nil {
			points = strconv.FormatFloat(*x.Points, 'g', -1, 64)
		}
		out = append(out, fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s", x.Ref, x.Title, points, x.Owner, strings.TrimSpace(x.Status+" "+x.Outcome), x.Priority, date(x.Due)))
	}
	return out
}

// TestListedTickets_Lines reads lists as people paste them: commas, dashes, brackets, bullets, numbers, signs.
func TestListedTickets_Lines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"commas":    {"PAY-201: Refactor card handler, 5 SP, Joe\nPAY-202: Audit log, 3 SP, Alice Chen\n", "PAY-201|Refactor card handler|5|Joe|TODO|MEDIUM|;PAY-202|Audit log|3|Alice Chen|TODO|MEDIUM|"},
		"dashes":    {"PAY-201 Refactor card handler (5 SP) - Joe Martinez\nPAY-203 Fix sums — unassigned", "PAY-201|Refactor card handler|5|Joe Martinez|TODO|MEDIUM|;PAY-203|Fix sums|-||TODO|MEDIUM|"},
		"brackets":  {"- J-201 Retry queue (HIGH, owner: Alice)\n* [J-204] Timeouts (in progress, @bob, due Dec 3)", "J-201|Retry queue|-|Alice|TODO|HIGH|;J-204|Timeouts|-|bob|IN_PROGRESS|MEDIUM|2026-12-03"},
		"numbers":   {"1. PAY-1 Dark mode - done\n2) PAY-2 Audit log ✅\n3. PAY-3: Old API - blocked", "PAY-1|Dark mode|-||DONE|MEDIUM|;PAY-2|Audit log|-||DONE|MEDIUM|;PAY-3|Old API|-||BLOCKED|MEDIUM|"},
		"boxes":     {"- [x] PAY-1 Dark mode\n- [ ] PAY-2 Audit log (P1, 8 points, Ann Lee)", "PAY-1|Dark mode|-||DONE|MEDIUM|;PAY-2|Audit log|8|Ann Lee|TODO|HIGH|"},
		"links":     {"- [PAY-1](https://t.example/PAY-1) Dark mode, 2pts\n- **PAY-2** – Audit log – Bo – in review", "PAY-1|Dark mode|2||TODO|MEDIUM|;PAY-2|Audit log|-|Bo|REVIEW|MEDIUM|"},
		"semicolon": {"PAY-1 Pay by invoice; owner: Alice Chen; status: in review; due 2026-12-09\nPAY-2 Refunds; est 0,5", "PAY-1|Pay by invoice|-|Alice Chen|REVIEW|MEDIUM|2026-12-09;PAY-2|Refunds|0.5||TODO|MEDIUM|"},
		"one bar":   {"- PAY-1: Pay by invoice | Owner: Joe\n- PAY-2: Refunds, 3 SP, Ann", "PAY-1|Pay by invoice|-|Joe|TODO|MEDIUM|;PAY-2|Refunds|3|Ann|TODO|MEDIUM|"},
		"heading":   {"# Weekly\n\n## Sprint backlog\n- PAY-1: Support Visa, Mastercard\n- PAY-2: Refunds\n\n## Notes\nNothing else.", "PAY-1|Support Visa, Mastercard|-||TODO|MEDIUM|;PAY-2|Refunds|-||TODO|MEDIUM|"},
		"alone":     {"Notes of today. We talked a lot.\n\nTickets:\n- PAY-1: Refunds\n\nThen we went home. It was late.", "PAY-1|Refunds|-||TODO|MEDIUM|"},
		"board":     {"In Progress (1)\nPAY-1 Refunds\n\nDone\nPAY-2 Dark mode\nPAY-3 Audit log (2 SP)", "PAY-1|Refunds|-||IN_PROGRESS|MEDIUM|;PAY-2|Dark mode|-||DONE|MEDIUM|;PAY-3|Audit log|2||DONE|MEDIUM|"},
		"names":     {"PAY-1 Refunds - Joe Martinez\nPAY-2 Audit log - Alice Chen\nPAY-3 Dark mode - Joe Martinez", "PAY-1|Refunds|-|Joe Martinez|TODO|MEDIUM|;PAY-2|Audit log|-|Alice Chen|TODO|MEDIUM|;PAY-3|Dark mode|-|Joe Martinez|TODO|MEDIUM|"},
		"known":     {"PAY-1 Refunds (owner: Joe)\nPAY-2 Audit log - Joe\nPAY-3 Login - Web", "PAY-1|Refunds|-|Joe|TODO|MEDIUM|;PAY-2|Audit log|-|Joe|TODO|MEDIUM|;PAY-3|Login - Web|-||TODO|MEDIUM|"},
		"more said": {"Board\n- PAY-1: Refunds, 5 SP\n  waits for the bank\n- PAY-2: Audit log, Bo", "PAY-1|Refunds|5||TODO|MEDIUM|;PAY-2|Audit log, Bo|-||TODO|MEDIUM|"},
		"waiting":   {"PAY-1: Refunds (blocked by PAY-2)\nPAY-2: Audit log (Dec 3, 2026, Ann, backend)", "PAY-1|Refunds|-||BLOCKED|MEDIUM|;PAY-2|Audit log|-|Ann|TODO|MEDIUM|2026-12-03"},
		"german":    {"Aufgabenliste:\n- PAY-1: Rückzahlungen, 5 Punkte, Verantwortlich: Jörg\n- PAY-2: Suche (in Arbeit, fällig: 2026-12-09)", "PAY-1|Rückzahlungen|5|Jörg|TODO|MEDIUM|;PAY-2|Suche|-||IN_PROGRESS|MEDIUM|2026-12-09"},
	} {
		if got := strings.Join(listedTickets(t, c.text), ";"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestListedTickets_None: sentences about tickets, updates, decisions and titles that end in what looks like a name list no tickets, or none
// with an owner.
func TestListedTickets_None(t *testing.T) {
	t.Parallel()
	for _, none := range []string{
		"PAY-201 was discussed\nPAY-202 was, too",
		"PAY-201: Refactor card handler, 5 SP, Joe", // one line, and no heading
		"Updates\n- PAY-201: waiting on the vendor\n- PAY-202: Joe fixed it, deploy tomorrow\n- PAY-203: done",
		"We met.\n\nPAY-201: we agreed to move it (Joe)\nPAY-202: moved to the next sprint - blocked",
		"Action items\n- PAY-201: Call the bank, Joe, due Friday\n- PAY-202: Ask legal - Ann",
		"Decisions\nPAY-206: Go with Kafka\nPAY-207: Use Postgres (Joe)\n\nThat was all.\nBye.",
		"Tickets\n- PAY-1 Joe to fix the build by Friday\n- PAY-2 Ann will call the bank",
		"Standards\nRFC-2119: Keywords, done\nUTF-8: Encoding, done",
		"PAY-7, PAY-8 and PAY-9 are done\nPAY-10 and PAY-11 (done)",
		"PAY-10 (done)\nPAY-11 (blocked)", "PAY-1 done\nPAY-2 blocked",
		"Walk the board, all present\n\nIN PROGRESS\n- S-44: bigger than thought, split it → Elske\n- S-45: Ann stuck on CORS, Bo pairs with her\n\nDONE\n- S-46: merged",
		"PAY-1  TODO  Joe  Refunds\nPAY-2  DONE  Ann  Audit log",
		"Is PAY-1 done?\nPAY-1: Is it done?\nPAY-2: Who has it?",
	} {
		if got := listedTickets(t, none); got != nil {
			t.Errorf("%q lists %q", none, got)
		}
		if got := extract.AroundListed(none); got != none {
			t.Errorf("%q became %q", none, got)
		}
	}
	for _, x := range listedTickets(t, "Tickets\nPAY-1 Login – Android\nPAY-2 Checkout - Apple Pay\nPAY-3 Checkout - Google Pay\nPAY-4 Support Visa, Mastercard") {
		if f := strings.Split(x, "|"); f[3] != "" || !strings.ContainsAny(f[1], "–-,") {
			t.Errorf("%q has an owner", x)
		}
	}
}

// TestAroundListed: what is said around a list are notes, on the lines that they have.
func TestAroundListed(t *testing.T) {
	t.Parallel()
	text := "# Weekly 2026-11-27\n\n## Tickets\n- PAY-1: Refunds, 5 SP, Joe\n- PAY-2: Audit log, Ann, done\n\n## Actions\n- Joe to call the bank by Friday\n"
	m := extract.ReadMinutes(extract.AroundListed(text))
	if len(m.Actions) != 1 || m.Actions[0].Span.Line != 8 || m.Actions[0].Owner != "Joe" {
		t.Errorf("the actions are %+v", m.Actions)
	}
	if got := listedTickets(t, text); !slices.Equal(got, []string{"PAY-1|Refunds|5|Joe|TODO|MEDIUM|", "PAY-2|Audit log|-|Ann|DONE|MEDIUM|"}) {
		t.Errorf("the tickets are %q", got)
	}
}
