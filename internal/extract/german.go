package extract

import (
	"strings"

	"chela/internal/pattern"
)

// German puts the verb where the sentence has room for it; what a speaker does ends in -e beside "ich".

var (
	germanI = pattern.New(`(?i)(?:^|[,.;–-]\s+|\b(?:und|dann|also|okay|gut|ja|da)\s+)ich\s+((?:mal\s+|dann\s+|auch\s+)*(\pL{2,}e|mach|frag|schick|schreib|ruf|klär|prüf|hol|kümmer|werd|red|guck|schau|nehm|besorg)\b.{3,})$`)
	iGerman = pattern.New(`(?i)(?:^|[,.;]\s+)(?:\pL+[,.]?\s+){0,4}?((\pL{2,}e|mach|frag|schick|schreib|ruf|klär|prüf|hol|kümmer|werd|red)\s+ich\b.{3,})$`)
	// germanSelfStates are what "ich" feels, knows or is.
	germanSelfStates = set(list("habe, hatte, hätte, wäre, würde, wurde, denke, glaube, finde, meine, sehe, kenne, könnte, möchte, wollte, sollte, müsste, brauche, hoffe, verstehe, fühle, freue, höre, bleibe, gehe, komme, sage, wünsche, erinnere, gebe, danke, liebe, bekomme, wohne, stehe, sitze, liege, arbeite, warte, dachte, fürchte, vermute, schlage, bitte, stimme, begrüße, gerne, heute, eine, keine, die"))
	germanSoon       = pattern.New(`(?i)\b(?:heute|morgen|nachher|gleich|später|danach|bis|am (?:montag|dienstag|mittwoch|donnerstag|freitag)|diese woche|nächste woche|übermorgen|mal (?:nach|an|rum))\b`)
	germanTakes      = pattern.New(`(?i)^(?:kümmer|übern[eo]hm|schreib|klär|frag|schick)`)
)

// germanSelf reads "Ich rufe heute noch den Landrat an" and "Dann kümmere ich mich um die Grafik".
func (s *scanner) germanSelf(one, who, quote string) bool {
	if strings.HasSuffix(one, "?") || condition.MatchString(one) || strings.Contains(one, " gestern") {
		return false
	}
	m := matchEither(one, iGerman, germanI)
	if m == nil || germanSelfStates[strings.ToLower(m[2])] || !germanSoon.MatchString(one) && !germanTakes.MatchString(m[2]) {
		return false
	}
	s.proseAction(one, one, who, quote, 0.65)
	return true
}

// promisedInGerman reads a German sentence that says who does something.
func (s *scanner) promisedInGerman(one, quote string) bool {
	if m := germanSays.FindStringSubmatch(one); m != nil && isName(m[1]) && (strings.Contains(one, "bis ") || s.knowsAll(m[1]) && (takesOver.MatchString(one) || bulletPattern.MatchString(quote) || len(strings.Fields(one)) >= 5 && !germanTells.MatchString(one))) {
		s.proseAction(one, one, m[1], quote, 0.7)
		return true
	}
	if m := matchIf((bulletPattern.MatchString(quote) || strings.Contains(one, " bis ") || strings.Contains(one, "spätestens")) && germanWords.MatchString(one), germanDoes, one); m != nil && isName(m[1]) && s.knowsAll(m[1]) && !germanStates[m[2]] && !germanTells.MatchString(one) {
		s.proseAction(one, one, m[1], quote, 0.65)
		return true
	}
	if m := germanTask.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		s.proseAction(m[2]+m[3], one, m[1], quote, 0.7)
		return true
	}
	return false
}

// germanDoes is what somebody does in a German list, and germanStates are the verbs that only tell.
var (
	germanDoes   = pattern.New(`^(` + nameList + `)\s+(\p{Ll}{3,}t)\s+(\S.{4,})$`)
	germanWords  = pattern.New(`\s(?:der|die|das|den|dem|ein|eine|einen|und|mit|bis|beim|zum|zur|für|auf|im|am|nach|von|vom|aus)\s`)
	germanStates = set(list("ist, hat, war, berichtet, erklärt, meint, findet, sagt, braucht, denkt, wünscht, bittet, dankt, begrüßt, eröffnet, betont, weist, kommt, geht, bleibt, liest, arbeitet, schlägt, möchte, hält, sieht, weißt, glaubt, erwähnt, ergänzt, fehlt, wohnt, steht, sitzt, fährt, wartet, hofft, freut, heißt, gehört, kennt, bestätigt, erinnert, äußert, kritisiert, lobt, moderiert, teilt, nicht, macht, hat, fragt"))
)
