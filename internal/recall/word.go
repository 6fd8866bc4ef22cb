package recall

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/spanish"

	"chela/internal/query"
)

// A Language is one whose words are reduced to stems.
type Language string

// The languages.
const (
	English Language = "en"
	German  Language = "de"
	French  Language = "fr"
	Spanish Language = "es"
)

var stemmers = map[Language]func(*snowballstem.Env) bool{
	English: english.Stem, German: german.Stem, French: french.Stem, Spanish: spanish.Stem,
}

// stops are the words of each language that say nothing of what a text is about.
var stops = map[Language]map[string]bool{
	English: set(`a about above after again against ain all also am an and any are aren as at be because been before being below between both but by can cannot could couldn
		d did didn do does doesn doing don down during each else ever few for from further get gets getting got had hadn has hasn have haven having he her here hers herself him himself his how
		i if in into is isn it its itself just let like ll m many may me might mightn more most much must mustn my myself no nor not now of off oh on once one only or other our ours
		ourselves out over own re really s same shall she should shouldn so some such t than that the their theirs them themselves then there these they thing things this those though through to
		too under until up upon us ve very was wasn we well were weren what when where whether which while who whom whose why will with won would wouldn yeah yes yet you your yours yourself yourselves
		okay ok hey hi hello wow gonna wanna im ive dont didnt`),
	German: set(`aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den denn der des dessen die dies diese
		diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre
		ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner können könnte machen man mein meine meinem meinen meiner mich mir mit muss nach nicht
		nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so solche soll sollte sondern über um und uns unser unsere unter vom von vor war waren warum was weil weiter welche
		welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wollen worden wurde wurden zu zum zur zwar zwischen`),
	French: set(`à ai aie ait alors au aucun aussi autre aux avec avoir avons ce cela ces cet cette chez comme d dans de des du elle elles en encore est et étaient était été être eu eux fait il ils j je
		l la le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas peu plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son
		sont sur ta te tes toi ton tous tout toute très tu un une vos votre vous y`),
	Spanish: set(`a al algo alguna algunas alguno algunos ante antes aquí así aunque cada como con contra cual cuando cuándo de del desde donde dónde dos el él ella ellas ellos en entre era eran es esa ese eso
		esta está estaba este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi mis mucho muy nada ni no nos nosotros nuestra o otra otro para pero poco por porque que qué quien quién se
		según ser si sí sin sobre son su sus también te tiene todo todos tu tus un una unas uno unos y ya yo`),
}

// asks are words of questions that say how is asked, not for what.
var asks = set(`kind kinds type types sort sorts way ways please tell know remember recall say said mention mentioned talk talked describe described happen happened likely considered consider currently
	recently according part conversation ever several various different anything something someone anyone somebody does name names called many much long often time date day wann wieviel welche`)

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// numbers are those that are written as words.
var numbers = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
	"thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100",
	"zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "zwölf": "12", "twice": "2",
}

// languageOf is the language that most of the words that say nothing belong to; English when none tells.
func languageOf(words []query.Word) Language {
	best, most := English, 0
	for _, l := range []Language{English, German, French, Spanish} {
		n := 0
		for _, w := range words {
			if stops[l][w.Text] {
				n++
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// plain reports whether a word is letters of the Latin script, which stemmers know.
func plain(w string) bool {
	for _, r := range w {
		if r > unicode.MaxLatin1 || !unicode.IsLetter(r) {
			return false
		}
	}
	return w != ""
}

// maxStemmed is the longest word of which a stem is made, in bytes.
const maxStemmed = 40

// An analyzer makes terms of words.
type analyzer struct {
	options  Options
	language Language
	env      *snowballstem.Env
}

func (o Options) analyzer(l Language) *analyzer {
	return &analyzer{options: o, language: l, env: snowballstem.NewEnv("")}
}

// term is what a word is found by.
func (a *analyzer) term(w string) string {
	if n, ok := numbers[w]; ok {
		return n
	}
	if !a.options.on(Stems) || len(w) < 3 || len(w) > maxStemmed || !plain(w) {
		return w
	}
	if a.options.on(Lexicon) && a.language == English {
		if base, ok := words.irregular[w]; ok {
			w = base
		}
	}
	a.env.SetCurrent(w)
	stemmers[a.language](a.env)
	return a.env.Current()
}

// Terms returns what a text is found by: the stems of its words in their order, without those that say nothing. A
// text of only such words keeps them.
func Terms(text string) []string { return Options{}.terms(text) }

func (o Options) terms(text string) []string {
	ws := query.Words(text)
	l := languageOf(ws)
	a := o.analyzer(l)
	out := make([]string, 0, len(ws)/2)
	for _, w := range ws {
		if !stops[l][w.Text] {
			out = append(out, a.term(w.Text))
		}
	}
	return out
}
