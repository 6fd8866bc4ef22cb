package answer

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"chela/internal/desk"
	"chela/internal/query"
)

// words are those of a record, by their numbers.
type words struct {
	title []int32 // its words, by their stems
	terms []int32 // the words of its texts, sorted, each once
}

// title are the words of the record's title, by their stems. The snapshot has filled its dictionary.
func (r *Record) title() []int32 { return r.words.Load().title }

// terms are the words of the record's texts, sorted, each once. The snapshot has filled its dictionary.
func (r *Record) terms() []int32 { return r.words.Load().terms }

// maxTerms bounds how many different words of a record are looked through.
const maxTerms = 4000

// A Dictionary numbers the words of a project's records. It is filled when a question looks for words: most do not.
type Dictionary struct {
	filling sync.Mutex  // who fills it
	filled  atomic.Bool // new records get their words at once

	mu    sync.RWMutex // guards what follows
	ids   map[string]int32
	words []string
	stem  []int32           // of each word, -1 for one that no text has had
	seen  []int32           // which record had each word last, as they are counted
	count int32             // of records
	stems map[int32][]int32 // words by their stem
	title map[string]bool   // words of titles and names
}

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{ids: make(map[string]int32), stems: make(map[int32][]int32), title: make(map[string]bool)}
}

// Fill numbers the words of all records, unless that was done.
func (s *Snapshot) Fill() {
	if s.filled.Load() {
		return
	}
	d := s.dict
	d.filling.Lock()
	defer d.filling.Unlock()
	if s.filled.Load() {
		return
	}
	d.filled.Store(true)
	var all sync.WaitGroup
	for some := range slices.Chunk(s.all, len(s.all)/runtime.GOMAXPROCS(0)+1) {
		all.Go(func() {
			for _, r := range some {
				if r.words.Load() == nil {
					d.fill(r)
				}
			}
		})
	}
	all.Wait()
	s.filled.Store(true)
}

// dictionary returns the dictionary with the words of all records.
func (s *Snapshot) dictionary() *Dictionary {
	s.Fill()
	return s.dict
}

// number returns the number of a word. mu is held.
func (d *Dictionary) number(word string) int32 {
	n, ok := d.ids[word]
	if !ok {
		n = int32(len(d.words)) //nolint:gosec // fewer words than that fit into memory
		d.ids[word] = n
		d.words, d.stem, d.seen = append(d.words, word), append(d.stem, -1), append(d.seen, 0)
	}
	return n
}

// stem is a word without its plural.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// find returns the number of a word's stem, -1 when no record has it.
func (d *Dictionary) find(word string) int32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if n, ok := d.ids[stem(word)]; ok {
		return n
	}
	return -1
}

// like returns the numbers of the words that begin with a word, as lists look for it.
func (d *Dictionary) like(word string) map[int32]bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	out := make(map[int32]bool)
	for i, w := range d.words {
		if strings.HasPrefix(w, word) {
			out[int32(i)] = true //nolint:gosec // see number
		}
	}
	return out
}

// exact returns the number of a word.
func (d *Dictionary) exact(word string) (int32, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n, ok := d.ids[word]
	return n, ok
}

// same returns the words with the stem of a word.
func (d *Dictionary) same(word string) []int32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n, ok := d.ids[stem(word)]
	if !ok {
		return nil
	}
	return d.stems[n]
}

// wordRoom is room for the words of a record while it is read.
var wordRoom = sync.Pool{New: func() any { return new([]query.Word) }} //nolint:gochecknoglobals // it is empty between two uses

// fill gives a record its words.
func (d *Dictionary) fill(r *Record) {
	room := wordRoom.Get().(*[]query.Word) //nolint:forcetypeassert,errcheck // it has nothing else
	defer wordRoom.Put(room)
	all := query.AppendWords((*room)[:0], r.Title)
	titled := len(all)
	for _, text := range desk.Texts(r.Kind, r.Thing) {
		all = query.AppendWords(all, text)
	}
	*room = all
	title, all := all[:titled], all[titled:]
	out := new(words)
	d.mu.Lock()
	defer d.mu.Unlock()
	if titled > 0 {
		out.title = make([]int32, titled)
	}
	for i, w := range title {
		out.title[i] = d.number(stem(w.Text))
		if !d.title[w.Text] {
			d.title[w.Text] = true
		}
	}
	out.terms = d.terms(all)
	r.words.Store(out)
}

// terms returns the numbers of words, each once. mu is held.
func (d *Dictionary) terms(all []query.Word) (out []int32) {
	d.count++
	for _, w := range all {
		n := d.number(w.Text)
		if d.stem[n] < 0 {
			of := d.number(stem(w.Text))
			d.stem[n] = of
			d.stems[of] = append(d.stems[of], n)
		}
		if d.seen[n] != d.count && len(out) < maxTerms {
			d.seen[n] = d.count
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Clip(out)
}

// titledIn returns a function that finds the title of a record among words: where it begins, -1 when they do not have the whole of it, and
// how many of them it is.
func (s *Snapshot) titledIn(words []string) func(*Record) (at, n int) {
	if s.filled.Load() {
		numbers := make([]int32, len(words))
		for i, w := range words {
			numbers[i] = s.dict.find(w)
		}
		return func(r *Record) (int, int) {
			title := r.title()
			if len(title) == 0 || !slices.Contains(numbers, title[0]) {
				return -1, 0
			}
			return beginOf(numbers, title), len(title)
		}
	}
	stems := make([]string, len(words))
	first := make(map[string]bool, len(words))
	for i, w := range words {
		stems[i] = stem(w)
		first[stems[i]] = true
	}
	var room []query.Word
	var title []string
	return func(r *Record) (int, int) {
		if !mayBegin(r.Title, first) {
			return -1, 0
		}
		room, title = query.AppendWords(room[:0], r.Title), title[:0]
		for _, w := range room {
			title = append(title, stem(w.Text))
		}
		return beginOf(stems, title), len(title)
	}
}

// beginOf returns where some words begin among others, -1 when they are not there.
func beginOf[T comparable](all, some []T) int {
	for at := 0; at+len(some) <= len(all) && len(some) > 0; at++ {
		if slices.Equal(all[at:at+len(some)], some) {
			return at
		}
	}
	return -1
}

// mayBegin reports whether the first word of a title may have one of some stems. It reads no more than that word.
func mayBegin(title string, stems map[string]bool) bool {
	var room [24]byte
	word := room[:0]
	for i := range len(title) {
		c := title[i]
		switch {
		case c >= 0x80 || len(word) == len(room): // it takes a longer look
			return true
		case 'A' <= c && c <= 'Z':
			word = append(word, c+'a'-'A')
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			word = append(word, c)
		case len(word) > 0:
			return stems[stem(string(word))]
		}
	}
	return len(word) > 0 && stems[stem(string(word))]
}
