package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// Trackers write people as names, accounts, mail addresses, and some as "Lee, Ann".

var (
	besideName = pattern.New(`\s*<[^<>@\s]+@[^<>\s]+>`) // a mail address
	mention    = pattern.New(`\[~(?:accountid:)?([^\]\s]{2,80})\]`)
	lastFirst  = pattern.New(`^([^\s,;(][^,;(]{0,60}),\s*([^\s,;(][^,;(]{0,60}?)(\s*\([^()]*\))?$`)
)

// singleOwner are the trackers in which a ticket has one owner.
var singleOwner = []Source{Jira, Linear, Asana}

// accounts are the names of the accounts that a table tells: exports write the id or the mail
// address of a person in the column behind that of the name, Jira's in every language.
func accounts(header []string, rows []Row) map[string]string {
	times := make(map[string]int)
	for _, h := range header {
		times[h]++
	}
	out := make(map[string]string)
	besideNames(header, rows, out)
	for i := 1; i < len(header); i++ {
		if !isID(header[i]) || isID(header[i-1]) || times[header[i-1]] > 1 || times[header[i]] > 1 || !akin(header[i], header[i-1]) {
			continue
		}
		for _, r := range rows {
			if i >= len(r.Cells) {
				continue
			}
			if id, name := strings.TrimSpace(r.Cells[i]), strings.TrimSpace(r.Cells[i-1]); id != "" && name != "" && len(name) <= 200 && out[id] == "" {
				out[id] = name
			}
		}
	}
	return out
}

// besideNames adds the accounts that a flattened object tells with the name: author.login and author.name.
func besideNames(header []string, rows []Row, out map[string]string) {
	at := make(map[string]int)
	for i, h := range header {
		at[strings.ToLower(h)] = i
	}
	for i, h := range header {
		base, suffix, ok := cutLast(strings.ToLower(h))
		if !ok || !slices.Contains([]string{"login", "username", "accountid", "emailaddress", "email"}, suffix) {
			continue
		}
		for _, name := range []string{".displayname", ".name", ".fullname"} {
			j, is := at[base+name]
			if !is {
				continue
			}
			for _, r := range rows {
				id, who := cellIn(r, []int{i}), cellIn(r, []int{j})
				if id != "" && !blank(who) && len(who) <= 200 && out[id] == "" {
					out[id] = who
				}
			}
			break
		}
	}
}

// cutLast cuts a flattened name at its last dot.
func cutLast(name string) (base, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// isID reports a header that says that its column holds accounts.
func isID(header string) bool {
	return slices.ContainsFunc(headWords(header), func(w string) bool { return w == "id" || w == "email" || w == "username" })
}

// akin reports headers with words that begin alike: "Zgłaszający" and "ID zgłaszającego".
func akin(a, b string) bool {
	return slices.ContainsFunc(headWords(a), func(x string) bool {
		return slices.ContainsFunc(headWords(b), func(y string) bool {
			stem, of := []rune(x), []rune(y)
			return len(stem) >= 4 && len(of) >= 4 && slices.Equal(stem[:4], of[:4])
		})
	})
}

func headWords(header string) []string {
	return strings.FieldsFunc(strings.ToLower(header), func(c rune) bool { return !unicode.IsLetter(c) })
}

// name is how people call whom a text names: of an account its person's name, of "Lee, Ann"
// where a ticket has one owner, or another cell says so, "Ann Lee".
func (r *rowReader) name(who string) string {
	if name := r.who[who]; name != "" {
		who = name
	}
	if bare := strings.TrimSpace(besideName.ReplaceAllString(who, "")); bare != "" {
		who = bare
	}
	if m := lastFirst.FindStringSubmatch(who); m != nil && (r.single || r.whole[strings.ToLower(m[2]+" "+m[1])]) {
		return m[2] + " " + m[1] + m[3]
	}
	return who
}

// mentions writes the accounts that a text mentions as names.
func (r *rowReader) mentions(text string) string {
	if !strings.Contains(text, "[~") {
		return text
	}
	return mention.ReplaceAllStringFunc(text, func(m string) string {
		id := mention.FindStringSubmatch(m)[1]
		if r.who[id] == "" {
			return m
		}
		return "@" + r.name(id)
	})
}

// handleMark stands before a handle.
var handleMark = pattern.New(`(^|[,;/&+]\s*)@`)

// person returns a field's people as one text, those of all columns that have the name of the
// first that the row fills; nobody is empty.
func (r *rowReader) person(row Row, field string) string {
	var all []string
	from, rank := "", 0
	for _, i := range r.at[field] {
		cell := named(cellIn(row, []int{i}))
		if blank(cell) || from != "" && (from != r.names[i] || rank != r.ranks[i]) { // an account beside its name is the same person
			continue
		}
		from, rank = r.names[i], r.ranks[i]
		who := r.name(unlisted(cell))
		if several := stringsIn(cell); several != nil {
			who = strings.Join(several, ", ")
		}
		who = handleMark.ReplaceAllString(who, "$1")
		if !slices.Contains(nobody, strings.ToLower(who)) && !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	return strings.Join(all, ", ")
}
