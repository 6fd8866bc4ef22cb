package extract

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// People are spoken of by what they are: "the Clerk", "City Manager Lee". The roll call says who that is.

// office is what people are in formal meetings, as it is written before or instead of a name.
const office = `(?:(?:City|Town|County|Company|Parish|Village|School|Vice|Vice-|Deputy|Managing|Executive|Acting|Interim|Assistant|Honorary|Board|Club|Technical|Medical|Finance|Project|Centre|Center|Office|Secretary)\s*){0,2}` +
	`(?:Mayor|Council(?:member|man|woman|lor|or)s?|Manager|Clerk|Superintendent|President|Treasurer|Secretary|Secretariat|Chair(?:man|woman|person)?|Convenor|Convener|Facilitator|Editor|Director|Commissioner|Trustee|Principal|Captain|Chief|Father|Pastor|Reverend|Deacon|Officer|Attorney|Counsel|Supervisor|Alderman|Senator|Registrar|Bursar|Warden|Rapporteur|Scribe|Shri|Smt|Schwester|Pfleger|PDL Frau|PDL Herr|Vorsitzende[rn]?|Obmann|Obfrau|Kassenwart(?:in)?|Kassier(?:in)?|Schriftführer(?:in)?|Geschäftsführer(?:in)?)`

var (
	officeFirst = pattern.New(`^(?:the\s+)?(` + office + `(?:\s+and\s+` + office + `)?)\s+((?:(?:Mr|Mrs|Ms|Dr|Prof)\b\.?\s+)?\p{Lu}[\pL'’.-]+(?:\s+\p{Lu}[\pL'’.-]*){0,2})$`)
	officeOnly  = pattern.New(`^(?i:the\s+)?(` + office + `)$`)
	// officeDoes is an office before what its bearer does.
	officeDoes = pattern.New(`(^|[\s:])((?:[Tt]he |[Dd]er |[Dd]ie )?((?i:` + office + `)))(\s+(?:to|will|was|is|has|agreed|undertook|offered|shall|would|should|volunteered|promised|wird|soll)\s)`)
)

// holds keeps who has a role: "Chair to write to them".
func (s *scanner) holds(role, name string) {
	role = strings.ToLower(strings.TrimSpace(role))
	if name == "" || !officeWord(role) {
		return
	}
	if s.roleOf == nil {
		s.roleOf = make(map[string]string)
	}
	words := strings.FieldsFunc(role, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	s.roleOf[strings.Join(words, " ")] = name
	for _, w := range words {
		if _, taken := s.roleOf[w]; !taken && officeOnly.MatchString(capital(w)) {
			s.roleOf[w] = name
		}
	}
}

// officeWord reports whether a role has an office in it.
func officeWord(role string) bool {
	for _, w := range strings.FieldsFunc(role, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if officeOnly.MatchString(capital(w)) {
			return true
		}
	}
	return false
}

func capital(word string) string {
	r := []rune(word)
	if len(r) == 0 {
		return word
	}
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// bearers writes the names of people for their offices, where a sentence says what they do.
func (s *scanner) bearers(one string) string {
	if len(s.roleOf) == 0 {
		return one
	}
	at := officeDoes.FindStringSubmatchIndex(one)
	if at == nil {
		return one
	}
	name := s.roleOf[strings.ToLower(one[at[6]:at[7]])]
	if name == "" {
		return one
	}
	return one[:at[4]] + name + one[at[5]:]
}
