package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

// A spotted is a name in a line, with what is so of it and of the line.
type spotted struct {
	name   string
	words  []string
	span   Span
	traits []trait
}

// The lines in which names are looked for: the first ones of a text, and the last ones.
const (
	firstLinesOfNames, lastLinesOfNames = 150, 30
	mentionsOfLine                      = 40
	mentionsOfText                      = 1500
	bytesOfNames                        = 1500
)

// A piece is a word, a number, a mark or a name of a line.
type piece struct {
	text, low string
	from, to  int
	sort      pieceSort
}

type pieceSort int

const (
	wordPiece pieceSort = iota
	numberPiece
	markPiece
	titlePiece
	namePiece
)

// titles are what stands before the names of people in minutes, beside the words of offices.
var titles = set(list("mr, mrs, ms, mx, dr, prof, professor, herr, herrn, frau, hr, hrn, fr, miss, cllr, cllrs, councillor, councillors, sir, dame, lady, lord, shri, smt, sri, rev, reverend, revd, canon, msgr, monsignor, deacon, father, pater, pastor, pfarrer, pfr, vicar, rector, judge, justice, mme, mlle, madame, monsieur, señor, señora, don, doña, dona, sr, sra, srta, khun, pn, en, sister, brother, bro, auntie, aunt, uncle, tia, tío, oma, opa, major, col, colonel, capt, captain, sgt, lt, lieutenant, maj, commander, cdr, supt, superintendent, inspector, constable, pc, nurse, matron, schwester, pfleger, meister, engineer, engr, eng, ing, arch, architect, architekt, architektin, surveyor, dispatcher, ranger, coach, adv, advocate, ra, rain, polier, bauleiter, bauleiterin, ortsvorsteher, hon, hca, oa, chair, chairman, chairwoman, chairperson, president, secretary, treasurer, clerk, principal, moderator, convenor, vorsitzender, vorsitzende, kassenwart, kassenwartin, kassiererin, schriftführer, schriftführerin, protokollführer, bürgermeister, bürgermeisterin, rektor, rektorin, mandantin, mandant, kunde, kundin, stv, commissioner, commissioners, governor, director, delegate, minister, senator, ambassador, dean, provost, headteacher, head, manager, officer, warden, steward, foreman, facilitator, host, scribe, guest"))

// titleEnds are those of German words for what somebody is.
var titleEnds = pattern.New(`(?:meister|leiter|führer|wart|vorsteher|sprecher|rat|rätin|vertreter|beauftragter|verwalter|präsident|lehrer|berater|planer|trainer)(?:in)?$`)

func titleWord(low string) bool {
	low = strings.TrimRight(low, ".")
	return titles[low] || addresses[low] || len(low) > 7 && titleEnds.MatchString(low)
}

// pieces cuts a line.
func pieces(line string) []piece {
	var out []piece
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		from := i
		switch {
		case unicode.IsSpace(r):
			i += n
			continue
		case unicode.IsLetter(r) || (r == '@' && !wordBefore(line[:i]) || r == '_') && i+n < len(line) && letterAt(line[i+n:]):
			i = wordEnd(line, i)
		case unicode.IsDigit(r):
			i += strings.IndexFunc(line[i:]+" ", func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(":.,-/", r)
			})
		default:
			for i < len(line) && strings.HasPrefix(line[i:], string(r)) {
				i += n
			}
			out = append(out, piece{string(r), string(r), from, i, markPiece})
			continue
		}
		p := piece{text: line[from:i], low: strings.ToLower(line[from:i]), from: from, to: i}
		if unicode.IsDigit(r) {
			if p.sort = numberPiece; oneOnOne.MatchString(p.low) {
				p.low = "1:1"
			} else {
				p.low = numberToken
			}
		}
		out = append(out, p)
	}
	return out
}

// oneOnOne is what two people call their meeting.
var oneOnOne = pattern.New(`^(?:1[:-]1s?|1on1s?|1x1|1-to-1|121)$`)

// wordBefore reports whether a line so far ends in a word: an @ behind it is that of an address.
func wordBefore(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func letterAt(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r)
}

