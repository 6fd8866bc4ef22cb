package extract

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Trackers of code say in texts how issues stand to each other, and list pull requests among
// them, which are work on tickets and no tickets.

const issueRef = `((?:[\w.-]+(?:/[\w.-]+)*)?#\d{1,18}|https?://[^\s()<>\[\]]{1,300}/(?:issues|pull|merge_requests|work_items)/\d{1,18})`

var (
	requestPage = pattern.New(`^https?://[^\s]+/(?:pull|merge_requests)/\d+`)
	closing     = pattern.New(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:issue\s+)?` + issueRef)
	naming      = pattern.New(`(?:^|[\s(\[,;:])` + issueRef)
	listing     = pattern.New(`"(?:number|iid)"\s*:\s*(\d{1,18})`)
	saying      = []struct {
		kind LinkKind
		form *pattern.Pattern
	}{
		{Duplicates, pattern.New(`(?i)\b(?:duplicates?|dupe|dup)\s+(?:of\s+)?` + issueRef)},
		{DuplicatedBy, pattern.New(`(?i)\bduplicated\s+by:?\s+` + issueRef)},
		{BlockedBy, pattern.New(`(?i)\b(?:blocked\s+(?:by|on)|depends\s+on|depends\s+upon|waits\s+for|waiting\s+(?:for|on)):?\s+` + issueRef)},
		{Blocks, pattern.New(`(?i)\bblocks:?\s+` + issueRef)},
		{Relates, pattern.New(`(?i)\b(?:relates?\s+to|related\s+(?:to|issues?)|related:|see\s+also:?)\s+` + issueRef)},
	}
)

// told are the links of an issue and those that its text and its comments tell, where the
// tracker numbers the issues of a repository.
func (r *rowReader) told(t TicketRow) []TicketLink {
	out := t.Links
	if t.Repository == "" && !r.numbers {
		return out
	}
	texts := []string{t.Description}
	for _, c := range t.Comments {
		texts = append(texts, c.Text)
	}
	for _, text := range texts {
		if !strings.Contains(text, "#") && !strings.Contains(text, "://") {
			continue
		}
		for _, s := range saying {
			for _, m := range s.form.FindAllStringSubmatch(text, -1) {
				ref := strings.TrimPrefix(m[1], "#")
				if same := slices.ContainsFunc(out, func(l TicketLink) bool { return strings.TrimPrefix(l.Ref, "#") == ref }); !same && ref != t.Ref && len(out) < mostLinks {
					out = append(out, TicketLink{s.kind, ref})
				}
			}
		}
	}
	return out
}

// mostLinks is how many links a text may add to a ticket.
const mostLinks = 100

// A request is a pull or merge request, and the issues that it closes or names.
type request struct {
	TicketRow
	issues []string
}

// isRequest reports a row that is a pull or merge request.
func (r *rowReader) isRequest(row Row, t TicketRow) bool {
	switch strings.ToLower(named(r.first(row, "type"))) {
	case "pr", "pull request", "pullrequest", "pull_request", "merge request", "mergerequest", "merge_request", "mr":
		return true
	}
	return requestPage.MatchString(t.URL) || !blank(r.first(row, "request"))
}

// closed are the issues that a request closes, else those that it names.
func (r *rowReader) closed(row Row, t TicketRow) (out []string) {
	text := t.Title + "\n" + t.Description
	for _, form := range []*pattern.Pattern{closing, naming} {
		if len(out) == 0 {
			for _, m := range form.FindAllStringSubmatch(text, mostLinks) {
				out = append(out, strings.TrimPrefix(m[1], "#"))
			}
		}
	}
	for _, cell := range r.cells(row, "closes") {
		for _, m := range listing.FindAllStringSubmatch(cell, mostLinks) {
			out = append(out, m[1])
		}
	}
	return out
}

// attach gives requests to the issues that they close or name. at says where the issues are.
func (t *TicketTable) attach(requests []request, at map[string]int) {
	linked := 0
	for _, q := range requests {
		is := false
		for _, ref := range q.issues {
			repository, number, ok := Numbered(ref)
			if repository == "" {
				repository = q.Repository
			}
			if i, found := at[keyOf(repository, number)]; ok && found && q.URL != "" {
				is = true
				if !slices.Contains(t.Tickets[i].Requests, q.URL) {
					t.Tickets[i].Requests = append(t.Tickets[i].Requests, q.URL)
				}
			}
		}
		if is {
			linked++
		}
	}
	if n := len(requests); n > 0 {
		t.Problems = append(t.Problems, requestsSaid(requests[0].Span.Line, n, linked))
	}
}

func requestsSaid(line, n, linked int) string {
	switch {
	case n == 1 && linked == 1:
		return fmt.Sprintf("line %d: a pull request is no ticket; it is a link of the issues that it closes or names.", line)
	case n == 1:
		return fmt.Sprintf("line %d: a pull request is no ticket, and names no issue of the table; it was left out.", line)
	}
	return fmt.Sprintf("line %d: %d pull requests are no tickets; %d of them are links of the issues that they close or name, the others were left out.", line, n, linked)
}
