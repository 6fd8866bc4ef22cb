package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

var (
	// standing is how somebody is addressed, before a name; honorific has the usual ones.
	standing = pattern.New(`^(?i:miss|sister|brother|sir|dame|lady|lord|col|colonel|capt|captain|sgt|lt|maj|cllr|councillor|nurse|matron|schwester|pfleger|meister|engineer|dispatcher|shri|smt)\.?\s+(\p{Lu}.*)$`)
	// betweenMarks is what may stand before and behind a name in a list of people or below a letter.
	betweenMarks = pattern.New(`(?m)(?:^|[,:;(|•·–—/&+-]|\b(?:and|und|with|mit|by|from|von|between|is|are|were|was))[ \t*_\[\]x]*((?:\p{Lu}[\p{L}'’-]+|\p{Lu}\.)(?:[ \t]+(?:\p{Lu}[\p{L}'’-]+|\p{Lu}\.|van|von|der|de|da|bin|el|al)){1,3})[ \t*_]*(?:$|[,;:()|.•·–—/&+]|\s-|\band\b|\bund\b)`)
)

// fullNames are what the text writes like the names of people, of two words or more.
func (s *scanner) fullNames() []string {
	if s.written != nil {
		return s.written
	}
	s.written = []string{}
	text := strings.Join(s.lines[:min(len(s.lines), mostLinesOfNames)], "\n")
	for at := 0; at < len(text) && len(s.written) < knownPeople; {
		m := betweenMarks.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		name := strings.Join(strings.Fields(bareName(text[at+m[2]:at+m[3]])), " ")
		if strings.Contains(name, " ") && writtenName(name) && !slices.ContainsFunc(strings.Fields(name), noPart) && !slices.Contains(s.written, name) {
			s.written = append(s.written, name)
		}
		at += m[3] // what ends one begins the next
	}
	return s.written
}

// noPart reports a word that greets, or that is what somebody is.
func noPart(word string) bool { return greets[strings.ToLower(word)] || officeWord(word) }

// greets are words before the name of whom a letter is to.
var greets = set(list("hi, hello, hey, dear, thanks, regards, hallo, liebe, lieber, moin, servus, morning, bonjour, hola, cher, chère"))

// mostLinesOfNames are the lines in which full names are looked for.
const mostLinesOfNames = 2000

// spelledOut is the one full name in the text that a given name begins, a family name with a title ends, or that has its initials;
// the name itself where there is none or more than one.
func (s *scanner) spelledOut(name string) string {
	full, ok := s.spelled[name]
	if !ok {
		if s.spelled == nil {
			s.spelled = make(map[string]string)
		}
		full = s.spellOut(name)
		s.spelled[name] = full
	}
	return full
}

func (s *scanner) spellOut(name string) string {
	titled := honorific.MatchString(name)
	for m := standing.FindStringSubmatch(name); m != nil; m = standing.FindStringSubmatch(name) {
		name, titled = m[1], true
	}
	short := bareName(name)
	if strings.Contains(short, " ") || len(short) < 2 || !unicode.IsUpper([]rune(short)[0]) {
		return name
	}
	letters := strings.ReplaceAll(short, "-", "")
	capitals := len([]rune(letters)) <= 3 && strings.ToUpper(letters) == letters
	for _, names := range [][]string{s.fullNames(), s.spottedNames()} {
		full := ""
		for _, one := range names {
			words := strings.Fields(one)
			if (titled || words[0] != short) && (!titled || words[len(words)-1] != short) && !(capitals && initials(one) == letters) {
				continue
			}
			if full != "" {
				return name
			}
			full = one
		}
		if full != "" {
			return full
		}
	}
	return name
}

// spottedNames are the names of two or three words that were spotted in the lines of a text, as soon as they were.
func (s *scanner) spottedNames() []string {
	var out []string
	for _, l := range s.lined {
		for _, i := range l.names {
			name := l.pieces[i].text
			words := strings.Fields(name)
			if (len(words) == 2 || len(words) == 3) && writtenName(name) && !slices.ContainsFunc(words, func(w string) bool { return noPart(w) || titleWord(strings.ToLower(w)) || s.verbal(strings.ToLower(w)) }) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// doubtful reports whether a full name is that of somebody who was only likely there, and the text has another that fits as well.
func (s *scanner) doubtful(name, full string) bool {
	if !slices.ContainsFunc(s.guessed, func(a Attendee) bool { return a.Name == full }) {
		return false
	}
	return slices.ContainsFunc(s.fullNames(), func(one string) bool { return one != full && strings.HasPrefix(one, name+" ") })
}

// withoutTitle is a full name without what somebody is: "Mme Ilse Crombez". "Dr." stays, and what stands before one name alone: "Sister Bernadette".
func withoutTitle(name string) string {
	words := strings.Fields(name)
	for len(words) > 2 && titleWord(strings.ToLower(words[0])) && !addresses[strings.TrimRight(strings.ToLower(words[0]), ".")] && !strings.Contains(name, ",") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}
