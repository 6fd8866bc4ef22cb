package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// honorific begins how people are spoken of in formal minutes.
var honorific = pattern.New(`(?i)^(?:dr|prof|cllr|mr|mrs|ms|mx|herr|frau|hr|fr|pfr|rev|m|mme|sr|sra)\b\.?\s+`)

// knows reports whether a name is one of the attendees or speakers, in whatever form.
func (s *scanner) knows(name string) bool {
	return s.meant(name, false) != ""
}

// knowsAttendee reports whether a name is one of those that the notes list.
func (s *scanner) knowsAttendee(name string) bool {
	for _, a := range s.out.Attendees[:min(len(s.out.Attendees), knownPeople)] {
		if meantOf([]person{{a.Name, a.Handle}}, name, false) != "" {
			return true
		}
	}
	return false
}

// handled reports whether a name is somebody's handle.
func (s *scanner) handled(name string) bool {
	return slices.ContainsFunc(s.out.Attendees, func(a Attendee) bool { return a.Handle != "" && strings.EqualFold(a.Handle, name) })
}

// knowsAll reports whether each of some names is one of the attendees or speakers.
func (s *scanner) knowsAll(names string) bool {
	return !slices.ContainsFunc(nameJoint.Split(names, -1), func(name string) bool { return !s.knows(name) })
}

// knownPeople are the most of the people that are asked whom a name means.
const knownPeople = 500

// meant is the one of the people that were there whom a name means, "" for none; alone asks for no other whom it
// may mean, too. Those whom headings name and speakers are asked where no attendee fits.
func (s *scanner) meant(name string, alone bool) string {
	name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "@"))
	if name == "" {
		return ""
	}
	if n := [3]int{len(s.out.Attendees), len(s.named), len(s.out.Speakers)}; s.asks == nil || n != s.askedOf {
		s.asks, s.askedOf = make(map[lookup]string), n
	}
	q := lookup{name, alone}
	full, ok := s.asks[q]
	if !ok {
		full = s.lookUp(name, alone)
		s.asks[q] = full
	}
	return full
}

// A lookup asks whom a name means.
type lookup struct {
	name  string
	alone bool
}

func (s *scanner) lookUp(name string, alone bool) string {
	var called []person
	for _, a := range s.out.Attendees[:min(len(s.out.Attendees), knownPeople)] {
		called = append(called, person{a.Name, a.Handle})
	}
	if found := meantOf(called, name, alone); found != "" {
		return found
	}
	called = called[:0]
	for _, a := range s.out.Speakers[:min(len(s.out.Speakers), knownPeople)] {
		called = append(called, person{a.Name, ""})
	}
	for _, a := range s.named[:min(len(s.named), knownPeople)] {
		called = append(called, person{a, ""})
	}
	if found := meantOf(called, name, alone); found != "" {
		return found
	}
	return meantOf(s.present, name, alone)
}

// roster are the people whom the whole text names: those who came or did not, who speak, and whom headings name.
func (s *scanner) roster() []person {
	var out []person
	for _, a := range s.out.Attendees {
		out = append(out, person{a.Name, a.Handle})
	}
	for _, who := range s.out.Speakers {
		out = append(out, person{who.Name, ""})
	}
	for _, who := range s.named {
		out = append(out, person{who, ""})
	}
	out = out[:min(len(out), knownPeople)]
	seen := make(map[string]bool)
	return slices.DeleteFunc(out, func(p person) bool {
		was := seen[strings.ToLower(p.name)]
		seen[strings.ToLower(p.name)] = true
		return was
	})
}

type person struct {
	name, handle string
}

// The forms in which people are named, the surest first.
var forms = []func(p person, name string) bool{
	func(p person, name string) bool { return strings.EqualFold(p.name, name) },
	func(p person, name string) bool { return p.handle != "" && strings.EqualFold(p.handle, name) },
	func(p person, name string) bool { return strings.EqualFold(bareName(p.name), bareName(name)) },
	func(p person, name string) bool { // "Ann", or "Lee" of "Ann Lee"
		return slices.ContainsFunc(strings.Fields(bareName(p.name)), func(w string) bool { return strings.EqualFold(w, bareName(name)) })
	},
	func(p person, name string) bool { // "Ann Lee" of "Ann"
		return len(strings.Fields(name)) > 1 && len([]rune(p.name)) > 1 && strings.HasPrefix(strings.ToLower(bareName(name)), strings.ToLower(bareName(p.name))+" ")
	},
	func(p person, name string) bool { // "AL"
		n := len([]rune(name))
		return n >= 2 && n <= 3 && strings.ToUpper(name) == name && initials(p.name) == name
	},
	func(p person, name string) bool { // "A" between two people
		return len(name) == 1 && name >= "A" && name <= "Z" && strings.HasPrefix(p.name, name)
	},
	func(p person, name string) bool { // "M. Lee" of "Mona Lee"
		first, last, ok := strings.Cut(name, " ")
		mine, family, also := strings.Cut(bareName(p.name), " ")
		return ok && also && strings.EqualFold(last, family) && len([]rune(strings.Trim(first, "."))) == 1 && strings.HasPrefix(mine, strings.Trim(first, "."))
	},
	func(p person, name string) bool { // "Buki" of Bukola "Buki" Adeniran
		m := inQuotes.FindStringSubmatch(p.name)
		return m != nil && strings.EqualFold(m[1], name)
	},
	func(p person, name string) bool { return nicknamed(firstWord(bareName(p.name)), name) },
}

