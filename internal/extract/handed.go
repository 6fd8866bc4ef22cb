package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A handing is a form in which notes say whose something is; what and who are the groups of its pattern.
type handing struct {
	form      *pattern.Pattern
	what, who int
	verb      bool // what it is must begin with what to do
	due       bool // a day must stand there
	bullet    bool // only in a list
	listed    bool // only in a list of actions
}

var handings = []handing{
	{form: pattern.New(`^(?i:it|that|this)\s+(?:was|is|has been)\s+left\s+(?:with|to|up to)\s+(` + nameList + `)\s+to\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(` + nameList + `)\s+(?:was|were|is|are)\s+(?:left|nominated|delegated|assigned|actioned|appointed|detailed)\s+to\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(` + nameList + `)\s+(?:actioned|tasked)\s+to\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(` + nameList + `)\s+(?:volunteered|volunteers|signed up|stepped up|put (?:his|her) hand up|is on the hook|are on the hook|is down|are down)\s+(?:for|to)\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(?i:(?:the )?(?:owner|lead|dri|responsible)\s+(?:of|for))\s+(.+?)(?:\s+is|:)\s+(` + nameList + `)\.?$`), what: 1, who: 2},
	{form: pattern.New(`^(?i:verantwortlich|zuständig)\s+für\s+(.+?)(?:\s+ist|:)\s+(` + nameList + `)\.?$`), what: 1, who: 2},
	{form: pattern.New(`^(` + nameList + `)\s+(?:soll|sollte|muss|müsste)\s+(.*\pL(?:en|ern|eln)\b.*)$`), what: 2, who: 1},
	{form: pattern.New(`^(.{3,}\pL(?:en|ern|eln))\s*(?:\(|:\s|\s[–-]\s)(` + nameList + `)\)?\.?$`), what: 1, who: 2, bullet: true},
	{form: pattern.New(`^(.{4,}?)\s+[–-]\s+macht\s+(` + nameList + `)\.?$`), what: 1, who: 2},
	{form: pattern.New(`^(.{4,}?)\s+(?:goes|falls|was handed|is handed|passes|was passed|moves)\s+(?:over )?to\s+(` + nameList + `)\.?$`), what: 1, who: 2},
	{form: pattern.New(`^(.{4,}?\s(?:come|comes|due)\s+from\s+(` + nameList + `)\b.*)$`), what: 1, who: 2, due: true},
	{form: pattern.New(`^(.{4,}?)\s+by\s+(` + nameList + `),\s+((?:due|until|by|before|on)\s.+)$`), what: 1, who: 2, due: true},
	{form: pattern.New(`^(.{6,}?):\s+(` + nameList + `)\.?$`), what: 1, who: 2, verb: true},
	{form: pattern.New(`^(?i:waiting (?:for|on))\s+(` + nameList + `)\s+to\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(.{6,}?),\s+(` + nameList + `),\s+(?:by|until|before|due|bis)\s.+$`), what: 0, who: 2, due: true, bullet: true},
	{form: pattern.New(`^(.{6,}?)\s+@(\pL[\w-]{1,30})\s+[^@]{3,20}$`), what: 0, who: 2, due: true, bullet: true},
	{form: pattern.New(`^(` + nameList + `)\s+(` + verbs + `\s.+)$`), what: 2, who: 1, bullet: true},
	{form: pattern.New(`^(` + nameList + `)\s+on\s+(\S.{4,})$`), what: 2, who: 1, listed: true},
	{form: pattern.New(`^(?:A|AP|AI|M|T|TD)-?\d{1,3}\s*[:.)–-]\s+(` + nameList + `)\s*[:–-]\s+(.+)$`), what: 2, who: 1},
	{form: pattern.New(`^(\p{Lu}[a-z]+ing\s.{4,}?)\s+\((` + nameList + `)\)\.?$`), what: 1, who: 2, bullet: true},
	{form: pattern.New(`^(?:Can|Could|Will)\s+(` + nameList + `)\s+(` + verbs + `\b[^?]*)\?\s+(?i:yes|yep|sure|ok|okay|will do)\b`), what: 2, who: 1},
}

// handedOver reads those forms, where those whom they name are known.
func (s *scanner) handedOver(one, quote string) bool {
	listed, bullet := s.section == actionSection || s.section == mixedSection, bulletPattern.MatchString(quote)
	if strings.HasSuffix(one, "?") || s.section == decisionSection {
		return false
	}
	for _, h := range handings {
		if h.listed && !listed || h.bullet && !bullet {
			continue
		}
		m := h.form.FindStringSubmatch(one)
		if m == nil || !isName(m[h.who]) || !s.knowsAll(m[h.who]) {
			continue
		}
		if h.verb && !verbFirst.MatchString(m[h.what]) {
			continue
		}
		if _, due := s.calendar().due(one); h.due && !due {
			continue
		}
		s.proseAction(m[h.what], one, strings.ReplaceAll(m[h.who], "@", ""), quote, 0.65)
		return true
	}
	return false
}

