package extract_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
	"chela/internal/fault"
)

// table makes rows of cells that are written with | between them.
func table(lines ...string) (header []string, rows []extract.Row) {
	for i, l := range lines {
		cells := strings.Split(l, "|")
		for j := range cells {
			cells[j] = strings.ReplaceAll(cells[j], "¶", "\n")
		}
		if i == 0 {
			header = cells
			continue
		}
		rows = append(rows, extract.Row{Line: i + 1, Cells: cells})
	}
	return header, rows
}

// told writes down what was read of a ticket, in one line.
func told(t extract.TicketRow) string {
	day := func(d time.Time) string {
		if d.IsZero() {
			return "-"
		}
		return d.Format(time.DateOnly)
	}
	points := ""
	if t.Points != nil {
		points = fmt.Sprint(*t.Points)
	}
	return fmt.Sprintf("%s/%s/%s/%s/%s/%s/%s/%s/%s/due %s", t.Ref, t.Title, strings.TrimSpace(t.Status+" "+t.Outcome), t.Priority, t.Type, t.Owner, points, t.Parent, t.Sprint, day(t.Due))
}

// trackers are exports of one or two tickets, and what is read of the first.
var trackers = map[string]struct {
	table  []string
	source extract.Source
	want   string
}{
	"Jira, all fields": {[]string{
		"Sprint|Summary|Issue key|Issue id|Parent|Issue Type|Status|Priority|Assignee|Due date|Sprint|Custom field (Story Points)|Status Category",
		"S 1|Refund a card|PAY-7|10007|10001|Story|In UAT|Highest|Ann Lee|04/Mar/26 12:00 AM|S 2|2,5|In Progress",
		"|Payments|PAY-1|10001||Epic|To Do|Low|||||To Do",
	}, extract.Jira, "PAY-7/Refund a card/IN_PROGRESS/CRITICAL/STORY/Ann Lee/2.5/PAY-1/S 2/due 2026-03-04"},
	"Jira, flattened JSON": {[]string{
		"key|fields.summary|fields.status.name|fields.status.id|fields.assignee.accountId|fields.assignee.displayName|fields.customfield_10016|fields.parent.key|fields.issuetype.name|fields.priority.name|fields.duedate",
		"PAY-7|Refund a card|Fertig|3|5b1|Ann Lee|5|PAY-1|Story|High|2026-03-04",
	}, extract.Jira, "PAY-7/Refund a card/DONE/HIGH/STORY/Ann Lee/5/PAY-1//due 2026-03-04"},
	"Azure DevOps": {[]string{
		`ID|Work Item Type|Title|Assigned To|State|Priority|Tags|Iteration Path|Effort|Created Date|Target Date|Parent`,
		`102|User Story|Refund a card|Ann Lee <ann@example.org>|Active|1|payments; api|Shop\Sprint 4|5|9/14/2026 10:22:11 AM|9/30/2026|101`,
		`101|Feature|Payments||New|2||Shop|||9/14/2026 10:20:00 AM||`,
	}, extract.Generic, "102/Refund a card/IN_PROGRESS/CRITICAL/STORY/Ann Lee/5/101/Sprint 4/due 2026-09-30"},
	"ClickUp": {[]string{
		"Task Type|Task ID|Task Name|Parent ID|Status|Assignees|Priority|Due Date|Date Created|List Name|Tags|Sprint Points",
		"Task|86a1x|Refund a card||in progress|[Ann Lee,Bo]|urgent|1790000000000|1789000000000|Backend|[ci,infra]|3",
	}, extract.Generic, "86a1x/Refund a card/IN_PROGRESS/CRITICAL/TASK/Ann Lee,Bo/3///due 2026-09-21"},
	"monday.com": {[]string{
		"Name|Subitems|Person|Status|Priority|Due date|Story Points|Item ID (auto generated)",
		"Refund a card||Ann Lee|Working on it|High|2026-09-30|5|4455667788",
	}, extract.Generic, "4455667788/Refund a card/IN_PROGRESS/HIGH//Ann Lee/5///due 2026-09-30"},
	"Notion": {[]string{
		"Name|Status|Assign|Due|Priority|Created time|Estimate",
		"Refund a card|Not started|Ann Lee|September 30, 2026|Low|September 1, 2026 9:41 AM|3",
	}, extract.Generic, "/Refund a card/TODO/LOW//Ann Lee/3///due 2026-09-30"},
	"Redmine": {[]string{
		"#|Project|Tracker|Parent task|Status|Priority|Subject|Author|Assignee|Category|Target version|Due date|Estimated time|% Done",
		"815|Portal|Bug|812|In Progress|High|Refund a card|Kai|Ann Lee|auth|1.4|2026-09-30|4,5|40",
		"812|Portal|Feature||New|Normal|Payments|Kai|||||||",
	}, extract.Generic, "815/Refund a card/IN_PROGRESS/HIGH/BUG/Ann Lee//812//due 2026-09-30"},
	"Shortcut": {[]string{
		"id|name|type|requester|owners|is_completed|created_at|estimate|due_date|labels|state|iteration",
		"1201|Refund a card|feature|Kai|Ann Lee;Bo|FALSE|2026/09/01 10:00:00|3|2026/10/01 00:00:00|api|In Development|Iteration 9",
	}, extract.Generic, "1201/Refund a card/IN_PROGRESS/MEDIUM/STORY/Ann Lee;Bo/3//Iteration 9/due 2026-10-01"},
	"YouTrack": {[]string{
		"Issue Id|Project|Summary|Reporter|Created|Priority|Type|State|Assignee|Subsystem|Estimation|Sprints",
		"AG-7|Agile|Refund a card|kai|2026-09-01 10:00|Critical|Bug|Open|Ann Lee|UI|1d 4h|Sprint 12",
	}, extract.Generic, "AG-7/Refund a card/TODO/CRITICAL/BUG/Ann Lee///Sprint 12/due -"},
	"Bugzilla": {[]string{
		"Bug ID|Product|Component|Assignee|Status|Resolution|Summary|Changed",
		"1890001|Core|DOM|ann@example.org|ASSIGNED|---|Refund a card|2026-09-20 10:00:00",
	}, extract.Generic, "1890001/Refund a card/IN_PROGRESS/MEDIUM//ann@example.org////due -"},
	"Jira, German": {[]string{
		"Zusammenfassung|Vorgangsschlüssel|Vorgangstyp|Zustand|Priorität|Zugewiesene Person|Fälligkeitsdatum|Benutzerdefinierte Feld (Story Points)",
		"Karte erstatten|PAY-7|Unteraufgabe|Erledigt|Hoch|Ann Lee|04/Mär/26|3",
	}, extract.Jira, "PAY-7/Karte erstatten/DONE/HIGH/SUBTASK/Ann Lee/3///due 2026-03-04"},
	"Jira, Polish": {[]string{
		"Podsumowanie|Klucz zgłoszenia|Typ zgłoszenia|Stan|Priorytet|Osoba przypisana|Termin",
		"Zwrot|PAY-7|Zadanie|W toku|Wysoki|Ann Lee|4 marca 2026",
	}, extract.Jira, "PAY-7/Zwrot/IN_PROGRESS/HIGH/TASK/Ann Lee////due 2026-03-04"},
	"Jira, French": {[]string{
		"Résumé|Clé de ticket|Type de ticket|État|Priorité|Attribution|Date d'échéance",
		"Rembourser|PAY-7|Tâche|En cours|Haute|Ann Lee|4 mars 2026",
	}, extract.Jira, "PAY-7/Rembourser/IN_PROGRESS/HIGH/TASK/Ann Lee////due 2026-03-04"},
	"Jira, Spanish": {[]string{
		"Resumen|Clave de incidencia|Tipo de Incidencia|Estado|Prioridad|Persona asignada|Fecha de vencimiento",
		"Devolver|PAY-7|Tarea|Hecho|Alta|Sin asignar|04/mar/26",
	}, extract.Jira, "PAY-7/Devolver/DONE/HIGH/TASK/////due 2026-03-04"},
	"Portuguese": {[]string{"Título|Chave|Estado|Prioridade|Responsável|Data limite", "Devolver|PAY-7|Em andamento|Média|Ann Lee|04 de março de 2026"}, extract.Generic, "PAY-7/Devolver/IN_PROGRESS/MEDIUM//Ann Lee////due 2026-03-04"},
	"Italian":    {[]string{"Riepilogo|Chiave|Stato|Priorità|Assegnatario|Scadenza", "Rimborso|PAY-7|In corso|Bassa|Ann Lee|4 mar 2026"}, extract.Generic, "PAY-7/Rimborso/IN_PROGRESS/LOW//Ann Lee////due 2026-03-04"},
	"Dutch":      {[]string{"Samenvatting|Sleutel|Status|Prioriteit|Toegewezen aan|Vervaldatum", "Terug|PAY-7|Gereed|Hoog|Ann Lee|4 mrt. 2026"}, extract.Generic, "PAY-7/Terug/DONE/HIGH//Ann Lee////due 2026-03-04"},
	"Japanese":   {[]string{"要約|課題キー|課題タイプ|ステータス|優先度|担当者|期限", "返金|PAY-7|タスク|進行中|高|Ann Lee|2026年3月4日"}, extract.Jira, "PAY-7/返金/IN_PROGRESS/HIGH/TASK/Ann Lee////due 2026-03-04"},
	"Chinese":    {[]string{"摘要|问题关键字|问题类型|状态|优先级|经办人|到期日", "退款|PAY-7|任务|已完成|高|Ann Lee|2026/3/4"}, extract.Jira, "PAY-7/退款/DONE/HIGH/TASK/Ann Lee////due 2026-03-04"},
	"Linear": {[]string{
		"ID|Team|Title|Description|Status|Estimate|Priority|Project ID|Creator|Assignee|Labels|Cycle Number|Cycle Name|Created|Due Date|Parent issue",
		"ENG-12|Engineering|Refund a card|x|In Progress|3|Urgent|p|bo@example.com|ann@example.com|Bug, API|4|Cycle 4|Tue Mar 03 2026|2026-03-04|ENG-9",
	}, extract.Linear, "ENG-12/Refund a card/IN_PROGRESS/CRITICAL/BUG/ann@example.com/3/ENG-9/Cycle 4/due 2026-03-04"},
	"GitHub": {[]string{
		"html_url|id|number|title|state|assignee.login|user.login|labels|milestone.title|body|comments",
		"https://github.com/example/pay/issues/7|998877|7|Refund a card|open|ann|bo|bug, api|v1|x|3",
	}, extract.GitHub, "7/Refund a card/TODO/MEDIUM/BUG/ann////due -"},
	"GitHub, nested": {[]string{
		"number|title|state|assignee|milestone|html_url",
		`7|Refund a card|closed|{"id":1,"login":"ann"}|v1|https://github.com/example/pay/issues/7`,
	}, extract.GitHub, "7/Refund a card/DONE/MEDIUM//ann////due -"},
	"GitLab": {[]string{
		"Title|Description|Issue ID|URL|State|Author|Author Username|Assignee|Assignee Username|Confidential|Locked|Due Date|Created At (UTC)|Milestone|Weight|Labels|Time Estimate|Time Spent",
		"Refund a card|x|7|https://gitlab.com/example/pay/-/issues/7|Open|Bo|bo|Ann Lee|ann|No|No|2026-03-04|2026-02-01 10:11:12|v1|2|bug|0|0",
	}, extract.GitLab, "7/Refund a card/TODO/MEDIUM/BUG/Ann Lee/2///due 2026-03-04"},
	"Asana": {[]string{
		"Task ID|Created At|Completed At|Last Modified|Name|Section/Column|Assignee|Assignee Email|Start Date|Due Date|Tags|Notes|Projects|Parent task|Blocked By (Dependencies)|Blocking (Dependencies)",
		"1201|2026-02-01|2026-02-20|2026-02-20|Refund a card|To do|Ann Lee|ann@example.com||2026-03-04|api|x|Pay||Sign the contract|",
	}, extract.Asana, "1201/Refund a card/DONE/MEDIUM//Ann Lee////due 2026-03-04"},
	"Asana, JSON": {[]string{
		"gid|name|completed|memberships|assignee.gid|assignee.name|due_on|permalink_url",
		`1201|Refund a card|false|[{"project":{"gid":"1","name":"Pay"},"section":{"gid":"2","name":"In progress"}}]|7|Ann Lee|2026-03-04|https://app.asana.com//1/1201`,
	}, extract.Asana, "1201/Refund a card/IN_PROGRESS/MEDIUM//Ann Lee////due 2026-03-04"},
	"Trello, a board": {[]string{
		"id|idShort|name|idList|idMembers|due|closed|shortUrl|List Name|Members|Comments",
		`64f0|7|Refund a card|l|m|2026-03-04T09:00:00.000Z|false|https://trello.com/c/abc|Doing|Ann Lee|[{"author":{"name":"Bo"},"date":"2026-03-01T10:00:00Z","text":"first"}]`,
	}, extract.Trello, "7/Refund a card/IN_PROGRESS/MEDIUM//Ann Lee////due 2026-03-04"},
	"Trello, flattened": {[]string{
		"id|name|idList|desc|due|closed|shortUrl|idShort",
		"64f0c0ffee|Refund a card|64f0aa|x|2026-03-04T09:00:00.000Z|true|https://trello.com/c/abc|7",
	}, extract.Trello, "7/Refund a card/DONE/MEDIUM//////due 2026-03-04"},
	"Trello, no key": {[]string{"name|idList|desc|due|closed", "Refund a card|64f0aa|x|2026-03-04T09:00:00.000Z|false"}, extract.Trello, "/Refund a card/TODO/MEDIUM//////due 2026-03-04"},
	"Trello, CSV": {[]string{
		"Card ID|Card Name|Card URL|Card Description|Labels|Members|Due Date|List ID|List Name|Board ID|Board Name|Archived",
		"64f0c0ffee|Refund a card|https://trello.com/c/abc|x|api|Ann Lee|03/04/2026 9:00 AM|64f0aa|Doing|b|Pay|false",
	}, extract.Trello, "64f0c0ffee/Refund a card/IN_PROGRESS/MEDIUM//Ann Lee////due 2026-03-04"},
}

