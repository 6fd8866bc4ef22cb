package intent

import (
	"slices"
	"strings"
)

// A mood is how a text speaks of what it names: it wishes it, or not.
type mood uint8

const (
	wish     mood = iota // it asks for it, or does not say
	refusal              // it wants it not, or ended
	question             // it asks how it stands with it, not for it
	report               // it says that it was done
	inquiry              // it is another question, which may ask for it: "what are our numbers?"
)

// why says of a mood that it asks for nothing.
func (m mood) why() string {
	return [...]string{"", "It says that it is not wanted, or to be ended.", "It is a question about it, and does not ask for it.", "It says that it was done already.", "It is a question."}[m]
}

// moodOf is how a text speaks, and what of it wishes something: all of it, or the clauses that do when others do not. It is the mood of those
// that do not when none does.
func moodOf(text string) (m mood, rest string) {
	var wished []string
	for _, c := range clauses(text) {
		of := c.mood()
		switch {
		case of != wish:
			if m == wish || m == inquiry || of == refusal {
				m = of
			}
		case c.says():
			wished = append(wished, c.text)
		}
	}
	if m == wish {
		return wish, text
	}
	return m, strings.Join(wished, ", ")
}

// A clause is a part of a text between its signs.
type clause struct {
	text  string
	words []string
	asks  bool // it ends with a question mark
}

// says reports whether a clause says something that could be wished.
func (c clause) says() bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return !light[w] }) && !in(c.words[0], "thanks thank danke cheers it its that thats this es das")
}

// contrasts are words before which a clause ends.
var contrasts = strings.NewReplacer(" but ", ", ", " instead ", ", ", " aber ", ", ", " sondern ", ", ", " stattdessen ", ", ") //nolint:gochecknoglobals // a table

// clauses splits a text at its signs. A clause that ends with a negation goes on behind the sign: "do not, please, write it".
func clauses(text string) (out []clause) {
	text = contrasts.Replace(strings.ReplaceAll(text, "’", "'"))
	begin, open := 0, false
	end := func(at int) {
		part := strings.TrimSpace(text[begin:at])
		ws := tokens(part)
		if len(ws) == 0 {
			return
		}
		asks := at < len(text) && text[at] == '?'
		if n := len(out); n > 0 && (open || in(out[n-1].words[len(out[n-1].words)-1], "not dont never nicht") && len(out[n-1].words) < 3) {
			open = in(ws[0], "under please for at bitte unter auf")
			out[n-1] = clause{out[n-1].text + ", " + part, append(out[n-1].words, ws...), asks}
			return
		}
		if len(ws) == 1 && in(ws[0], "no yes nein ja ok okay") && at < len(text) && text[at] != '?' {
			return // it answers something
		}
		out = append(out, clause{part, ws, asks})
	}
	for i, r := range text {
		if strings.ContainsRune(",;!?\n", r) || (r == '.' || r == ':') && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			end(i)
			begin = i + 1
		}
	}
	end(len(text))
	return out
}

// in reports whether a word is one of a list.
func in(word, list string) bool { return slices.Contains(strings.Fields(list), word) }

// softeners are words before what a clause says.
const softeners = "please kindly hey hi hello ok okay oh well sorry and so then also now just um hmm bitte also und doch dann jetzt mal hallo thanks all team everybody"

// requests are how a wish begins that has the form of a question, or says that something is wished.
var requests = phrases("can you, can we, can i, can somebody, can someone, can anyone, could you, could we, could i, could somebody, could someone, could anyone, would you, would somebody, would someone, will you, shall we, shall i, should we, should i," +
	" may i, may we, might we, cant you, cant we, couldnt you, couldnt we, wont you, wouldnt you, shouldnt we, do you mind, would you mind, why dont we, why dont you, why not, how about, what about, is it possible, is it ok, is it okay, is it time, are you able, are we able, i would like, i d like, id like," +
	" i want, i need, we want, we need, lets, let us, i want you, i need you, kannst du, kann ich, kann jemand, kann man, können wir, können sie, könnt ihr, könntest du, könnten wir, könnten sie, könntet ihr, würdest du, würden sie, wollen wir, sollen wir, sollten wir, soll ich," +
	" dürfen wir, magst du, möchtest du, wie wäre es mit, wie wärs mit, warum nicht, ist es möglich, ich möchte, ich will, ich brauche, wir möchten, wir wollen, wir brauchen, lass uns, lasst uns") //nolint:gochecknoglobals // a table