// meantOf takes the surest form in which a name means somebody.
func meantOf(called []person, name string, alone bool) string {
	name = strings.TrimRight(name, ".")
	for _, form := range forms {
		var of []string
		for _, p := range called {
			if form(p, name) && !slices.Contains(of, p.name) {
				of = append(of, p.name)
			}
		}
		if len(of) == 1 || len(of) > 1 && !alone {
			return of[0]
		}
		if len(of) > 1 {
			return ""
		}
	}
	return ""
}

// bareName is a name without title and brackets.
func bareName(name string) string {
	if strings.ContainsAny(name, "([") {
		name = inBrackets.ReplaceAllString(name, "")
	}
	if name = strings.TrimSpace(name); strings.ContainsAny(name, `"“„'‘`) {
		name = unquoted(name)
	}
	if !strings.ContainsAny(name, " \t") { // no title stands before it
		return name
	}
	for bare := ""; bare != name; name = strings.TrimSpace(honorific.ReplaceAllString(bare, "")) { // "Herr Dr. Lee"
		bare = name
	}
	return name
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// shortForms are given names and what their bearers are called.
var shortForms = map[string][]string{
	"alexander": list("alex, sasha, xander"), "alexandra": list("alex, sandra, sasha"), "andrew": list("andy, drew"), "anthony": list("tony"), "antonio": list("toni, tonio"),
	"barbara": list("barb, babs"), "catherine": list("cathy, kate, cat"), "charles": list("charlie, chuck"), "christina": list("tina, chris"), "christine": list("tina, chris"),
	"christopher": list("chris, kit"), "daniel": list("dan, danny"), "deborah": list("deb, debbie"), "edward": list("ed, eddie, ted, ned"), "eleanor": list("ellie, nell, nora"),
	"elizabeth": list("liz, lizzie, beth, betty, eliza, lisa"), "frederick": list("fred, freddie, rick"), "gabriela": list("gabi, gaby"), "henry": list("harry, hank"), "isabella": list("bella, izzy"),
	"jacqueline": list("jackie"), "james": list("jim, jimmy, jamie"), "jennifer": list("jen, jenny"), "johannes": list("hannes, jo"), "john": list("jack, johnny"),
	"jonathan": list("jon, jonny"), "joseph": list("joe, joey"), "joshua": list("josh"), "katherine": list("kate, kathy, katie, kat"), "kathleen": list("kathy, kate"),
	"lawrence": list("larry"), "leonard": list("leo, len"), "margaret": list("maggie, meg, peggy, greta"), "maximilian": list("max"), "michael": list("mike, mick, mickey"),
	"nathaniel": list("nate, nat"), "nicholas": list("nick, nico"), "patricia": list("pat, patty, tricia"), "patrick": list("pat, paddy"), "peter": list("pete"),
	"philip": list("phil"), "rebecca": list("becca, becky"), "richard": list("rick, dick, rich, richie"), "robert": list("rob, bob, bobby, robbie, bert"), "ronald": list("ron"),
	"samantha": list("sam"), "stephanie": list("steph, steffi"), "stephen": list("steve"), "steven": list("steve"), "susan": list("sue, susie"), "theodora": list("theo, dora"),
	"theodore": list("ted, theo"), "theresa": list("tess, terry"), "thomas": list("tom, tommy"), "victoria": list("vicky, tori"), "william": list("will, bill, billy, liam"),
}

// nicknamed reports whether a given name is shortened to another: "Steph", "Bill".
func nicknamed(given, nick string) bool {
	given, nick = strings.ToLower(given), strings.ToLower(nick)
	return slices.Contains(shortForms[given], nick) || len(nick) >= 3 && len(given) >= len(nick)+2 && strings.HasPrefix(given, nick)
}

// aside in brackets behind a name: "Ann (she/her)"; a role with its bearer: "CFO (Ann)".
var ofRole = pattern.New(`^[\p{Lu}]{2,4}\s*\(([\p{Lu}][^()]+)\)$`)

// inFull is an owner by the names of the people that were there, where they are meant.
func (s *scanner) inFull(owner string) string {
	if owner == "" {
		return ""
	}
	parts := nameJoint.Split(inBrackets.ReplaceAllStringFunc(owner, func(b string) string {
		if strings.ContainsAny(b, "/") { // "(she/her)"
			return ""
		}
		return b
	}), -1)
	changed := len(parts) == 1 && strings.TrimSpace(parts[0]) != owner
	for i, part := range parts {
		if m := ofRole.FindStringSubmatch(part); m != nil {
			part = m[1]
		}
		part = strings.TrimSpace(inBrackets.ReplaceAllString(part, ""))
		if full := s.meant(part, true); full != "" && len(full) > len(part) && !s.doubtful(part, full) {
			part = strings.TrimSpace(inBrackets.ReplaceAllString(full, ""))
		} else if full == "" || full == part || s.doubtful(part, full) {
			part = s.spelledOut(part)
		}
		if part != "" && (part != parts[i] || changed) {
			parts[i], changed = part, true
		}
	}
	if !changed {
		return owner
	}
	return strings.Join(parts, ", ")
}

func initials(name string) string {
	var out []rune
	bare := strings.TrimSpace(inBrackets.ReplaceAllString(name, ""))
	if !strings.HasPrefix(bare, "M. ") { // an initial as well as a title
		bare = bareName(name)
	}
	for _, word := range strings.FieldsFunc(bare, func(r rune) bool { return unicode.IsSpace(r) || r == '-' }) {
		out = append(out, unicode.ToUpper([]rune(word)[0]))
	}
	return string(out)
}

// ShortFor reports whether the first word of a name is a given name of which a word is a usual short form: "Joe" of "Joseph Martinez".
func ShortFor(name, short string) bool {
	return slices.Contains(shortForms[strings.ToLower(firstWord(name))], strings.ToLower(short))
}
