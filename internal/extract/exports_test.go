package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// whole writes down what [told] leaves out.
func whole(t extract.TicketRow) string {
	var said []string
	for _, c := range t.Comments {
		said = append(said, fmt.Sprintf("%s %s: %s", c.Date.Format("2006-01-02T15:04"), c.Author, c.Text))
	}
	return fmt.Sprintf("by %s, %s; %v %v %v; %v; %s", t.Reporter, strings.Join(t.Labels, "+"), t.Components, t.FixVersions, t.Links, strings.Join(said, " / "), t.Resolved.Format(time.DateOnly))
}

// exports are tables as trackers write them in languages and editions that name, link and
// date things in their own way, and what is read of the first row.
var exports = map[string]struct {
	table       []string
	told, whole string
}{
	"Jira Cloud, Polish": {[]string{
		"Podsumowanie|Klucz zgłoszenia|Id. zgłoszenia|Typ zgłoszenia|Status|Osoba przypisana|ID osoby przypisanej|Osoba zgłaszająca|ID osoby zgłaszającej|Utworzono|Rozwiązane|Termin|Wewnętrzne łącze zgłoszenia (Blocks)|Zewnętrzne łącze do zgłoszenia (Blocks)|Zewnętrzne łącze do zgłoszenia (Blocks)|Pole niestandardowe (Story Points)|Pole niestandardowe (Story point estimate)|Komentarz|Element nadrzędny|Kategoria statusu",
		"Zwrot|PAY-7|10007|Błąd w programie|Gotowe do testów|Ewa Lis|a:1|Jan Bąk|a:2|19/lip/26 11:43 AM|20/lip/26 9:00 AM|30/paź/26|PAY-2|PAY-8|PAY-9||3.0|19/lip/26 11:50 AM;a:2;Sprawdzone|10001|W toku",
		"Płatności|PAY-1|10001|Epik|W toku|||||17/lip/26 11:43 AM||||||||||W toku",
	}, "PAY-7/Zwrot/IN_PROGRESS/MEDIUM/BUG/Ewa Lis/3/PAY-1//due 2026-10-30", "by Jan Bąk, ; [] [] [{blocks PAY-8} {blocks PAY-9} {blocked by PAY-2}]; 2026-07-19T11:50 Jan Bąk: Sprawdzone; 2026-07-20"},
	"Jira Cloud, Spanish": {[]string{
		"Resumen|Clave de incidencia|ID de la incidencia|Tipo de Incidencia|Estado|Persona asignada|ID de la persona asignada|Informador|ID del informador|Creada|Fecha de vencimiento|Enlace a la incidencia interna (Blocks)|Enlace de incidencia saliente (Blocks)|Enlace de incidencia saliente (Relates)|Campo personalizado (Estimación de puntos de historia)|Comentario|Principal|Clave principal",
		"Devolver|PAY-7|10007|Historia|En curso|Ana Ruiz|a:1|Luis Gil|a:2|02/oct/26 2:15 PM|10/ene/27|PAY-2|PAY-8|PAY-5|5.0|02/oct/26 2:41 PM;a:1;listo; gracias|99|PAY-60",
	}, "PAY-7/Devolver/IN_PROGRESS/MEDIUM/STORY/Ana Ruiz/5/PAY-60//due 2027-01-10", "by Luis Gil, ; [] [] [{blocks PAY-8} {blocked by PAY-2} {relates PAY-5}]; 2026-10-02T14:41 Ana Ruiz: listo; gracias; 0001-01-01"},
	"Jira Cloud, French": {[]string{
		"Résumé|Clé de ticket|ID de ticket|Type de ticket|État|Personne assignée|ID de la personne assignée|Rapporteur|ID de rapporteur|Création|Date d'échéance|Étiquettes|Lien du ticket entrant (Blocks)|Lien de ticket sortant (Blocks)|Commentaire|Parent|Catégorie d'état",
		"Rembourser|PAY-7|10007|Tâche|Terminé(e)|Zoé Roy|a:1|Léo Blanc|a:2|19/févr./26 7:31 PM|01/août/26|web|PAY-2|PAY-8|19/févr./26 7:38 PM;a:2;Vu|10001|Terminé",
		"Paiements|PAY-1|10001|Epic|À faire|||||19/déc./25 7:31 PM||||||||",
	}, "PAY-7/Rembourser/DONE/MEDIUM/TASK/Zoé Roy//PAY-1//due 2026-08-01", "by Léo Blanc, web; [] [] [{blocks PAY-8} {blocked by PAY-2}]; 2026-02-19T19:38 Léo Blanc: Vu; 0001-01-01"},
	"Jira Cloud, Portuguese": {[]string{
		"Tipo de item|Chave da item|ID da item|Resumo|Responsável|ID do responsável|Relator|Status|Criado|Data limite|Categorias|Categorias|Pai|Chave pai",
		"Tarefa|PAY-7|10007|Devolver|Ana Reis|a:1|Rui Melo|Em andamento|17/mar/26 10:00 AM|03/ago/26|loja|web|99|PAY-60",
	}, "PAY-7/Devolver/IN_PROGRESS/MEDIUM/TASK/Ana Reis//PAY-60//due 2026-08-03", "by Rui Melo, loja+web; [] [] []; ; 0001-01-01"},
	"Jira, Russian": {[]string{
		"Тема|Ключ проблемы|Тип задачи|Статус|Приоритет|Исполнитель|Компоненты|Исправить в версиях|Исходящая связь задачи (Blocks)",
		"Возврат|PAY-7|Задача|В работе|Высокий|Иван Лис|Касса|1.4|PAY-8",
	}, "PAY-7/Возврат/IN_PROGRESS/HIGH/TASK/Иван Лис////due -", "by , ; [Касса] [1.4] [{blocks PAY-8}]; ; 0001-01-01"},
	"Jira Cloud, accounts and estimates": {[]string{
		"Summary|Issue key|Issue id|Issue Type|Status|Priority|Assignee|Assignee Id|Creator|Creator Id|Watchers|Watchers|Watchers Id|Watchers Id|Created|Custom field (Effort)|Custom field (Epic Name)|Custom field (Story Points)|Custom field (Story point estimate)|Custom field (Target date)|Due date|Description|Comment|Parent|Parent key",
		`Refund|PAY-7|10007|Bug|To Do||Lee, Ann|70:1|Kim, Bo (ext)|70:2|Ann|Bo|70:8|70:9|25/Feb/26 10:17 PM|0.0|||4.0|||[~accountid:70:2] knows|25/Feb/26 10:20 PM;70:2;ask [~accountid:70:1], not [~accountid:70:9]|10001|PAY-1`,
		"Support|PAY-1|10001|Epic|To Do||||||||||25/Feb/26 9:17 PM||Support desk|8|||||||",
	}, "PAY-7/Refund/TODO/MEDIUM/BUG/Ann Lee/4/PAY-1//due -", "by Bo Kim (ext), ; [] [] []; 2026-02-25T22:20 Bo Kim (ext): ask @Ann Lee, not [~accountid:70:9]; 0001-01-01"},
	"an epic has no epic": {[]string{
		"Summary|Issue key|Issue Type|Status|Custom field (Epic Name)", "Support|PAY-1|Epic|To Do|Support desk",
	}, "PAY-1/Support/TODO/MEDIUM/EPIC/////due -", "by , ; [] [] []; ; 0001-01-01"},
	"Linear": {[]string{
		"ID|Team|Title|Status|Priority|Creator|Assignee|Cycle Number|Cycle Name|Created|Completed|Canceled|Archived|Due Date|Parent issue|Related to|Blocked by|Duplicate of",
		"ENG-1|Core|Refund|Canceled|No priority|bo@example.org|ann@example.org|12||Tue Mar 04 2026 10:15:02 GMT+0000 (GMT)||Thu Mar 05 2026 23:30:00 GMT-0200 (Central time)||Thu Apr 24 2026 10:17:06 GMT+0000 (GMT)||ENG-7, ENG-8|ENG-2|ENG-9",
	}, "ENG-1/Refund/CLOSED DUPLICATE/MEDIUM//ann@example.org///12/due 2026-04-24", "by bo@example.org, ; [] [] [{blocked by ENG-2} {duplicates ENG-9} {relates ENG-7} {relates ENG-8}]; ; 2026-03-06"},
	"lists as JSON and as Python write them": {[]string{
		"Identifier|Name|State Name|Priority|Assignees|Created By Name|Created At|Estimate|Labels|Cycles|Modules|Relations|Comments",
		`PAY-7|Refund|In Progress|--|["Ann Lee", "Bo Kim"]|Cy Day|2026-01-01T11:00:00Z|3|['api, v2', 'web']|["S 1", "S 2"]|["Cards"]|[{"type": "blocked_by", "issue": "PAY-2"}]|[{"comment": "On it", "created_by": "Ann Lee", "created_at": "2026-01-01 14:30:00"}]`,
		`PAY-8|Pay|Done|none|[]|Cy Day|2026-01-01T11:00:00Z||[]|[]|[]|[]|[]`,
	}, "PAY-7/Refund/IN_PROGRESS/MEDIUM//Ann Lee, Bo Kim/3//S 2/due -", "by Cy Day, api, v2+web; [Cards] [] [{blocked by PAY-2}]; 2026-01-01T14:30 Ann Lee: On it; 0001-01-01"},
	"Pivotal Tracker": {[]string{
		"Id|Title|Labels|Iteration|Type|Estimate|Current State|Created at|Accepted at|Deadline|Requested By|Owned By|Owned By|Owned By|Description|URL",
		"7001|Refund|api, ui|4|feature|3|accepted|Mar 4, 2026|Mar 9, 2026||Cy Day|Ann Lee||Bo Kim|x|https://tracker.example.org/7001",
	}, "7001/Refund/DONE/MEDIUM/STORY/Ann Lee, Bo Kim/3//4/due -", "by Cy Day, feature+api+ui; [] [] []; ; 2026-03-09"},
	"people in columns of their own": {[]string{
		"number|title|state|assignees.0.login|assignees.1.login|labels.0.name|labels.1.name", "7|Refund|open|ann|bo|api|ui",
	}, "7/Refund/TODO/MEDIUM//ann, bo////due -", "by , api+ui; [] [] []; ; 0001-01-01"},
	"labels between colons": {[]string{
		"number|title|state|labels", "7|Refund|open|bug:api:urgent", "8|Pay|open|bug", "9|Ask|open|bug:verified:api",
	}, "7/Refund/TODO/CRITICAL/BUG/////due -", "by , bug+api+urgent; [] [] []; ; 0001-01-01"},
	"labels with a scope": {[]string{
		"number|title|state|labels", "7|Refund|open|workflow::in dev", "8|Pay|open|type:bug",
	}, "7/Refund/IN_PROGRESS/MEDIUM//////due -", "by , workflow::in dev; [] [] []; ; 0001-01-01"},
	"how it ended": {[]string{
		"Issue key|Summary|Status|Resolution|Outward issue link (Relates)", "PAY-7|Refund|Closed|Won't Do|PAY-9",
	}, "PAY-7/Refund/CLOSED WONT_FIX/MEDIUM//////due -", "by , ; [] [] [{relates PAY-9}]; ; 0001-01-01"},
	"issues to be made": {[]string{
		"Title|Description|Labels", "Refund|x|api, ui",
	}, "/Refund/TODO/MEDIUM//////due -", "by , api+ui; [] [] []; ; 0001-01-01"},
	"Planner": {[]string{
		"Task ID|Task Name|Bucket Name|Progress|Priority|Assigned To|Created By|Created Date|Due date|Completed Date|Labels",
		"x1|Refund|Payments|In progress|Important|Ann Lee;Bo Kim|Cy Day|09/14/2026|09/30/2026||api;web",
	}, "x1/Refund/IN_PROGRESS/HIGH//Ann Lee;Bo Kim////due 2026-09-30", "by Cy Day, api+web+Payments; [] [] []; ; 0001-01-01"},
	"Asana, a finished task stays in its section": {[]string{
		"Task ID|Created At|Completed At|Last Modified|Name|Section/Column|Assignee|Assignee Email|Due Date|Tags|Notes|Projects|Parent task",
		"1|2026-07-29|2026-08-02|2026-08-02|Refund|Payments||lee@example.org|2026-08-01|||Shop|",
		"2|2026-07-29||2026-08-02|Pay|To do|Lee, Ann|lee@example.org|||||",
	}, "1/Refund/DONE/MEDIUM//Ann Lee////due 2026-08-01", "by , Payments; [] [] []; ; 2026-08-02"},
	"Trello's colours are no part of a label": {[]string{
		"Card ID|Card Name|Card URL|Labels|Due Date|List Name|Archived", "c1|Refund|https://trello.com/c/1|Shop (green), Now (red_dark)||Doing|false",
	}, "c1/Refund/IN_PROGRESS/MEDIUM//////due -", "by , Shop+Now; [] [] []; ; 0001-01-01"},
	"Bugzilla's dashes say nothing": {[]string{
		"Bug ID|Summary|Status|Priority|Severity|Resolution", "4711|Refund|NEW|--|S2|---", "4712|Pay|RESOLVED|--|--|FIXED",
	}, "4711/Refund/TODO/HIGH//////due -", "by , ; [] [] []; ; 0001-01-01"},
	"Jira Server, sprints in one cell": {[]string{
		"key|fields.summary|fields.status.name|fields.customfield_10020|fields.comment.comments",
		`PAY-7|Refund|Open|com.atlassian.greenhopper.service.sprint.Sprint@1[id=1,state=CLOSED,name=S 1,goal=], com.atlassian.greenhopper.service.sprint.Sprint@2[id=2,state=ACTIVE,name=S 2,goal=], com.atlassian.greenhopper.service.sprint.Sprint@3[id=3,state=FUTURE,name=S 3]|[{"author":{"displayName":"Bo Kim"},"created":"2026-03-02T10:00:00.000+0100","body":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Looks "},{"type":"text","text":"good"}]},{"type":"paragraph","content":[{"type":"text","text":"Ship it"}]}]}}]`,
	}, "PAY-7/Refund/TODO/MEDIUM/////S 2/due -", "by , ; [] [] []; 2026-03-02T09:00 Bo Kim: Looks good\nShip it; 0001-01-01"},
	"Jira Cloud, sprints as objects": {[]string{
		"key|fields.summary|fields.status.name|fields.customfield_10020",
		`PAY-7|Refund|Open|[{"id":1,"name":"S 1","state":"closed"},{"id":2,"name":"S 2","state":"active"},{"id":3,"name":"S 3","state":"future"}]`,
	}, "PAY-7/Refund/TODO/MEDIUM/////S 2/due -", "by , ; [] [] []; ; 0001-01-01"},
}