// wordEnd is where the word that begins at a place ends. A point belongs to it behind an initial and a title, and between
// letters; an apostrophe and a hyphen do between letters.
func wordEnd(line string, from int) int {
	for i := from; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		inner := i+n < len(line) && (letterAt(line[i+n:]) || line[i+n] >= '0' && line[i+n] <= '9')
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || i == from || unicode.Is(unicode.Mn, r):
		case (r == '\'' || r == '’' || r == '-' || r == '‑') && inner:
		case r == '.' && inner:
		case r == '.' && (utf8.RuneCountInString(line[from:i]) == 1 || strings.Contains(line[from:i], ".") && i-from < 6 || titleWord(strings.ToLower(line[from:i]))):
			return i + n
		default:
			return i
		}
		i += n
	}
	return len(line)
}

// spotted are the names in the lines of a text. What rules found of them is a trait, unless rules were written from the text.
func (s *scanner) spotted(ruled bool) []spotted {
	lines := s.mentionLines()
	said := make(map[string]int) // how often the words of names stand in these lines, and words in small letters
	for _, l := range lines {
		for _, p := range l.pieces {
			for _, w := range strings.Fields(p.low) {
				said[w]++
			}
			if p.sort == wordPiece && p.text == p.low {
				said["small "+p.low]++
			}
		}
	}
	known := s.knownCallings()
	var out []spotted
	for i := 0; i < len(lines) && len(out) < mentionsOfText; i++ {
		r := &reading{s: s, line: &lines[i], at: i, of: lines, said: said, known: known, ruled: ruled}
		out = append(out, r.mentions()...)
	}
	return out
}

// A mentionLine is a line in which names are looked for.
type mentionLine struct {
	number, nth, left int // its number, and how many lines with text stand before and behind it
	text              string
	pieces            []piece
	names             []int // which pieces are names
	head, above       string
	begins            string // the line that begins the block, where another does
	gap               bool   // the line above it is empty
	alike, of         int    // how many lines of the block have one name and little more, of how many
}

func (s *scanner) mentionLines() []mentionLine {
	if s.lined != nil {
		return s.lined
	}
	var out []mentionLine
	head, above, first, gap := "", "", "", 1
	for i, line := range s.lines {
		bare := strings.TrimSpace(line)
		if bare == "" {
			gap++
			continue
		}
		begins := first
		if gap > 0 {
			first, begins = bare, ""
			if gap > 1 || len(out) > 0 && !strings.HasSuffix(strings.TrimSpace(out[len(out)-1].text), ":") {
				above = ""
			}
		}
		out = append(out, mentionLine{number: i, nth: len(out), text: line, head: head, above: above, begins: begins, gap: gap > 0})
		gap = 0
		switch {
		case headingPattern.MatchString(bare) || boldLine.MatchString(bare):
			head, above = bare, ""
		case strings.HasSuffix(bare, ":"):
			above = bare
		}
	}
	for i := range out {
		out[i].left = len(out) - 1 - i
	}
	if len(out) > firstLinesOfNames+lastLinesOfNames {
		out = slices.Delete(out, firstLinesOfNames, len(out)-lastLinesOfNames)
	}
	for i := range out {
		if len(out[i].text) <= bytesOfNames {
			out[i].pieces = s.joinNames(pieces(out[i].text))
			for j, p := range out[i].pieces {
				if p.sort == namePiece && len(out[i].names) < mentionsOfLine {
					out[i].names = append(out[i].names, j)
				}
			}
		}
	}
	for i := 0; i < len(out); {
		end, alike := i+1, 0
		for end < len(out) && !out[end].gap {
			end++
		}
		for _, l := range out[i:end] {
			if len(l.names) == 1 && len(l.pieces) <= 9 {
				alike++
			}
		}
		n := end - i
		for ; i < end; i++ {
			out[i].alike, out[i].of = alike, n
		}
	}
	s.lined = out
	return out
}