func TestTickets_Trackers(t *testing.T) {
	t.Parallel()
	for name, c := range trackers {
		t.Run(name, func(t *testing.T) {
			header, rows := table(c.table...)
			check := func(got extract.TicketTable, ok bool) {
				t.Helper()
				if !ok || got.Source != c.source || told(got.Tickets[0]) != c.want {
					t.Errorf("%v %s %q\nwant %s %q\n%v", ok, got.Source, told(got.Tickets[0]), c.source, c.want, got.Mapping)
				}
			}
			check(extract.Tickets(header, rows))
			slices.Reverse(header) // any order; of repeated columns the order counts
			for _, r := range rows {
				slices.Reverse(r.Cells)
			}
			if !strings.Contains(c.table[0], "Sprint|Summary") {
				check(extract.Tickets(header, rows))
			}
		})
	}
}

func TestTickets_TicketDetails(t *testing.T) {
	t.Parallel()
	header, rows := table(
		"Summary|Issue key|Issue Type|Component/s|Component/s|Fix Version/s|Fix Version/s|Reporter|Labels|Labels|Comment|Comment|Outward issue link (Blocks)|Inward issue link (Blocks)|Outward issue link (Cloners)|Custom field (Epic Link)|Created|Sprint",
		"Refund|PAY-7|Task|Cards|Web|1.0|1.1|Bo|api|ui|03/Mar/26 9:30 PM;ann;first; it is late¶second|12/Mar/26 1:05 AM;bo;done|PAY-8|PAY-3|PAY-2|PAY-1|01/Mar/26 10:00 AM|com.atlassian.greenhopper.service.sprint.Sprint@1[id=4,state=ACTIVE,name=Sprint 4,goal=x]",
	)
	got, ok := extract.Tickets(header, rows)
	if !ok {
		t.Fatalf("%+v", got)
	}
	a := got.Tickets[0]
	if want := []extract.TicketLink{{extract.Blocks, "PAY-8"}, {extract.BlockedBy, "PAY-3"}, {extract.Relates, "PAY-2"}}; !slices.Equal(a.Links, want) {
		t.Errorf("links %v, want %v", a.Links, want)
	}
	if !slices.Equal(a.Components, []string{"Cards", "Web"}) || !slices.Equal(a.FixVersions, []string{"1.0", "1.1"}) || !slices.Equal(a.Labels, []string{"api", "ui"}) {
		t.Errorf("%q %q %q", a.Components, a.FixVersions, a.Labels)
	}
	if a.Reporter != "Bo" || a.Parent != "PAY-1" || a.Sprint != "Sprint 4" {
		t.Errorf("%+v", a)
	}
	want := []extract.Comment{
		{Author: "ann", Date: time.Date(2026, 3, 3, 21, 30, 0, 0, time.UTC), Text: "first; it is late\nsecond"},
		{Author: "bo", Date: time.Date(2026, 3, 12, 1, 5, 0, 0, time.UTC), Text: "done"},
	}
	if !slices.Equal(a.Comments, want) {
		t.Errorf("comments %+v", a.Comments)
	}

	header, rows = table("key|summary|issuelinks|comment|html_url",
		`PAY-7|Refund|{"type":{"name":"Blocks"},"outwardIssue":{"key":"PAY-8"}}, {"type":{"name":"Relates"},"inwardIssue":{"key":"PAY-2"}}|{"comments":[{"author":{"displayName":"Ann"},"created":"2026-03-03T21:30:00.000+0100","body":"hello"}]}|https://example.com/PAY-7`)
	if got, ok = extract.Tickets(header, rows); !ok {
		t.Fatal("no export")
	}
	a = got.Tickets[0]
	if want := []extract.TicketLink{{extract.Blocks, "PAY-8"}, {extract.Relates, "PAY-2"}}; !slices.Equal(a.Links, want) || a.URL != "https://example.com/PAY-7" {
		t.Errorf("links %v, url %s", a.Links, a.URL)
	}
	if len(a.Comments) != 1 || a.Comments[0] != (extract.Comment{Author: "Ann", Date: time.Date(2026, 3, 3, 20, 30, 0, 0, time.UTC), Text: "hello"}) {
		t.Errorf("comments %+v", a.Comments)
	}
}

