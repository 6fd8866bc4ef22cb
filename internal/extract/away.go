package extract

import (
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

// An Absence is when the notes say that somebody is away, both days included.
type Absence struct {
	Who      string // as written
	From, To time.Time
	Topic    int
	Span     Span
}

// How sentences say that somebody is away. Each pattern matches the beginning of what follows a name or the days.
const (
	awayName  = `@?\p{Lu}[\pL'’-]*\pL(?:\s+\p{Lu}[\pL'’-]*\pL\.?){0,2}`
	awayList  = awayName + `(?:(?:\s*,\s*|\s+(?:and|und|&)\s+)` + awayName + `){0,4}`
	awayLeave = `(?:(?:annual|parental|maternity|paternity|sick|medical|study)\s+)?(?:vacation|holidays?|leave|pto|time\s+off)`
	awayState = `(?:on\s+` + awayLeave + `|out\s+of\s+(?:the\s+)?office|not\s+in\s+(?:the\s+)?office|ooo|off\s+sick|off\s+work|out|away|off)`
	awayStand = `(?:(?:im|in|auf)\s+(?:(?:eltern|bildungs|sonder)?urlaub|elternzeit)|nicht\s+(?:da|im\s+(?:büro|haus)|im\s+dienst)|abwesend|außer\s+haus|krankgeschrieben|weg|frei)`
	awayNoun  = `(?:` + awayLeave + `|days?\s+off|ooo|out\s+of\s+office|urlaub|abwesend|abwesenheit|elternzeit|frei)`
)

var (
	// Who is away, and how that is said, before the days.
	awayIs    = pattern.New(`^(` + awayList + `)(?:\s+(?:is|are|will\s+be|is\s+going\s+to\s+be|are\s+going\s+to\s+be)|['’](?:s|ll\s+be))\s+(?i:(?:also\s+)?` + awayState + `)\b[\s,:]*`)
	awayHas   = pattern.New(`^(` + awayList + `)\s+(?:has|have|will\s+have|takes?|is\s+taking|are\s+taking|will\s+take|will\s+be\s+taking)\s+(?i:(?:an?\s+|his\s+|her\s+|their\s+|some\s+)?(?:` + awayLeave + `|days?\s+off))\b[\s,:]*`)
	awayTakes = pattern.New(`^(` + awayList + `)\s+(?:has|have|takes?|is\s+taking|are\s+taking|will\s+take)\s+`) // "takes Friday off"
	awayLabel = pattern.New(`^(` + awayList + `)(?:\s*:\s*|\s+[–—-]\s+|\s+\()(?i:(?:is\s+|am\s+|ist\s+)?(?:` + awayState + `|` + awayStand + `|` + awayNoun + `))\b[\s,:]*`)
	awaySelf  = pattern.New(`^(?i:(?:i\s+am|i['’]m|i\s+will\s+be|i['’]ll\s+be|am)\s+` + awayState + `|` + awayState + `|` + awayNoun + `|(?:i\s+am\s+taking|i['’]m\s+taking|i\s+take|i\s+have|i\s+will\s+take|i['’]ll\s+take)\s+(?:a\s+|my\s+|some\s+)?(?:` + awayLeave + `|days?\s+off))\b[\s,:]*`)
	awayIst   = pattern.New(`^(` + awayList + `)\s+(?:ist|sind|hat|haben|nimmt|nehmen|macht|machen|fehlt|fehlen|fällt|fallen)\s+`)
	awayIch   = pattern.New(`^(?i:ich\s+(?:bin|habe|nehme|mache|fehle|falle)\s+|bin\s+)`)
	awayThen  = pattern.New(`^,?\s*(` + awayList + `)\s+(?:is|are|will\s+be)\s+(?i:` + awayState + `)\b`)
	awayDann  = pattern.New(`^,?\s*(?:ist|sind|hat|haben|nimmt|macht|fehlt|fehlen|fällt)\s+(` + awayList + `)\b\s*`)
	awayBin   = pattern.New(`^,?\s*(?i:bin|habe|nehme|mache|fehle|falle)\s+ich\b\s*`)
	awaySaid  = pattern.New(`^(?i:` + awayStand + `|urlaub|frei|aus)\b`)
	awayStood = pattern.New(`^(?i:` + awayStand + `|urlaub|frei)\b[\s,:]*`)
	awayOff   = pattern.New(`^\s*(?i:off)\b`)

	// awayNo is what makes a sentence say something else: a doubt, a condition, a no, what is over, or a part of a day.
	awayNo = pattern.New(`(?i)[?？]|\b(?:if|whether|unless|except|maybe|perhaps|may\s+(?:be|take|have|go|not)|might|could|would|should|probably|possibly|likely|was|were|had|been|return(?:s|ed)?|back|isn['’]t|aren['’]t|won['’]t|not\s+(?:on|out|away|off|taking)|no\s+longer|never|cancell?ed|instead\s+of|used\s+to|every|each|mornings?|afternoons?|evenings?|noon|half|hours?|tentative(?:ly)?|tbc|tbd|planned\s+to` +
		`|vielleicht|eventuell|evtl|wahrscheinlich|vermutlich|möglicherweise|ob|falls|wenn|sofern|außer\s+(?:am|wenn)|war|waren|hatte|hatten|gewesen|zurück|wieder|nicht\s+(?:im\s+urlaub|in\s+urlaub|weg|frei|abwesend|krank)|kein(?:e|en)?|doch|nie|abgesagt|jeden|vormittags?|nachmittags?|mittags?|abends?|früh|halb(?:tags|en|er)?|stunden?|könnte|sollte|würde)\b|\b\d{1,2}(?::\d\d|\s*(?:am|pm|uhr)\b)|~~`)
	awayMark = pattern.New(`^[\s*+•>–—-]*(?:\d+[.)]\s+)?(?:\[[ xX]?\]\s*)?`)
	// awayWord is in each sentence that says that somebody is away.
	awayWord = pattern.New(`(?i)vacation|holiday|leave|pto\b|\boff\b|\bout\b|\baway\b|office|ooo|urlaub|nicht da|nicht im|abwesen|außer haus|elternzeit|krankgeschrieben|\bweg\b|\bfrei\b|fehl(?:t|e)|fällt|falle`)
)

// longestAway bounds the sentences that are looked at, in bytes.
const longestAway = 300

// AwayIn returns who is away when, as a sentence says it on a day; who speaks is "I". Only what is sure counts: whole days that are not over,
// and of which there is no doubt. Without a day, only days with their year do.
func AwayIn(sentence, speaker string, on time.Time) []Absence {
	return calendar{on, monthFirst}.away(sentence, speaker)
}

func (c calendar) away(sentence, speaker string) []Absence {
	if len(sentence) > longestAway || !awayWord.MatchString(sentence) {
		return nil
	}
	text := strings.TrimSpace(strings.NewReplacer("**", "", "__", "").Replace(awayMark.ReplaceAllString(sentence, "")))
	if awayNo.MatchString(text) {
		return nil
	}
	names, from, to, ok := c.awayAs(text, speaker)
	if !ok || to.Before(from) || to.Sub(from) > 366*24*time.Hour || !c.base.IsZero() && to.Before(c.base) {
		return nil
	}
	var out []Absence
	for _, name := range awayEach.Split(names, -1) {
		name = strings.TrimPrefix(strings.TrimSpace(name), "@")
		if !slices.Contains(nobodys, strings.ToLower(name)) {
			out = append(out, Absence{Who: name, From: from, To: to})
		}
	}
	return out
}

// nobodys are words that stand where names do and are nobody's.
var nobodys = strings.Fields("i we you he she it they everyone everybody someone somebody nobody ich wir ihr er sie es man alle jemand niemand")

// awayEach stands between names.
var awayEach = pattern.New(`\s*,\s*|\s+(?:and|und|&)\s+`)

// awayAs tries the ways in which a sentence says it.
func (c calendar) awayAs(text, speaker string) (who string, from, to time.Time, ok bool) {
	for _, head := range []*pattern.Pattern{awayIs, awayHas, awayLabel} { // "Ann is on vacation 3-14 March"
		if m := head.FindStringSubmatch(text); m != nil {
			if from, to, _, ok = c.days(text[len(m[0]):]); ok {
				return m[1], from, to, true
			}
		}
	}
	if m := awayTakes.FindStringSubmatch(text); m != nil { // "Ann takes Friday off"
		if from, to, rest, ok := c.days(text[len(m[0]):]); ok && awayOff.MatchString(rest) {
			return m[1], from, to, true
		}
	}
	if m := awayIst.FindStringSubmatch(text); m != nil { // "Joe ist vom 3. bis 14. März im Urlaub"
		if from, to, ok = c.standing(text[len(m[0]):], m[0]); ok {
			return m[1], from, to, true
		}
	}
	if speaker != "" {
		if from, to, ok = c.awayMyself(text); ok {
			return speaker, from, to, true
		}
	}
	if from, to, rest, ok := c.days(text); ok { // "Next week Tom is out"
		if m := awayThen.FindStringSubmatch(rest); m != nil {
			return m[1], from, to, true
		}
		if m := awayDann.FindStringSubmatch(rest); m != nil && (lacks(m[0]) || awaySaid.MatchString(rest[len(m[0]):])) {
			return m[1], from, to, true
		}
		if m := awayBin.FindString(rest); m != "" && speaker != "" && (lacks(m) || awaySaid.MatchString(rest[len(m):])) {
			return speaker, from, to, true
		}
	}
	return "", from, to, false
}

// awayMyself reads what somebody says of themselves.
func (c calendar) awayMyself(text string) (from, to time.Time, ok bool) {
	if m := awaySelf.FindString(text); m != "" {
		if from, to, _, ok = c.days(text[len(m):]); ok {
			return from, to, true
		}
	}
	if m := awayIch.FindString(text); m != "" {
		return c.standing(text[len(m):], m)
	}
	return from, to, false
}

// lacks reports a verb that says by itself that somebody is away: "fehlt".
func lacks(head string) bool { return strings.Contains(strings.ToLower(head), "fehl") }

// standing reads days and how somebody is then, in either order, behind a German verb.
func (c calendar) standing(rest, head string) (from, to time.Time, ok bool) {
	if m := awayStood.FindString(rest); m != "" { // "im Urlaub vom 3. bis 14. März"
		from, to, _, ok = c.days(rest[len(m):])
		return from, to, ok
	}
	if from, to, rest, ok = c.days(rest); !ok {
		return from, to, false
	}
	return from, to, lacks(head) || awaySaid.MatchString(strings.TrimLeft(rest, " ,"))
}

// absences are those of all that was heard, each once. A day that is only supposed for the whole text counts nothing from it.
func (s *scanner) absences() (out []Absence) {
	for _, h := range s.heard {
		c := calendar{h.sent, s.order}
		if h.inReply || s.out.Date.IsZero() && h.sent.Equal(s.copied) {
			c.base = time.Time{}
		}
		if m := stampDay.FindStringSubmatch(h.quote); m != nil { // what was heard came before its day was read
			if day, ok := (calendar{order: s.order}).find(m[1]); ok {
				c.base = day
			}
		}
		for _, a := range c.away(h.text, h.who) {
			a.Topic, a.Span = h.topic, h.span
			if !slices.ContainsFunc(out, func(b Absence) bool { return b.Who == a.Who && b.From.Equal(a.From) && b.To.Equal(a.To) }) {
				out = append(out, a)
			}
		}
	}
	return out
}