func TestExports(t *testing.T) {
	t.Parallel()
	for name, c := range exports {
		header, rows := table(c.table...)
		got, ok := extract.Tickets(header, rows)
		if !ok {
			t.Errorf("%s: not read: %v", name, got.Mapping)
			continue
		}
		if is := told(got.Tickets[0]); is != c.told {
			t.Errorf("%s: %s\nwant %s\n%v", name, is, c.told, got.Mapping)
		}
		if is := whole(got.Tickets[0]); is != c.whole {
			t.Errorf("%s: %s\nwant %s\n%v", name, is, c.whole, got.Mapping)
		}
		for _, p := range got.Problems {
			t.Errorf("%s: %s", name, p)
		}
	}
}

func TestExports_EmptyColumnsAreUnreadLast(t *testing.T) {
	t.Parallel()
	header, rows := table("Issue key|Summary|Status|Environment|Votes", "A-1|x|Open||0")
	got, _ := extract.Tickets(header, rows)
	if strings.Join(got.Unread, ",") != "Votes,Environment" {
		t.Errorf("unread %q", got.Unread)
	}
	if said := got.LeftOut(); !strings.HasPrefix(said, `the column "Votes" is read into no field`) {
		t.Errorf("of what is left out: %q", said)
	}
	header, rows = table("Issue key|Summary|Status|A|B|C|D|E|F|G|"+strings.Repeat("h", 99), "A-1|x|Open|1|2|3|4|5|6|7|8")
	got, _ = extract.Tickets(header, rows)
	if said := got.LeftOut(); !strings.HasPrefix(said, `the columns "A", "B", "C", "D", "E", "F" and 2 more are read into no field`) {
		t.Errorf("of what is left out: %q", said)
	}
	header, rows = table("Issue key|Summary|Status|Affects Version/s|Affects Version/s", "A-1|x|Open|1.0|1.1, 1.2")
	got, _ = extract.Tickets(header, rows)
	if !slices.Equal(got.Tickets[0].Affects, []string{"1.0", "1.1", "1.2"}) || got.LeftOut() != "" {
		t.Errorf("affects %q, left out %q", got.Tickets[0].Affects, got.LeftOut())
	}
}