func TestTickets_OfRepeatedKeysTheLastCounts(t *testing.T) {
	t.Parallel()
	got, ok := extract.Tickets(table("Key|Summary|Status", "A-1|First|To Do", "A-2|Other|To Do", "A-1|First|Done", "|No key|Done", "|No key either|Done"))
	if !ok || len(got.Tickets) != 4 || told(got.Tickets[0]) != "A-1/First/DONE/MEDIUM//////due -" {
		t.Errorf("%+v", got.Tickets)
	}
	if want := []string{"line 4: it has the key A-1, which line 2 has too; the last of them counts."}; !slices.Equal(got.Problems, want) {
		t.Errorf("%q", got.Problems)
	}
}

func TestTickets_EndsOfLinesAreNoDifference(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"One\nTwo", "One\r\nTwo", "One\rTwo\r\n"} {
		got, ok := extract.Tickets(table("Key|Summary|Status|Description", "A-1|First|To Do|"+text))
		if !ok || got.Tickets[0].Description != "One\nTwo" {
			t.Errorf("%q is %q", text, got.Tickets[0].Description)
		}
	}
}

func TestTickets_WideJiraExport(t *testing.T) {
	t.Parallel()
	header, cells := []string{"\ufeffSummary", "Issue key"}, []string{"Wide", "W-1"}
	for name, n := range map[string]int{"Sprint": 27, "Comment": 80, "Labels": 5, "Affects Version/s": 165, "Custom field (Rank)": 1, "Watchers": 1800} {
		for i := range n {
			header, cells = append(header, name), append(cells, fmt.Sprintf("%s %d", name, i+1))
		}
	}
	got, ok := extract.Tickets(header, []extract.Row{{Line: 2, Cells: cells}, {Line: 3, Cells: []string{"Narrow", "W-2"}}})
	if !ok || got.Source != extract.Jira || len(got.Tickets) != 2 {
		t.Fatalf("%v %s", ok, got.Source)
	}
	if a := got.Tickets[0]; len(a.Comments) != 80 || len(a.Labels) != 5 || a.Sprint != "Sprint 27" || a.Ref != "W-1" {
		t.Errorf("%d comments, %d labels, %q", len(a.Comments), len(a.Labels), a.Sprint)
	}
}

