package extract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chela/internal/pattern"

	"chela/internal/fault"
)

// A field is what a column can hold, and the names that trackers give it, best first. Names
// with "=" between them are one thing: a row is read from the first of these columns that it
// fills. Names are as [columnName] leaves them. Sources: the exports of Jira, Linear, GitHub,
// GitLab, Asana, Trello, Azure DevOps, Bugzilla, ClickUp, monday.com, Notion, Redmine, Shortcut and YouTrack, and
// Jira's translations of its main fields.
type field struct {
	name  string
	names []string
}

var columns = []field{
	{"key", list("issue key, issuekey, content.number, key, ticket, ticket key, ticket id, schlüssel, vorgangsschlüssel, clé, clé de ticket, clave, clave de incidencia, klucz, klucz zgłoszenia, chave, chave da item, chave do item, chiave, sleutel, issuesleutel, キー, 課題キー, 关键字, 问题关键字, 密钥, ключ проблемы, ключ задачи, ключ запроса, issuecode, identifier, number, iid, idshort, issue number, custom id, task custom id, issue id, vorgangs id, task id, card id, shortlink, gid, id, #, bug id, story id, work item id, item id, item id (auto generated), ticket nr, ticket no, ticket number, ticketnummer, vorgangsnummer, " + tallies)},
	{"id", list("issue id, issueid, vorgangs id, id de ticket, id de la incidencia, id de incidencia, id. zgłoszenia, id zgłoszenia, id da item, id do item, идентификатор проблемы, идентификатор задачи, task id, id, bug id, item id")},
	{"title", list("summary, title=title 1=title 2=title 3=title 4=title 5=title 6, issue summary, zusammenfassung, titel, résumé, titre, resumen, título, podsumowanie, tytuł, resumo, riepilogo, titolo, samenvatting, тема, название, 要約, タイトル, 件名, 摘要, 概要, 标题, 主题, card name, task name, name, nazwa, nom, nombre, nome, naam, 名前, 名称, task, aufgabe, vorgangsname, tâche, tarea, subject, betreff, item name, work item, story, task title")},
	{"status", list("status, state, issue status, workflow status, zustand, statut, état, estado, stan, stato, ステータス, 状態, 状态, статус, состояние, state name, current state, progress, " + places)},
	{"category", list("status category, statuskategorie, catégorie de statut, catégorie d'état, categoría de estado, kategoria statusu, categoria de status, categoria do status, категория статуса, categoria dello stato, statuscategorie, ステータスカテゴリ, 状态类别, status.statuscategory, statuscategory")},
	{"priority", list("priority, severity, priorität, priorité, prioridad, priorytet, prioridade, priorità, prioriteit, 優先度, 优先级, 優先順位, приоритет, importance")},
	{"type", list("issue type, issuetype, type, vorgangstyp, typ, type de ticket, type de demande, tipo de incidencia, tipo de actividad, tipo, typ zgłoszenia, tipo de item, tipo de problema, tipo di ticket, tipo segnalazione, issuetype name, 課題タイプ, 问题类型, 事务类型, 类型, тип задачи, тип проблемы, тип запроса, work item type, kind, tracker, task type, story type")},
	{"owner", list("assignees=assignee=assignee email, owner, owned by, assigned to, assignee name, responsible, bearbeiter, zugewiesene person, zuständig, verantwortlich, attribution, personne assignée, responsable, assigné, persona asignada, asignado a, asignado, osoba przypisana, przypisany, przypisane do, responsável, assegnatario, assegnato a, toegewezen aan, uitvoerder, 担当者, 经办人, 负责人, исполнитель, members, assignee username, assignee email, assign, assigned, owners, person, people")}, //nolint:misspell // other languages
	{"reporter", list("reporter, creator, author, created by, user, autor, rapporteur, informador, zgłaszający, osoba zgłaszająca, relator, segnalante, melder, 報告者, 报告人, 创建者, автор, created by name, author username, requester, requested by, opened by, submitter")},                                                                                                                                                                                                                                       //nolint:misspell // other languages
	{"points", list("story points=story point estimate=storypoint=storypoints=story point=sp=points=story points schätzung=punkte=points de récit=puntos de historia=estimación de puntos de historia=punkty historii=punkty=pontos de história=punti storia=ストーリー ポイント=ストーリーポイント=故事点=故事点数, weight, estimate, customfield 10016, customfield 10026, customfield 10028, effort, sprint points, estimation")},
	{"description", list("description=repro steps, content.body, task content, details, issue description, body, beschreibung, descripción, opis, descrição, descrizione, omschrijving, beschrijving, 説明, 描述, desc, card description, notes, card desc")},
	{"parent", list("parent key=clave principal=chave pai=clé parente=parent=parent issue=parent task=parent item=subtask of=parent id=parent issue url=übergeordnet=übergeordneter vorgang=parente=élément parent=principal=incidencia principal=nadrzędny=element nadrzędny=pai=item pai=superiore=bovenliggend=親=父级=родитель")},
	{"epic", list("epic link, epic, epic key, epic verknüpfung, lien de l'epic, lien d'épopée, enlace de épica, link do epic, link dell'epic, link epika, epic name, epic title, customfield 10014, エピック リンク, 史诗链接")},
	{"sprint", list("sprint, sprints, sprints (list relationship), iteration, iterations, cycle name, cycle, cycles, cycle number, スプリント, 冲刺, customfield 10020, iteration path, iteration name")},
	{"sprint start", list("sprint.startdate, iteration.startdate, iteration.start date, cycle start, cycle.startsat, cycle starts at, sprint start, sprint start date")},
	{"sprint end", list("sprint.enddate, iteration.enddate, iteration.due date, cycle end, cycle.endsat, cycle ends at, sprint end, sprint end date")},
	{"sprint days", list("sprint.duration, iteration.duration")},
	{"sprint state", list("sprint.state, iteration.state, sprint state")},
	{"sprint goal", list("sprint.goal, iteration.description, sprint goal, cycle.description")},
	{"milestone", list("milestone, milestones, meilenstein, jalon, hito, project milestone, projectmilestone, target version, zielversion, version cible, versión objetivo, マイルストーン, 里程碑")},
	{"milestone due", list("milestone.due on, milestone.dueon, milestone.due date, milestone.targetdate, projectmilestone.targetdate, milestone due date, milestone target date")},
	{"milestone state", list("milestone.state, milestone state")},
	{"milestone closed", list("milestone.closed at, milestone.closedat")},
	{"milestone text", list("milestone.description")},
	{"checklist", list("checklists, checklist, checklist items, to-dos, todos, acceptance criteria checklist")},
	{"section", list("group, group title, monday group, section/column, section, bucket name, bucket, spalte, abschnitt")},
	{"reason", list("reason, resolved reason, state change reason, closed reason")},
	{"labels", list("labels, label, tags, stichwörter, étiquettes, etiquetas, etykiety, rótulos, etichette, ラベル, 标签, метки, categorias, keywords")},
	{"components", list("components, component/s, component, komponenten, komponente, composants, composant, componentes, componente, komponenty, componenti, コンポーネント, 模块, 组件, subsystem, module, modules, компоненты, area path")},                                                                                                                                                       //nolint:misspell // other languages
	{"versions", list("fix version/s, fix versions, fix version, fixversions, fixversion, lösungsversion, lösungsversionen, lösung version(en), version corrigée, versions corrigées, versión correctora, versiones correctoras, wersja naprawy, wersje naprawy, versão de correção, versões corrigidas, versione con correzione, oplossingsversie, 修正バージョン, 修复版本, исправить в версиях")}, //nolint:misspell // other languages
	{"affects", list("affects version/s, affects versions, affects version, affected version, affected versions, affectsversions, betrifft version, betrifft versionen, betrifft version(en), betroffene versionen, affecte la version, versions affectées, version affectée, afecta a versiones, versiones afectadas")},                                                                  //nolint:misspell // other languages
	{"comments", list("comment, comments, updates, comment.comments, last notes, discussion, kommentar, kommentare, commentaire, commentaires, comentario, comentarios, komentarz, komentarze, comentário, comentários, commento, commenti, opmerking, opmerkingen, コメント, 评论, 备注, комментарий, комментарии")},
	{"url", list("html url, web url, url, issue url, card url, permalink url, permalink, shorturl, short url, content.url, link")},
	{"repository", list("repository.namewithowner, repository.full name, repository, repository name, repo, repository url, references.full, project path, full path")},
	{"due", list("due date, due, duedate, dueon, due on, deadline, target date, fällig, fälligkeitsdatum, fällig am, échéance, date d'échéance, fecha de vencimiento, vencimiento, termin, data ukończenia, data wykonania, termin wykonania, data limite, data de vencimento, vencimento, data di scadenza, scadenza, vervaldatum, einddatum, 期限, 期日, 到期日, 截止日期, срок исполнения, due by, finish date, end date")},
	{"created", list("created, created at, created at (utc), created date, createdat, date created, erstellt, création, créée, créé, date de création, creada, creado, fecha de creación, utworzono, data utworzenia, criado, criada, data de criação, creata, creato, data di creazione, aangemaakt, gemaakt, 作成日, 作成日時, 创建日期, 已创建, 创建时间, создано, дата создания, created time, created on, creation date, creation log, date added, opened")},
	{"resolved", list("resolved, resolution date, resolutiondate, resolved at, accepted at, completed at=canceled at=cancelled at, completed on, completedat=canceledat, closed at, closed at (utc), closedat, done date, gelöst, erledigt, erledigt am, résolue, résolu, date de résolution, resuelta, resuelto, fecha de resolución, rozwiązano, rozwiązane, data rozwiązania, resolvido, resolvida, data de resolução, risolto, risolta, opgelost, 解決日, 解决时间, 已解决, дата решения, completed=canceled=cancelled, closed, date done, date closed, closed date, completed date, closed on")},
	{"resolution", list("resolution, state reason, statereason, lösung, résolution, resolución, rozwiązanie, resolução, risoluzione, oplossing, 解決状況, 解决结果, 解决方案, решение")},
	{"finished", list("due complete, duecomplete, is completed, completed, is done, done, done?, done (y/n), complete, complete?, complete (y/n), completed?, erledigt?, fertig?")},
	{"archived", list("closed, archived, is archived")},
	{"request", list("pull request.html url=pull request.url=pull request")},
	{"closes", list("closingissuesreferences, closing issues references")},
	{"blocks", list("outward issue link (blocks)=blocks=blocking=blocking (dependencies)=is required for=successor=successors=blockiert=bloque=bloquea=blokuje=bloqueia=blocca=blokkeert")},
	{"blocked by", list("inward issue link (blocks)=blocked by=is blocked by=blocked by (dependencies)=depends on=waiting on=predecessor=predecessors=blockedby=wird blockiert von=blockiert durch=bloqué par=bloqueado por=bloqueada por=zablokowane przez=bloccato da")},
	{"duplicates", list("duplicates=duplicate of=duplicateof=duplicate id=is duplicate of=dupliziert=dupe of")},
	{"duplicated by", list("duplicated by=is duplicated by=duplicatedby=has duplicate")},
	{"relates", list("relates=relates to=related to=related issues=linked issues=issuelinks=issue links=verwandte vorgänge=see also=linked tasks=relations")},
}