// fronted begins a sentence before its subject.
var fronted = pattern.New(`^(?i:by|before|until|after|on|in|for|at|therefore|then|next|meanwhile|also|first|finally|so|now|hence|accordingly|today|tomorrow|as (?:agreed|discussed|usual)|from now on)\b[^.;:]{0,50}?,?\s+(` + nameList + `\s+(?:will|to|[a-z]{3,}s)\s.*)$`)

// laterSubject is the rest of a sentence from its subject on.
func (s *scanner) laterSubject(one string) string {
	if m := fronted.FindStringSubmatch(one); m != nil {
		if name := opens.FindStringSubmatch(m[1]); name != nil && isName(name[1]) && s.knowsAll(name[1]) {
			return m[1]
		}
	}
	return one
}

// The forms in which a speaker takes something on without "I will".
var selfTakes = []*pattern.Pattern{
	pattern.New(`(?i)^(?:\w+,\s+)?leave\s+(.+?)\s+(?:with|to)\s+me\b`),
	pattern.New(`(?i)^(?:\w+,\s+)?put me down for\s+(.+)$`),
	pattern.New(`(?i)^(?:\w+,\s+)?my (?:action|task|to-?do|job)(?: item)? is to\s+(.+)$`),
	pattern.New(`(?i)^(?:\w+,\s+)?you(?:['’]ll| will) have\s+(.+\s(?:by|on|before|until)\s.+|.+\s(?:today|tomorrow|tonight).*)$`),
	pattern.New(`(?i)^(?:\w+,\s+)?i(?:['’]ll)? take\s+((?:the|that|this|on)\s\S.+)$`),
}

// takesSelf reads them.
func (s *scanner) takesSelf(one, who, quote string) bool {
	for _, form := range selfTakes {
		if m := form.FindStringSubmatch(one); m != nil && !noTask.MatchString(m[1]) && !makesPoint.MatchString("take "+m[1]) {
			s.proseAction(m[1], one, who, quote, 0.6)
			return true
		}
	}
	return false
}

// youDo tells somebody what she does: "Ann, you write the letter".
var youDo = pattern.New(`^(` + namePart + `),?\s+(?:and\s+)?you\s+(` + verbs + `\b[^?]*)$`)

// whoDoes asks who does something, and youWill whether somebody does.
var (
	whoDoes = pattern.New(`(?i)^(?:.{0,20}[,.]\s+)?(?:so |and )?who(?:['’]s| is)?\s+([a-z]+(?:ing|s)?)\s+([^?]{3,})\?$`)
	youWill = pattern.New(`(?i)(?:^|[,.]\s+)(?:so |and |then )?(?:(@?\pL[\w.-]{1,30}),\s+)?(?:so |and |then )?you(?:['’]ll|['’]re| will| are)\s+([a-z]+\s[^?,]{3,}?)(?:,\s+(?-i:(\p{Lu}[\pL-]+)))?\?$`)
)

// asksWho reads them, where the next lines say who does it.
func (s *scanner) asksWho(said, quote string) bool {
	name, task := "", ""
	if m := whoDoes.FindStringSubmatch(said); m != nil {
		verb := infinitive(ofGerund(m[1]))
		if !verbFirst.MatchString(verb+" "+m[2]) || slices.Contains(idle, verb) {
			return false
		}
		task = verb + " " + m[2]
	} else if m := youWill.FindStringSubmatch(said); m != nil {
		verb, rest, _ := strings.Cut(m[2], " ")
		if verb = ofGerund(verb); !verbFirst.MatchString(verb+" "+rest) && verb != "do" {
			return false
		}
		name, task = strings.ToLower(strings.TrimPrefix(m[1]+m[3], "@")), m[2]
		if name == "" {
			name = nextSpeaker
		}
	} else {
		return false
	}
	yes, back, at := s.answer(name)
	if yes == "" {
		return false
	}
	if s.accepted == nil {
		s.accepted = make(map[int]bool)
	}
	s.accepted[at] = true
	if _, ok := s.calendar().due(back); ok {
		task += ", " + strings.Trim(back, " .")
	}
	s.proseAction(task, task, yes, quote, 0.65)
	return true
}
