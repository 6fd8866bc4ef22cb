package extract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/pattern"
)

// A Member is somebody whom a roster or a list of a team names.
type Member struct {
	Name         string
	Email        string
	Role         string // of the desk, "" where nothing is said that it knows
	Skills       []string
	Aliases      []string
	Capacity     *float64 // hours a week
	Availability *float64 // from 0 to 1
	Span         Span
}

// A Roster is a table of people: who they are and how much they can do.
type Roster struct {
	Mapping  map[string]string // field → the column's name
	Unread   []string
	Members  []Member
	Problems []string // a sentence each, with the row
}

// RosterFields are the fields of a [Roster]'s columns, in their order.
func RosterFields() []string {
	out := make([]string, 0, len(rosterColumns))
	for _, f := range rosterColumns {
		out = append(out, f.name)
	}
	return out
}

// rosterColumns are the columns of rosters, by names as [columnName] leaves them, without a unit in brackets.
var rosterColumns = []field{
	{"name", list("full name, fullname, name, person, people, team member, member, employee name, employee, staff member, staff, resource name, resource, contributor, engineer, developer, consultant, display name, mitarbeiter, mitarbeiterin, mitarbeitende, mitarbeiter:in, teammitglied, vollständiger name, nom complet, nombre completo")},
	{"first name", list("first name, firstname, given name, forename, vorname")},
	{"last name", list("last name, lastname, surname, family name, nachname")},
	{"role", list("role, job title, title, position, job role, team role, project role, role/title, role / title, function, discipline, job, rolle, funktion, stelle, rol, cargo")},
	{"capacity", list("weekly capacity, capacity/week, capacity per week, capacity, hours/week, hours / week, hours per week, weekly hours, hours a week, hrs/week, hrs per week, hrs/wk, h/week, h/wk, working hours, contract hours, contracted hours, hours, kapazität, wochenstunden, stunden/woche, stunden pro woche, std/woche, std./woche, h/woche, arbeitszeit, capacidad")},
	{"fte", list("fte, ftes, full time equivalent, employment, workload, pensum, beschäftigungsgrad")},
	{"days", list("days/week, days / week, days per week, tage/woche, tage pro woche")},
	{"availability", list("availability, available, avail, verfügbarkeit, verfügbar, disponibilité, disponibilidad, allocation")},
	{"skills", list("skills, skill set, skillset, key skills, technologies, tech stack, stack, expertise, competencies, kenntnisse, fähigkeiten, kompetenzen, skills/technologies, compétences, habilidades")},
	{"email", list("email, e mail, mail, email address, e mail address, e mail adresse, work email")},
	{"alias", list("handle, username, user name, login, github, github handle, slack, slack handle, nickname, kürzel, initials, alias, aka")},
	{"sort", list("resource type, kind, type, category, typ, art")},
}

// noRoster are columns of tables that are about something else than who is in a team.
var noRoster = set(list("company, organization, organisation, account, customer, client, firma, kunde, lead source, phone, task, task name, summary, assignee, priority, due date, due, sprint, story points, points, issue key, key, issue, epic, milestone, date, datum, attended, attendance, present, anwesend, comments, description, vendor, decision, action, action item, price, amount, cost"))

// ofUnit is a column's name with its unit: "Capacity (h/week)".
var ofUnit = pattern.New(`^(.{2,40}?)\s*[(\[]\s*([^()\[\]]{1,20})\s*[)\]]$`)

// hourUnits are units of hours a week, shareUnits those of shares.
var (
	hourUnits  = list("h, hrs, hr, hours, h/week, h/wk, hrs/week, hrs/wk, hours/week, hours / week, hours per week, hrs per week, per week, weekly, std, std., stunden, h/woche, std/woche, std./woche, stunden/woche, pro woche")
	shareUnits = list("%, in %, percent, pct, fte")
	dayUnits   = list("d/week, days/week, days per week, tage/woche")
)

// A rosterReader reads the rows of a roster.
type rosterReader struct {
	at    layout
	unit  map[string]string // of columns that are read by it: "share", "days"
	rows  []Row
	out   Roster
	lines map[string]int // where somebody stands
	left  []string       // names that are no people
	roles map[string]int // titles that no role is, with their line
}

// ReadRoster reads a table as a roster. ok is false when it is none: it needs a column of names that are people's, and one of how much they
// work or what they know, or of roles that are known.
func ReadRoster(header []string, rows []Row) (Roster, bool) {
	r := rosterReader{unit: make(map[string]string), rows: rows, lines: make(map[string]int), roles: make(map[string]int)}
	if !r.layOut(header) || !r.tells() {
		return Roster{}, false
	}
	people, others := 0, 0
	for _, row := range rows {
		if name := r.name(row); isPerson(name) {
			people++
		} else if name != "" {
			others++
		}
	}
	if people == 0 || others > people {
		return Roster{}, false
	}
	r.scale(header)
	for _, row := range rows {
		r.row(row)
	}
	r.finish(header)
	return r.out, true
}