// places are columns of a board: where a ticket lies, which may say nothing about how it stands.
const places = "list name, section/column, column, list, section, spalte, liste, colonne, columna, coluna, kolumna, memberships.section, memberships, bucket name, bucket" //nolint:misspell // other languages

func list(s string) []string { return strings.Split(s, ", ") }

// Fields are the fields that [Map] knows, in their order.
func Fields() []string {
	var out []string
	for _, f := range columns {
		out = append(out, f.name)
	}
	return out
}

var (
	customField = pattern.New(`(?i)^(?:custom field|benutzerdefinierte[sn]? feld(?:er)?|pole niestandardowe|champs? personnalisés?|campos? personalizados?|campo personalizzato|aangepast veld|カスタム ?フィールド|自定义字段)\s*[(（](.+)[)）]$`)
	kindOfLink  = pattern.New(`^(.{4,80}?)\s*\(([^()]+)\)$`)
	linkWord    = pattern.New(`link|lien|enlace|łącze|odnośnik|verknüpfung|collegamento|koppeling|связь`)
	outward     = pattern.New(`outward|ausgehend|sortant|salient|salida|wychodząc|zewnętrzn|saída|uscita|uitgaand|исходящ|extern`)
	inward      = pattern.New(`inward|eingehend|entrant|entrada|przychodząc|wewnętrzn|entrata|inkomend|входящ|intern`)
	position    = pattern.New(`\[\d+\]|\.\d+(?:\.|$)`)
	// inner are what an object in a cell or a flattened column is known by, best first.
	inner = []string{"displayname", "name", "title", "login", "value", "key", "full name", "username"}
)

