package routertest

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
)

// intentsText has an intent a line, with how people say it in the half that is learnt from and in the half that is measured.
//
//go:embed testdata/intents.txt
var intentsText string

// nouns are of the same world; messages that ask for nothing speak of them, too.
var nouns = []string{ //nolint:gochecknoglobals // a table
	"invoice", "flight", "laptop", "meeting room", "release", "database", "password", "contract", "budget", "newsletter", "printer", "vacation", "sprint", "salary", "server", "certificate", "interview", "parcel", "logo", "ticket",
}

var (
	openings = []string{"", "", "", "hi, ", "hello, ", "please ", "hey, ", "good morning, ", "quick one: ", "sorry to bother you, "}
	endings  = []string{"", "", "", " please", " for Maria", " by Friday", " until the end of the month", " for the team in Berlin", " as soon as possible", " because the manager asked", ", thanks", " for next week", " number 4711", " once more"}
	// the measured half begins and ends in other ways.
	openings2 = []string{"", "", "", "dear team, ", "morning! ", "ok so ", "one more thing: ", "hi all, ", "when you have a minute: "}
	endings2  = []string{"", "", "", " today", " for our colleague Jonas", " before Monday", " this time", " for the new customer", ", it is urgent", " if you can", ", many thanks", " for the office in Porto", " no. 88"}
	articles  = []string{"the ", "a ", "my ", "our ", "the new ", "another ", "that ", "this "}
)

// strangers are messages that ask for none of it; the placeholder is a thing in half of them.
var strangers = []string{ //nolint:gochecknoglobals // a table
	"who invented T", "what colour was T in that film", "translate T into French", "how do you spell T", "I dreamt of T last night", "is there a joke about T", "why do people like T so much", "what is the history of T", "my cat sat on T",
	"the word T sounds funny", "which country has the best T", "write a poem about T", "how heavy is T on the moon", "T rhymes with what", "would Shakespeare have used T",
	"what is the capital of Peru", "how do I boil an egg", "tell me a story about a dragon", "who won the football match", "is it going to rain tomorrow", "what is seven times eight", "play some jazz", "how old is the universe", "recommend a good restaurant",
	"my train was crowded again", "good morning everybody", "thank you so much", "that was a great talk", "I am tired today", "lol", "see you on the other side", "does anybody have an umbrella", "happy new year, Ann", "what does this French word mean",
	"the bird in the garden makes strange noises", "who left the window open", "explain quantum physics to a child", "is the moon made of cheese", "my neighbour plays the drums", "what shall I cook tonight", "how many bones has a cat", "count to ten",
	"I like the new chairs", "the lift is slow", "did you see the news", "how do plants grow", "which shoes go with a blue suit", "what is your name", "are you a robot", "sing me a song",
}

// Made is the made set: over 150 intents with so many examples each that are learnt from, and as many messages that are measured
// in other words. It is always the same.
//
// The first of the other words of an intent is for tuning: it is measured when tuning says so, and the rest is when not.
func Made(each, measured int, tuning bool) Set {
	s := Set{Name: fmt.Sprintf("made, %d examples each", each)}
	r := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // a set
	n := 0
	for line := range strings.Lines(intentsText) {
		name, ways, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		learnt, other, _ := strings.Cut(ways, " / ")
		s.Examples = append(s.Examples, said(r, name, each, strings.Split(learnt, "; "), openings, endings)...)
		ways2 := strings.Split(other, "; ")
		if tuning {
			ways2 = ways2[:1]
		} else {
			ways2 = ways2[1:]
		}
		s.Messages = append(s.Messages, said(r, name, measured, ways2, openings2, endings2)...)
		n++
	}
	for i := range n * measured / 4 {
		way := strangers[i%len(strangers)]
		if tuning != (i%2 == 0) {
			way = strangers[(i+1)%len(strangers)]
		}
		way = strings.Replace(way, "T", pick(r, articles)+pick(r, nouns), 1)
		s.Messages = append(s.Messages, said(r, "", 1, []string{way}, openings2, []string{"", "", " today", " then", ", I wonder"})...)
	}
	return s
}

// said are n different messages that say something in one of some ways, each way as often as the others.
func said(r *rand.Rand, intent string, n int, ways, from, to []string) []Row {
	var out []Row
	seen := make(map[string]bool)
	for tries := 0; len(out) < n && tries < 50*n; tries++ {
		text := sentence(r, ways[len(out)%len(ways)], from, to)
		if !seen[text] {
			seen[text] = true
			out = append(out, Row{text, intent})
		}
	}
	return out
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// sentence says something; one in twenty has a slip of the pen.
func sentence(r *rand.Rand, way string, from, to []string) string {
	text := pick(r, from) + way + pick(r, to)
	if r.IntN(20) == 0 && len(text) > 12 {
		i := 4 + r.IntN(len(text)-8)
		text = text[:i] + text[i+1:]
	}
	if r.IntN(3) == 0 {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