func TestTickets_ColumnDates(t *testing.T) {
	t.Parallel()
	utc := func(y, m, d, h, min int) time.Time { return time.Date(y, time.Month(m), d, h, min, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		cells []string // of Created; Resolved has "other"
		other string
		want  time.Time // the first
		clear bool
	}{
		"ISO":                          {[]string{"2026-03-04"}, "", utc(2026, 3, 4, 0, 0), true},
		"ISO with zone":                {[]string{"2026-03-04T00:30:00.000+0100"}, "", utc(2026, 3, 3, 23, 30), true},
		"Jira":                         {[]string{"04/Mar/26 5:20 PM"}, "", utc(2026, 3, 4, 17, 20), true},
		"midnight on a clock of 12":    {[]string{"04/Mar/26 12:05 AM"}, "", utc(2026, 3, 4, 0, 5), true},
		"day first, by another cell":   {[]string{"04/03/2026", "25/03/2026"}, "", utc(2026, 3, 4, 0, 0), true},
		"month first, by another cell": {[]string{"03/04/2026", "03/25/2026"}, "", utc(2026, 3, 4, 0, 0), true},
		"by another column":            {[]string{"03/04/26 10:15"}, "03/25/26 10:15", utc(2026, 3, 4, 10, 15), true},
		"by the clock of 12":           {[]string{"3/4/2026 1:02 PM"}, "", utc(2026, 3, 4, 13, 2), true},
		"dots":                         {[]string{"04.03.2026 10:15"}, "", utc(2026, 3, 4, 10, 15), true},
		"nothing decides":              {[]string{"04/03/2026"}, "", utc(2026, 3, 4, 0, 0), false},
		"a spreadsheet's number":       {[]string{"46085.5"}, "", utc(2026, 3, 4, 12, 0), true},
		"epoch ms":                     {[]string{"1772582400000"}, "", utc(2026, 3, 4, 0, 0), true},
		"epoch":                        {[]string{"1772582400"}, "", utc(2026, 3, 4, 0, 0), true},
		"German":                       {[]string{"4. März 2026"}, "", utc(2026, 3, 4, 0, 0), true},
		"German, short":                {[]string{"04/Dez/26"}, "", utc(2026, 12, 4, 0, 0), true},
		"Polish":                       {[]string{"4 października 2026"}, "", utc(2026, 10, 4, 0, 0), true},
		"French":                       {[]string{"4 août 2026 17:20"}, "", utc(2026, 8, 4, 17, 20), true},
		"Spanish":                      {[]string{"4 de enero de 2026"}, "", utc(2026, 1, 4, 0, 0), true},
		"Japanese, short":              {[]string{"04/3月/26"}, "", utc(2026, 3, 4, 0, 0), true},
		"mail":                         {[]string{"Wed, 4 Mar 2026 10:15:00 +0100"}, "", utc(2026, 3, 4, 9, 15), true},
		"named zone":                   {[]string{"2026-03-04 10:15 CET"}, "", utc(2026, 3, 4, 9, 15), true},
		"offset of UTC":                {[]string{"Mar 4, 2026, 10:15 AM UTC+2"}, "", utc(2026, 3, 4, 8, 15), true},
	} {
		t.Run(name, func(t *testing.T) {
			var rows []extract.Row
			for i, v := range c.cells {
				rows = append(rows, extract.Row{Line: i + 2, Cells: []string{"x", fmt.Sprintf("X-%d", i), v, c.other}})
			}
			got, _ := extract.Tickets([]string{"Summary", "Issue key", "Created", "Resolved"}, rows)
			if !got.Tickets[0].Created.Equal(c.want) || (len(got.Problems) == 0) != c.clear {
				t.Errorf("%s, want %s; %q", got.Tickets[0].Created, c.want, got.Problems)
			}
		})
	}
}

func TestTickets_DueIsTheDayWritten(t *testing.T) {
	t.Parallel()
	header, rows := table("key|summary|due", "X-1|x|2026-03-04T00:30:00.000+0200")
	got, _ := extract.Tickets(header, rows)
	if due := got.Tickets[0].Due.Format(time.RFC3339); due != "2026-03-04T00:00:00Z" {
		t.Errorf("due %s", due)
	}
}

func TestTickets_Map(t *testing.T) {
	t.Parallel()
	header, rows := table("Nr|Inhalt|Wer|Bis|Status", "7|Karte erstatten|Ann|04.03.2026|Fertig")
	if got, ok := extract.Tickets(header, rows); ok {
		t.Fatalf("read by itself: %+v", got)
	}
	got, err := extract.Map(header, rows, map[string]string{"key": "nr", "title": "Inhalt", "owner": " Wer", "due": "Bis", "status": ""})
	if err != nil {
		t.Fatal(err)
	}
	if want := "7/Karte erstatten/TODO/MEDIUM//Ann////due 2026-03-04"; told(got.Tickets[0]) != want {
		t.Errorf("%s, want %s", told(got.Tickets[0]), want)
	}
	if want := map[string]string{"key": "Nr", "title": "Inhalt", "owner": "Wer", "due": "Bis"}; !maps.Equal(got.Mapping, want) {
		t.Errorf("%v", got.Mapping)
	}
	for mapping, want := range map[[2]string]string{
		{"title", "What"}:   `The table has no column "What" to read the title from.`,
		{"titel", "Inhalt"}: `There is no field "titel" to map a column to.`,
		{"status", ""}:      "No column holds the tickets' titles; name the one that does.",
	} {
		_, err := extract.Map(header, rows, map[string]string{mapping[0]: mapping[1]})
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%v: %v", mapping, err)
		}
	}
}