// columnName makes the names of one column alike, whatever the export: lower case, no
// wrapping "Custom field (…)", no "fields.", no position in a list, no ".displayName".
// rank is 0 for the name itself and grows with how far the suffix is from a name.
func columnName(header string) (name string, rank int) {
	name = strings.ToLower(oneLine(strings.Trim(header, "\ufeff\"' \t\r\n*:")))
	if m := customField.FindStringSubmatch(name); m != nil {
		name = strings.TrimSpace(m[1])
	}
	if m := kindOfLink.FindStringSubmatch(name); m != nil && linkWord.MatchString(m[1]) && (outward.MatchString(m[1]) || inward.MatchString(m[1])) {
		return linkColumn(outward.MatchString(m[1]), strings.TrimSpace(m[2])), 0
	}
	name = strings.TrimPrefix(name, "fields.")
	name = strings.TrimSuffix(position.ReplaceAllString(name, "."), ".")
	name = strings.NewReplacer("_", " ", "-", " ", "..", ".").Replace(name)
	for i, suffix := range inner {
		if base, ok := strings.CutSuffix(name, "."+suffix); ok {
			return base, i + 1
		}
	}
	return name, 0
}

// columnNames are the names of all columns.
func columnNames(header []string) []string {
	out := make([]string, len(header))
	for i, h := range header {
		out[i], _ = columnName(h)
	}
	return out
}