// Beginnings and parts of clauses by which something is refused, asked about or reported, as the words of a text are.
var (
	//nolint:gochecknoglobals // tables
	unwanted = phrases("do not want, dont want, do not need, dont need, do not require, dont require, do not wish, do not care, dont care, no longer want, no longer need, never want, should not, shouldnt, must not, mustnt, need not, neednt," +
		" not needed, not necessary, not required, not wanted, unnecessary, no need, rather not, lets not, let us not, please not, not to, nobody wants, nobody needs," +
		" nicht nötig, nicht notwendig, nicht erforderlich, nicht gewünscht, unnötig, niemand braucht, niemand will")
	//nolint:gochecknoglobals // tables
	unmeant = phrases("do not forget, dont forget, do not wait, dont wait, do not hesitate, dont hesitate, do not worry, dont worry, do not know, dont know, do not mind, dont mind, do not we, no problem, no worries, no matter, no doubt, no idea, no later, no one, no more, not only, not sure, not yet, not later, not bad, should not be, shouldnt be, never mind," +
		" vergiss nicht, vergesst nicht, nicht vergessen, nicht nur, nicht zu, weiß nicht, nicht sicher, noch nicht, nicht warten, nicht später, warum nicht, kannst du nicht, können wir nicht, könntest du nicht, wollen wir nicht, sollten wir nicht")
	//nolint:gochecknoglobals // tables
	embedded = phrases("tell me, tell us, told me, know, knows, wonder, wondering, explain, remind me, ask, asking, show me, sag mir, weißt du, wissen sie, wisst ihr, weiß jemand, frage mich, erklär, zeig mir, wissen")
	//nolint:gochecknoglobals // tables
	over = phrases("went well, went fine, went ok, went okay, went badly, went great, went smoothly, is done, are done, was done, were done, is finished, was finished, is complete, was complete, is completed, was completed, is written, was written, is ready, was ready, is sent, was sent, is over, has been, have been, had been," +
		" was great, was good, was nice, was fine, was helpful, was useful, was bad, was wrong, was late, was boring, was perfect, was excellent, looks good, looked good, looks great," +
		" lief gut, lief schlecht, ist fertig, ist erledigt, war gut, war super, war schlecht, war hilfreich, wurde geschrieben, ist geschrieben, wurde erledigt, wurde verschickt, wurde gemacht, ist gemacht, bereits geschrieben, schon geschrieben, schon erledigt, schon gemacht, schon fertig, bereits erledigt, bereits fertig")
)

const (
	ends     = "stop cancel abort quit halt pause kill terminate skip avoid drop stopp stoppe stoppen beende beenden abbrechen storniere storniert"
	negates  = "no not never dont without nicht kein keine keinen keinem keiner niemals"
	german   = "nicht kein keine keinen keinem keiner niemals"
	doers    = "i we he she they you ive weve theyve somebody someone ich wir er sie ihr du"
	helpers  = "have has had already just ve did finally both all habe haben hat hast schon bereits gerade"
	finished = "wrote written did done finished completed sent ran held prepared created published delivered geschrieben gemacht erledigt beendet verschickt erstellt gehalten"
	done     = "done ready finished written wrote sent over fertig erledigt geschrieben verschickt"
	pronouns = "i we you they he she it somebody someone anyone anybody everybody people ich wir sie du ihr er es jemand"
)

// mood is how a clause speaks.
func (c clause) mood() mood {
	ws := c.words
	for len(ws) > 1 && in(ws[0], softeners) {
		ws = ws[1:]
	}
	asked := begins(ws, requests)
	said := ws[asked:]
	for len(said) > 1 && (in(said[0], softeners) || in(said[0], "to you that")) {
		said = said[1:]
	}
	switch {
	case refuses(ws, said, asked > 0), in(said[0], ends):
		return refusal
	case asked > 0 && !asksWithin(said):
		return wish
	case asksWithin(ws):
		return question
	case c.inquires(ws):
		if c.past(ws) {
			return question
		}
		return inquiry
	case reports(ws):
		return report
	}
	return wish
}

