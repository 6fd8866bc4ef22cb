package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

func TestTickets_PullRequests(t *testing.T) {
	t.Parallel()
	header, rows := table(
		"number|title|state|state_reason|body|html_url|pull_request.html_url",
		"7|Refund a card|closed|not_planned|Blocked by #9, depends on example/web#3. Duplicate of #8|https://github.com/example/pay/issues/7|",
		"8|Pay|closed|completed|Related to #7, see #9|https://github.com/example/pay/issues/8|",
		"9|Ask|open||Hash #tag and #7x|https://github.com/example/pay/issues/9|",
		"10|Refund twice|closed||Fixes #8 after #9|https://github.com/example/pay/pull/10|https://github.com/example/pay/pull/10",
		"11|Tidy|open||nothing|https://github.com/example/pay/pull/11|https://github.com/example/pay/pull/11",
	)
	got, ok := extract.Tickets(header, rows)
	if !ok || len(got.Tickets) != 3 {
		t.Fatalf("%v, %d tickets, want 3", ok, len(got.Tickets))
	}
	links := [][]extract.TicketLink{
		{{Kind: extract.Duplicates, Ref: "8"}, {Kind: extract.BlockedBy, Ref: "9"}, {Kind: extract.BlockedBy, Ref: "example/web#3"}}, {{Kind: extract.Relates, Ref: "7"}}, nil,
	}
	for i, want := range links {
		if a := got.Tickets[i]; !slices.Equal(a.Links, want) {
			t.Errorf("%s: links %v, want %v", a.Ref, a.Links, want)
		}
	}
	if a, b := got.Tickets[0], got.Tickets[1]; a.Status+a.Outcome != "CLOSEDDUPLICATE" || b.Status != "DONE" || !slices.Equal(b.Requests, []string{"https://github.com/example/pay/pull/10"}) || len(a.Requests) != 0 {
		t.Errorf("%s %s %s %v %v", a.Status, a.Outcome, b.Status, a.Requests, b.Requests)
	}
	if want := "2 pull requests are no tickets; 1 of them"; len(got.Problems) != 1 || !strings.Contains(got.Problems[0], want) {
		t.Errorf("problems %q, want %q", got.Problems, want)
	}
}