// linkColumn names Jira's columns of issue links; a kind that blocks nothing relates.
func linkColumn(outward bool, kind string) string {
	switch strings.ToLower(kind) {
	case "blocks", "blocker", "blockiert", "dependency", "gantt: finish to start":
		if outward {
			return "blocks"
		}
		return "blocked by"
	case "duplicate", "duplicates", "duplikat", "doublon", "duplicado", "duplicato", "duplicaat":
		if outward {
			return "duplicates"
		}
		return "duplicated by"
	}
	return "relates"
}

// A layout says which columns hold which field.
type layout map[string][]int

// layOut finds the columns of the fields: of the names that a field has, the best whose
// columns hold something, else the best that the header knows.
func layOut(header []string, rows []Row) layout {
	byName := make(map[string][]int)
	ranks := make([]int, len(header))
	for i, h := range header {
		var name string
		name, ranks[i] = columnName(h)
		byName[name] = append(byName[name], i)
	}
	at := make(layout)
	for _, f := range columns {
		for _, names := range f.names {
			var found []int
			for _, name := range strings.Split(names, "=") {
				same := slices.Clone(byName[name])
				slices.SortStableFunc(same, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
				found = append(found, same...)
			}
			if full := filled(rows, found); len(full) > 0 {
				at[f.name] = full
				break
			}
			if len(found) > 0 && at[f.name] == nil {
				at[f.name] = found
			}
		}
	}
	return at
}

// filled are those of the columns that hold something.
func filled(rows []Row, columns []int) (out []int) {
	for _, i := range columns {
		if slices.ContainsFunc(rows, func(r Row) bool { return i < len(r.Cells) && !blank(r.Cells[i]) }) {
			out = append(out, i)
		}
	}
	return out
}

// blank reports a cell that says nothing: "", "--", "[]".
func blank(cell string) bool {
	return cell == "" || cell == "null" || strings.Trim(cell, " \t\r\n-[]{}") == ""
}

// settle drops guesses that the cells speak against.
func (at layout) settle(header []string, rows []Row) {
	if slices.Equal(at["id"], at["key"]) {
		delete(at, "id")
	}
	if at.tallied(header) && at.shared(rows) {
		delete(at, "key")
	}
	for _, f := range []string{"finished", "archived"} {
		if len(at[f]) > 0 && len(at["resolved"]) > 0 && at[f][0] == at["resolved"][0] { // "completed" is a day or a yes
			if mostly(rows, at["resolved"], isTruth) {
				delete(at, "resolved")
			} else {
				delete(at, f)
			}
		}
		if !mostly(rows, at[f], isTruth) {
			delete(at, f)
		}
	}
	if i := at["points"]; len(i) > 0 && (strings.Contains(strings.ToLower(header[i[0]]), "customfield") || slices.Contains(sizes, strings.ToLower(strings.TrimSpace(header[i[0]])))) && !mostly(rows, i, isNumber) {
		delete(at, "points")
	}
	if at.named(header, "status", []string{"progress"}) && mostly(rows, at["status"], func(v string) bool { return isNumber(strings.Trim(v, "% ")) }) {
		delete(at, "status")
	}
	if mostly(rows, at["comments"], isNumber) && !mostly(rows, at["comments"], func(string) bool { return false }) { // how many there are
		delete(at, "comments")
	}
}

// sizes are names of columns that hold points or something else, as hours.
var sizes = list("effort, estimation")

// mostly reports whether at least half of the filled cells are of a kind.
func mostly(rows []Row, at []int, is func(string) bool) bool {
	yes, all := 0, 0
	for _, r := range rows {
		for _, i := range at {
			if i < len(r.Cells) && strings.TrimSpace(r.Cells[i]) != "" {
				all++
				if is(strings.TrimSpace(r.Cells[i])) {
					yes++
				}
			}
		}
	}
	return yes*2 >= all
}

func isNumber(v string) bool {
	_, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64)
	return err == nil
}