// refuses reports whether a clause says that something is not wanted. Said is what comes behind the words of a request.
func refuses(ws, said []string, asked bool) bool {
	if contains(ws, unmeant) {
		return false
	}
	polite := asked && in(ws[0], "why cant couldnt wont wouldnt shouldnt warum")
	switch {
	case polite:
		return false
	case len(said) > 1 && (in(said[0], negates) || said[0] == "do" && in(said[1], "not never")), begins(said, unwanted) > 0, contains(ws, unwanted):
		return true
	}
	return slices.ContainsFunc(ws, func(w string) bool { return in(w, german) }) && !in(ws[0], "was wer wie warum wann wo es ist sind")
}

// inquires reports whether a clause is a question that is to be answered.
func (c clause) inquires(ws []string) bool {
	second := ""
	if len(ws) > 1 {
		second = ws[1]
	}
	switch {
	case in(ws[0], "do have haben"): // "do the report" is none
		return c.asks || in(second, pronouns)
	case in(ws[0], "will would should can could shall kann soll wird"):
		return c.asks && !in(second, pronouns) && !slices.Contains(ws, "be") // could the report be written?
	case in(ws[0], "when where why how wann wo wie warum") && in(second, pronouns):
		return false // when you have a minute
	case slices.Contains(askWords, ws[0]), in(ws[0], "hast habt sind ist hat wurde wurden wessen gibt"):
		return true
	}
	return c.asks && !slices.Contains(ws, "be") && slices.ContainsFunc(ws, func(w string) bool { return in(w, done) })
}

// past reports whether a question asks who did something, or how it stands with it.
func (c clause) past(ws []string) bool {
	if slices.ContainsFunc(ws, func(w string) bool { return in(w, done) }) {
		return true
	}
	switch ws[0] {
	case "who", "wer":
		return len(ws) > 1 && (in(ws[1], finished) || in(ws[1], "did was is had ist war"))
	case "when", "wann":
		return len(ws) > 1 && in(ws[1], "is was were did will has ist war wird wurde hat")
	case "was":
		return c.asks // in German it is "what"
	}
	return in(ws[0], "did were has whose wessen wurde wurden hat")
}

// asksWithin reports whether a clause wants to be told something: "tell me who wrote it".
func asksWithin(ws []string) bool {
	for i := range ws {
		if n := begins(ws[i:], embedded); n > 0 && i+n < len(ws) && in(ws[i+n], "who when why whether if how what where which wer wann warum ob wie was wo welche") {
			return true
		}
	}
	return false
}

// reports reports whether a clause says that something was done.
func reports(ws []string) bool {
	if contains(ws, over) {
		return true
	}
	for i, w := range ws {
		if !in(w, finished) || i == 0 || w == "ran" && i+1 < len(ws) && in(ws[i+1], "out into") {
			continue
		}
		k := i - 1
		for k > 0 && in(ws[k], helpers) {
			k--
		}
		if in(ws[k], doers) || i-k > 1 || slices.Contains(ws[:i], "already") {
			return true
		}
		if slices.ContainsFunc(ws[:i], func(w string) bool { return in(w, "habe haben hat hast") }) && slices.ContainsFunc(ws[:i], func(w string) bool { return in(w, doers) }) {
			return true // ich habe den Bericht geschrieben
		}
	}
	return false
}

// phrases reads a list of phrases.
func phrases(list string) (out [][]string) {
	for p := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(p))
	}
	return out
}

// begins returns how many words the longest of the phrases has with which words begin; 0 when none does.
func begins(ws []string, of [][]string) (n int) {
	for _, p := range of {
		if len(p) > n && len(p) <= len(ws) && slices.Equal(p, ws[:len(p)]) {
			n = len(p)
		}
	}
	return n
}

// contains reports whether one of the phrases is among words.
func contains(ws []string, of [][]string) bool {
	for i := range ws {
		if begins(ws[i:], of) > 0 {
			return true
		}
	}
	return false
}