// nameable reports a word that may begin a name, or go on with one.
func (s *scanner) nameable(p piece, first bool) bool {
	if p.sort != wordPiece {
		return false
	}
	r, _ := utf8.DecodeRuneInString(p.text)
	if r == '@' {
		return first
	}
	if !unicode.IsUpper(r) && !unicode.IsTitle(r) && !unicode.Is(unicode.Han, r) || strings.ContainsAny(p.text, "0123456789") && !first {
		return false
	}
	low := p.low
	if at := strings.IndexAny(low, "'’"); at > 0 {
		low = low[:at]
	}
	if !first {
		return (!notNames[low] || len(low) > 3) && !roles[low] && !hereWords[low] && !awayNames[low]
	}
	return (!notNames[low] || slices.Contains(alsoNames, low)) && !frequent[low] && !greets[low] && !hereWords[low] && !awayNames[low] && !weakWords[low] && !s.verbal(low)
}

// verbal reports a word that is a verb.
func (s *scanner) verbal(low string) bool {
	c := s.class(low)
	return c == "V" || c == "VED" || c == "BE" || c == "MODAL" || c == "HAVE" || c == "DET"
}

// joinNames joins the words of names.
func (s *scanner) joinNames(all []piece) []piece { return s.small(s.capitalNames(all)) }

// capitalNames joins those that begin with capitals.
func (s *scanner) capitalNames(all []piece) []piece {
	var out []piece
	for i := 0; i < len(all); i++ {
		p := all[i]
		r, _ := utf8.DecodeRuneInString(p.text)
		if p.sort == wordPiece && unicode.IsUpper(r) && titleWord(p.low) && len(p.low) > 1 {
			p.sort = titlePiece
			if i+1 < len(all) && all[i+1].text == "." && all[i+1].from == p.to {
				i++
			}
			out = append(out, p)
			continue
		}
		if !s.nameable(p, true) {
			out = append(out, p)
			continue
		}
		end := i + 1
		for end < len(all) && end-i < 4 && !isHandle(p.text) && all[end-1].sort == wordPiece && !possessive(all[end-1].low) {
			next := end
			if particle[all[end].low] && end+1 < len(all) {
				next = end + 1
			}
			if !s.nameable(all[next], false) || titleWord(all[next].low) && (len(all[next].low) > 3 || strings.HasSuffix(all[next].low, ".") || addresses[all[next].low]) {
				break
			}
			end = next + 1
		}
		last := all[end-1]
		text := p.text
		for _, w := range all[i+1 : end] {
			text += " " + w.text
		}
		to := last.to
		if possessive(last.low) {
			cut := len(last.text) - strings.LastIndexAny(last.text, "'’")
			text, to = text[:len(text)-cut], to-cut
		}
		out = append(out, piece{text, strings.ToLower(text), p.from, to, namePiece})
		i = end - 1
	}
	return out
}

// isHandle reports a name in a system: behind its @ it is written small.
func isHandle(word string) bool {
	rest, ok := strings.CutPrefix(word, "@")
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsUpper(r)
}

func possessive(low string) bool {
	return strings.HasSuffix(low, "'s") || strings.HasSuffix(low, "’s")
}

// isLabel reports the first word of a line with a colon behind it.
func isLabel(all []piece, i int) bool { return i == 0 && len(all) > 1 && all[1].text == ":" }

// small takes for names the words in small letters that stand alone between commas beside others.
func (s *scanner) small(all []piece) []piece {
	parts := func(i int) bool {
		if i < 0 || i >= len(all) {
			return true
		}
		return all[i].sort == markPiece && strings.Contains(",;:()/&+|·•*<>=", all[i].text) || all[i].low == "and" || all[i].low == "und" || all[i].low == "w/"
	}
	var at []int
	count := 0
	for i, p := range all {
		if p.sort == namePiece && parts(i-1) && parts(i+1) {
			count++
		}
		if p.sort == wordPiece && p.low == p.text && parts(i-1) && parts(i+1) && !isLabel(all, i) && len(p.text) > 1 && !notNames[p.low] && !frequent[p.low] && !roles[p.low] && !titleWord(p.low) && !s.verbal(p.low) && !greets[p.low] {
			at = append(at, i)
			count++
		}
	}
	if count < 2 {
		return all
	}
	for _, i := range at {
		all[i].sort = namePiece
	}
	return all
}