func isTruth(v string) bool { return truth(v) || slices.Contains(falseWords, strings.ToLower(v)) }

func truth(v string) bool { return slices.Contains(trueWords, strings.ToLower(strings.TrimSpace(v))) }

var (
	trueWords  = list("true, yes, y, 1, x, ja, oui, sí, si, tak, sim, wahr, vrai, prawda, はい, 是")
	falseWords = list("false, no, n, 0, nein, non, nie, não, falsch, faux, fałsz, nee, いいえ, 否")
)

// named reports a field that is read from a column of one of these names.
func (at layout) named(header []string, field string, names []string) bool {
	if len(at[field]) == 0 {
		return false
	}
	name, _ := columnName(header[at[field][0]])
	return slices.Contains(names, name)
}

// mapping says which column each field is read from: the first of several.
func (at layout) mapping(header []string) map[string]string {
	out := make(map[string]string)
	for f, i := range at {
		out[f] = strings.TrimSpace(header[i[0]])
	}
	return out
}

// unread are the names of the columns that hold no field, each once, those that are empty last; full is how many are not.
func (at layout) unread(header []string, rows []Row) (out []string, full int) {
	taken := make(map[string]bool)
	for _, columns := range at {
		for _, i := range columns {
			taken[strings.TrimSpace(header[i])] = true
		}
	}
	for i, h := range header {
		if h = strings.TrimSpace(h); h != "" && !taken[h] && len(filled(rows, []int{i})) > 0 {
			taken[h] = true
			out = append(out, h)
		}
	}
	full = len(out)
	for _, h := range header {
		if h = strings.TrimSpace(h); h != "" && !taken[h] {
			taken[h] = true
			out = append(out, h)
		}
	}
	return out, full
}