// layOut finds the columns; ok is false where the table is about something else.
func (r *rosterReader) layOut(header []string) bool {
	r.at = make(layout)
	names := columnNames(header)
	for i, name := range names {
		if noRoster[name] {
			return false
		}
		if m := ofUnit.FindStringSubmatch(name); m != nil {
			switch unit := strings.TrimSpace(m[2]); {
			case slices.Contains(hourUnits, unit):
				names[i] = m[1]
			case slices.Contains(shareUnits, unit):
				names[i], r.unit[m[1]] = m[1], "share"
			case slices.Contains(dayUnits, unit):
				names[i], r.unit[m[1]] = m[1], "days"
			}
		}
		if bare := strings.Trim(names[i], " %"); bare != names[i] && bare != "" {
			names[i], r.unit[bare] = bare, "share"
		}
	}
	taken := make(map[int]bool)
	for _, f := range rosterColumns {
		for _, name := range f.names {
			if i := slices.Index(names, name); i >= 0 && !taken[i] && len(filled(r.rows, []int{i})) > 0 {
				r.at[f.name], taken[i] = []int{i}, true
				if u := r.unit[name]; u != "" {
					r.unit[f.name] = u
				}
				break
			}
		}
	}
	if r.unit["capacity"] == "days" {
		r.at["days"], r.unit["days"] = r.at["capacity"], ""
		delete(r.at, "capacity")
	}
	return len(r.at["name"])+len(r.at["first name"])*len(r.at["last name"]) > 0
}

// tells reports columns by which a table of names is a roster.
func (r *rosterReader) tells() bool {
	has := func(f string) bool { return len(r.at[f]) > 0 }
	if !has("role") && !has("availability") && !has("fte") && !has("skills") && !has("days") {
		return has("capacity") && r.reads("capacity", func(v string) bool { return plainAmount.MatchString(v) || saysAmount(v) })
	}
	if has("availability") || has("fte") || has("days") || has("capacity") {
		return r.reads("availability", isShareLike) && r.reads("fte", isShareLike) && r.reads("capacity", func(v string) bool { return plainAmount.MatchString(v) || saysAmount(v) })
	}
	known := r.reads("role", func(v string) bool { return RoleOf(v) != "" })
	return has("role") && known
}

func saysAmount(v string) bool {
	_, hours := hoursIn(v)
	_, share := shareIn(v)
	return hours || share
}

func isShareLike(v string) bool { return plainAmount.MatchString(v) || saysAmount(v) }

// reads reports whether at least half of what a column says is of a kind.
func (r *rosterReader) reads(f string, is func(string) bool) bool {
	return mostly(r.rows, r.at[f], is)
}

// scale finds out whether plain numbers are shares, percents or hours.
func (r *rosterReader) scale(header []string) {
	for _, f := range []string{"availability", "fte", "capacity"} {
		most, some := 0.0, false
		for _, row := range r.rows {
			if v := cellIn(row, r.at[f]); plainAmount.MatchString(v) {
				most, some = max(most, amount(v)), true
			}
		}
		switch {
		case !some:
		case most <= 1.5 && (f != "capacity" || most > 0):
			r.unit[f] = "share"
		case f != "capacity" || most > 60 && most <= 100 || r.unit[f] == "share":
			r.unit[f] = "percent"
		default:
			r.unit[f] = ""
		}
	}
	if u := r.unit["capacity"]; u != "" {
		r.out.Problems = append(r.out.Problems, fmt.Sprintf("line %d: the column %q says shares of full time; they were read as shares of %d hours a week.", r.rows[0].Line, strings.TrimSpace(header[r.at["capacity"][0]]), fullWeek))
	}
}

// name is whom a row names: "Reyes, Dana" is Dana Reyes.
func (r *rosterReader) name(row Row) string {
	name := oneLine(cellIn(row, r.at["name"]))
	if name == "" {
		name = strings.TrimSpace(oneLine(cellIn(row, r.at["first name"])) + " " + oneLine(cellIn(row, r.at["last name"])))
	}
	name = strings.TrimSpace(inBrackets.ReplaceAllString(strings.Trim(name, "*_` "), ""))
	if last, first, ok := strings.Cut(name, ","); ok && !strings.Contains(first, ",") && strings.TrimSpace(first) != "" {
		name = strings.TrimSpace(first) + " " + strings.TrimSpace(last)
	}
	return name
}

// otherSorts are what a column of sorts says beside what is no person.
var otherSorts = set(list("material, cost, equipment, tool, tools, group, team, system, machine, software, license, licence, room, generic, bot, agent, service, placeholder, vendor"))