// A mapping that was given back as it came changes nothing.
func TestTickets_MapAgrees(t *testing.T) {
	t.Parallel()
	header, rows := table("Sprint|Summary|Issue key|Sprint|Labels|Labels", "S 1|x|X-1|S 2|a|b")
	found, _ := extract.Tickets(header, rows)
	got, err := extract.Map(header, rows, found.Mapping)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(found) {
		t.Errorf("%v\n%+v\n%+v", err, got, found)
	}
}

func FuzzMap(f *testing.F) {
	f.Add("Summary|Issue key|Status|Due|Story Points", "x|X-1|Fertig|04/03/2026|2,5", "title", "Summary")
	f.Add("name|idList|closed|comment|issuelinks", `x|1|true|01/Mar/26;a;b|{"type":{"name":"Blocks"}}`, "", "")
	f.Add("fields.summary|fields.status.name|created|Outward issue link (Blocks)", "x|完了|1772582400000|X-1", "status", "")
	f.Add("Summary|Assignee|Assignee Id|Labels|Comment|Sprint|Relations", `x|Lee, Ann|70:1|['a, b', "c"]|[{"by":"70:1","body":{"type":"doc","content":[{"type":"paragraph","content":[{"text":"[~accountid:70:1]"}]}]}}]|[{"name":"S","state":"active"}]|[{"type":"blocked_by","issue":"X-2"}]`, "", "")
	f.Fuzz(func(t *testing.T, header, row, field, column string) {
		names, rows := table(header, row, row)
		got, ok := extract.Tickets(names, rows)
		if ok && (len(got.Tickets) == 0 || got.Source == "") {
			t.Fatalf("an export without tickets or source: %+v", got)
		}
		mapped, err := extract.Map(names, rows, map[string]string{field: column})
		if err != nil && strings.TrimSpace(fault.TextOf(err)) == "" {
			t.Fatal("an error without a sentence")
		}
		for _, x := range slices.Concat(got.Tickets, mapped.Tickets) {
			if x.Title == "" || x.Status == "" || x.Priority == "" || x.Points != nil && (*x.Points < 0 || *x.Points > 1000) || x.Due.Hour() != 0 {
				t.Fatalf("%+v", x)
			}
		}
	})
}