// LeftOut says which columns say something that is in no field, "" when all that is said is.
func (t TicketTable) LeftOut() string {
	const shown = 6
	names := make([]string, 0, shown)
	for _, name := range t.Unread[:min(t.full, shown)] {
		names = append(names, strconv.Quote(clippedTo(name, 60)))
	}
	what := strings.Join(names, ", ")
	switch {
	case t.full == 0:
		return ""
	case t.full == 1:
		return "the column " + what + " is read into no field: a mapping (--map, or the preview on the page) says into which."
	case t.full > shown:
		what += fmt.Sprintf(" and %d more", t.full-shown)
	}
	return "the columns " + what + " are read into no field: a mapping (--map, or the preview on the page) says into which."
}

// Misnamed says which field or column of a mapping a table does not have, and which there are; nil when it has all.
func Misnamed(header []string, mapping map[string]string) error {
	for _, f := range slices.Sorted(maps.Keys(mapping)) {
		if !slices.Contains(Fields(), f) {
			return fault.BadField(f, "There is no field "+strconv.Quote(f)+" to map a column to.", Fields()...)
		}
		if wanted := strings.TrimSpace(mapping[f]); wanted != "" && len(called(header, wanted)) == 0 {
			return fault.BadField(f, "The table has no column "+strconv.Quote(wanted)+" to read the "+f+" from.", once(header)...)
		}
	}
	return nil
}

// once are the first names of columns, each once.
func once(header []string) (out []string) {
	for _, h := range header {
		if h = strings.TrimSpace(h); h != "" && !slices.Contains(out, h) && len(out) < 50 {
			out = append(out, h)
		}
	}
	return out
}

// called are the columns of a name.
func called(header []string, name string) (out []int) {
	for i, h := range header {
		if strings.EqualFold(strings.TrimSpace(h), name) {
			out = append(out, i)
		}
	}
	return out
}

// correct applies what a person says about the columns.
func (at layout) correct(header []string, mapping map[string]string) error {
	if err := Misnamed(header, mapping); err != nil {
		return err
	}
	for f, name := range mapping {
		found := called(header, strings.TrimSpace(name))
		if len(found) == 0 {
			delete(at, f)
		} else if now := at[f]; len(now) == 0 || !slices.Contains(now, found[0]) { // else the columns are those that were found
			at[f] = found
		}
	}
	if len(at["title"]) == 0 {
		return fault.BadField("title", "No column holds the tickets' titles; name the one that does.", once(header)...)
	}
	return nil
}

// objects reads a cell that holds a flattened JSON object, or several with commas.
func objects(cell string) []map[string]any {
	cell = strings.TrimSpace(cell)
	if !strings.HasPrefix(cell, "{") && !strings.HasPrefix(cell, "[") {
		return nil
	}
	if cell[0] == '{' {
		cell = "[" + cell + "]"
	}
	var out []map[string]any
	if err := json.Unmarshal([]byte(cell), &out); err != nil {
		return nil // a text that begins with a bracket
	}
	return out
}

// named is the cell's text; of JSON objects, what they are known by.
func named(cell string) string {
	found := objects(cell)
	if len(found) == 0 {
		return cell
	}
	var names []string
	for _, o := range found {
		if n := nameIn(o); n != "" {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

func nameIn(o map[string]any) string {
	for _, want := range inner {
		for k, v := range o {
			if s, ok := v.(string); ok && s != "" && strings.EqualFold(strings.ReplaceAll(k, "_", " "), want) {
				return s
			}
		}
	}
	if section, ok := o["section"].(map[string]any); ok { // of an Asana project
		return nameIn(section)
	}
	return ""
}
