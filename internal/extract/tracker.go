package extract

import (
	"slices"
	"strings"
)

// A Source is the tracker that a table comes from.
type Source string

// The trackers that rules know by their columns.
const (
	Jira    Source = "jira"
	Linear  Source = "linear"
	GitHub  Source = "github"
	GitLab  Source = "gitlab"
	Asana   Source = "asana"
	Trello  Source = "trello"
	Generic Source = "generic"
)

// marks are columns that only one tracker writes; a trailing "…" stands for any ending.
// Two of them name the tracker, or one and an address of its own.
var marks = []struct {
	source Source
	names  []string
	hosts  []string
}{
	{Jira, list("issue key, issuekey, issue type, issuetype…, fields.…, issue id, fix version/s, fix versions, fixversions, affects version/s, affects versions, outward issue link…, inward issue link…, custom field…, customfield…, resolution, resolutiondate, project key, project lead, status category, vorgangsschlüssel, vorgangstyp, clé de ticket, type de ticket, clave de incidencia, tipo de incidencia, klucz zgłoszenia, typ zgłoszenia, tipo de item, chave da item, 課題キー, 課題タイプ, 问题关键字, 问题类型, votes, watchers, watches, environment, components, component/s, lösungsversion, pole niestandardowe…, benutzerdefinierte…, champ personnalisé…, campo personalizado…"), []string{"/browse/", "atlassian.net"}},
	{Linear, list("cycle name, cycle number, cycle start, cycle end, project milestone, project milestone id, sla status, parent issue, initiatives, triaged, identifier, branchname, team, cycle, archivedat"), []string{"linear.app/"}},
	{GitHub, list("html_url, number, node_id, assignee.login, user.login, author.login, comments_url, labels_url, state_reason, author_association, pull_request, milestone.title, repository_url, repository, assignees, closedat"), []string{"github.com/"}},
	{GitLab, list("iid, web_url, time estimate, time spent, author username, assignee username, confidential, locked, created at (utc), closed at (utc), weight, project_id, merge_requests_count"), []string{"gitlab", "/-/issues/"}},
	{Asana, list("gid, task id, section/column, last modified, assignee email, parent task, blocked by (dependencies), blocking (dependencies), resource_type, permalink_url, completed at, completed_at, due_on, num_hearts, notes, projects"), []string{"app.asana.com/"}},
	{Trello, list("idlist, idboard, idshort, shortlink, shorturl, card id, card name, card url, card description, list name, list id, board name, board id, idmembers, duecomplete, closed, desc, pos, datelastactivity, last activity date, checklist item total count"), []string{"trello.com/"}},
}

// sourceOf names the tracker that writes such columns.
func sourceOf(header []string, at layout, rows []Row) Source {
	var names []string
	for _, h := range header {
		name := strings.ToLower(strings.Trim(h, "\ufeff\" "))
		names = append(names, name, strings.TrimPrefix(name, "fields."))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	address := ""
	for _, r := range rows[:min(len(rows), 50)] {
		if address = strings.ToLower(cellIn(r, at["url"])); address != "" {
			break
		}
	}
	best, most := Generic, 1
	for _, m := range marks {
		n := 0
		for _, want := range m.names {
			prefix, open := strings.CutSuffix(want, "…")
			if slices.ContainsFunc(names, func(h string) bool { return h == want || open && strings.HasPrefix(h, prefix) }) {
				n++
			}
		}
		if address != "" && slices.ContainsFunc(m.hosts, func(h string) bool { return strings.Contains(address, h) }) {
			n += 3
		}
		if n > most {
			best, most = m.source, n
		}
	}
	return best
}

// cellIn returns the first filled cell of some columns.
func cellIn(row Row, at []int) string {
	for _, i := range at {
		if i < len(row.Cells) {
			if v := plainCell(row.Cells[i]); v != "" {
				return v
			}
		}
	}
	return ""
}

// plainCell is a cell whose lines end alike, whatever format and system they come from.
func plainCell(s string) string {
	s = strings.TrimSpace(s)
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