func (r *rosterReader) row(row Row) {
	name, title := r.name(row), oneLine(cellIn(row, r.at["role"]))
	if name == "" {
		return
	}
	role := RoleOf(title)
	if !isPerson(name) || otherSorts[strings.ToLower(cellIn(row, r.at["sort"]))] || role == "" && ofNoPerson.MatchString(title) {
		r.left = append(r.left, fmt.Sprintf("%s (line %d)", strconv.Quote(clippedTo(name, 60)), row.Line))
		return
	}
	name = clippedTo(name, 200)
	low := strings.ToLower(name)
	if at, is := r.lines[low]; is {
		r.out.Problems = append(r.out.Problems, fmt.Sprintf("line %d: %s stands in line %d, too; that line counts.", row.Line, clippedTo(name, 60), at))
		return
	}
	r.lines[low] = row.Line
	if title != "" && role == "" && len(r.roles) < 100 {
		if _, is := r.roles[title]; !is {
			r.roles[title] = row.Line
		}
	}
	m := Member{Name: name, Role: role, Skills: r.skills(row), Span: Span{Line: row.Line, EndLine: row.Line + strings.Count(strings.Join(row.Cells, ""), "\n"), Quote: r.quote(row)}}
	if mail := cellIn(row, r.at["email"]); mailAddress.MatchString(mail) {
		m.Email = mail
	}
	if alias := strings.TrimPrefix(cellIn(row, r.at["alias"]), "@"); alias != "" && len(alias) <= 60 && !strings.EqualFold(alias, name) {
		m.Aliases = []string{alias}
	}
	r.amounts(row, &m)
	r.out.Members = append(r.out.Members, m)
}

var mailAddress = pattern.New(`^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+$`)

// amounts reads how much somebody works.
func (r *rosterReader) amounts(row Row, m *Member) {
	hours := func(f string) *float64 {
		v := cellIn(row, r.at[f])
		if v == "" {
			return nil
		}
		h, ok := hoursIn(v)
		if !ok {
			if share, is := r.share(f, v); is && (r.unit[f] != "" || !plainAmount.MatchString(v)) {
				h, ok = rounded(share*fullWeek), true
			} else if plainAmount.MatchString(v) {
				h, ok = amount(v), amount(v) <= 168
			}
		}
		if !ok {
			r.odd(row, f, v)
			return nil
		}
		return &h
	}
	if v := cellIn(row, r.at["availability"]); v != "" {
		if share, ok := r.share("availability", v); ok {
			m.Availability = &share
		} else if h, ok := hoursIn(v); ok && len(r.at["capacity"]) == 0 {
			m.Capacity = &h
		} else {
			r.odd(row, "availability", v)
		}
	}
	if c := hours("capacity"); c != nil {
		m.Capacity = c
	}
	if v := cellIn(row, r.at["days"]); v != "" && m.Capacity == nil {
		if h, ok := hoursIn(v + " days/week"); ok {
			m.Capacity = &h
		} else {
			r.odd(row, "days", v)
		}
	}
	if v := cellIn(row, r.at["fte"]); v != "" && m.Capacity == nil {
		m.Capacity = hours("fte")
	}
}

// share reads a share in the scale of its column.
func (r *rosterReader) share(f, v string) (float64, bool) {
	if share, ok := shareIn(v); ok {
		return share, true
	}
	if !plainAmount.MatchString(v) {
		return 0, false
	}
	n := amount(v)
	if r.unit[f] == "percent" {
		n = rounded(n / 100)
	}
	most := 1.0
	if f != "availability" {
		most = 1.5
	}
	return n, n <= most
}

func (r *rosterReader) odd(row Row, f, v string) {
	r.out.Problems = append(r.out.Problems, fmt.Sprintf("line %d: the %s %q cannot be read; it was left out.", row.Line, f, clippedTo(v, 60)))
}

// skillCut stands between skills.
var skillCut = pattern.New(`\s*[,;|\n•]\s*|\s+/\s+`)

// skills are what somebody knows, each once.
func (r *rosterReader) skills(row Row) []string { return skillsIn(cellIn(row, r.at["skills"])) }

func skillsIn(text string) (out []string) {
	for _, s := range skillCut.Split(text, -1) {
		s = strings.Trim(s, " .*`")
		if s != "" && len(s) <= 60 && len(out) < 50 && !slices.Contains(nothing, strings.ToLower(s)) && !slices.ContainsFunc(out, func(x string) bool { return strings.EqualFold(x, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// quote is a row in its words.
func (r *rosterReader) quote(row Row) string {
	if row.Said != "" {
		return row.Said
	}
	var cells []string
	for _, c := range row.Cells {
		if c = oneLine(c); c != "" {
			cells = append(cells, c)
		}
	}
	return strings.Join(cells, ", ")
}

// finish tells what was left out.
func (r *rosterReader) finish(header []string) {
	const shown = 6
	r.out.Mapping = r.at.mapping(header)
	r.out.Unread, _ = r.at.unread(header, r.rows)
	if n := len(r.left); n > 0 {
		more := ""
		if n > shown {
			more = fmt.Sprintf(" and %d more", n-shown)
		}
		r.out.Problems = append(r.out.Problems, fmt.Sprintf("Left out, for they are no people: %s%s.", strings.Join(r.left[:min(n, shown)], ", "), more))
	}
	for _, title := range sortedKeys(r.roles) {
		r.out.Problems = append(r.out.Problems, fmt.Sprintf("line %d: the role %q is none of ENGINEER, DESIGNER, PM and QA; it was left out.", r.roles[title], clippedTo(title, 60)))
	}
	if len(r.out.Problems) > 40 {
		n := len(r.out.Problems) - 39
		r.out.Problems = append(r.out.Problems[:39], fmt.Sprintf("%d more rows say something that cannot be read.", n))
	}
}
