package static

import (
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"
)

// A tokenizer cuts texts into pieces that have vectors. What it does not know counts nothing.
type tokenizer struct {
	clean []func(string) string
	cut   []func([]string) []string
	piece func(ids []int32, word string) []int32
	most  int // the largest number of a piece
}

// ids are the numbers of the first pieces of a text.
func (t *tokenizer) ids(text string, limit int) []int32 {
	text = strings.ToValidUTF8(text, " ")
	for _, c := range t.clean {
		text = c(text)
	}
	words := []string{text}
	for _, c := range t.cut {
		words = c(words)
	}
	var out []int32
	for _, w := range words {
		if out = t.piece(out, w); len(out) >= limit {
			return out[:limit]
		}
	}
	return out
}

// readTokenizer reads a tokenizer.json with pieces of the kind WordPiece or Unigram.
func readTokenizer(raw []byte) (*tokenizer, error) {
	var f struct {
		Clean json.RawMessage `json:"normalizer"`
		Cut   json.RawMessage `json:"pre_tokenizer"`
		Model json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, wrong("%s is no JSON object: %w", tokenizerFile, err)
	}
	t := &tokenizer{}
	if err := t.readCleaners(f.Clean, 0); err != nil {
		return nil, err
	}
	if err := t.readCutters(f.Cut, 0); err != nil {
		return nil, err
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(f.Model, &kind); err != nil {
		return nil, wrong("%s has no model: %w", tokenizerFile, err)
	}
	switch kind.Type {
	case "WordPiece":
		return t, t.readWordPiece(f.Model)
	case "Unigram":
		return t, t.readUnigram(f.Model)
	}
	return nil, wrong("%s has pieces of the kind %q; WordPiece and Unigram are known", tokenizerFile, kind.Type)
}

// maxNumber bounds the number of a piece.
const maxNumber = 4 << 20

func (t *tokenizer) number(n int) error {
	if n < 0 || n > maxNumber {
		return wrong("%s has a piece of the number %d; the limit is %d", tokenizerFile, n, maxNumber)
	}
	t.most = max(t.most, n)
	return nil
}

// readWordPiece reads pieces of which the longest at the beginning of a word is taken, and then the longest of what is left.
func (t *tokenizer) readWordPiece(raw []byte) error {
	var m struct {
		Unknown string         `json:"unk_token"`
		Prefix  *string        `json:"continuing_subword_prefix"`
		Longest *int           `json:"max_input_chars_per_word"`
		Vocab   map[string]int `json:"vocab"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return wrong("the pieces of %s cannot be read: %w", tokenizerFile, err)
	}
	if len(m.Vocab) == 0 {
		return wrong("%s has no pieces", tokenizerFile)
	}
	prefix, longest, widest := "##", 100, 0
	if m.Prefix != nil {
		prefix = *m.Prefix
	}
	if m.Longest != nil {
		longest = *m.Longest
	}
	for w, n := range m.Vocab {
		if err := t.number(n); err != nil {
			return err
		}
		widest = max(widest, len(w))
	}
	delete(m.Vocab, m.Unknown)
	t.piece = func(ids []int32, word string) []int32 {
		if utf8.RuneCountInString(word) > longest {
			return ids
		}
		before := len(ids)
		for at := 0; at < len(word); {
			lead := ""
			if at > 0 {
				lead = prefix
			}
			end := min(len(word), at+widest)
			for ; end > at; end-- {
				if n, ok := m.Vocab[lead+word[at:end]]; ok {
					ids = append(ids, int32(n)) //nolint:gosec // number bounds it
					break
				}
			}
			if end == at {
				return ids[:before] // a word with a part that is not known is not known
			}
			at = end
		}
		return ids
	}
	return nil
}

// readUnigram reads pieces with the logarithms of how likely they are; a word is cut so that its pieces are together the
// likeliest.
func (t *tokenizer) readUnigram(raw []byte) error {
	var m struct {
		Unknown *int                 `json:"unk_id"`
		Vocab   [][2]json.RawMessage `json:"vocab"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return wrong("the pieces of %s cannot be read: %w", tokenizerFile, err)
	}
	if len(m.Vocab) == 0 {
		return wrong("%s has no pieces", tokenizerFile)
	}
	u := unigram{scores: make([]float64, len(m.Vocab)), numbers: make(map[string]int32, len(m.Vocab))}
	least := 0.0
	for i, v := range m.Vocab {
		var word string
		if err := json.Unmarshal(v[0], &word); err != nil {
			return wrong("piece %d of %s is no text: %w", i, tokenizerFile, err)
		}
		if err := json.Unmarshal(v[1], &u.scores[i]); err != nil {
			return wrong("piece %d of %s has no number: %w", i, tokenizerFile, err)
		}
		if err := t.number(i); err != nil {
			return err
		}
		least = min(least, u.scores[i])
		if word == "" || m.Unknown != nil && *m.Unknown == i {
			continue
		}
		u.numbers[word] = int32(i) //nolint:gosec // number bounds it
		u.widest = max(u.widest, len(word))
	}
	u.unknown = least - 10
	t.piece = u.pieces
	return nil
}

type unigram struct {
	scores  []float64
	numbers map[string]int32
	widest  int
	unknown float64 // the score of a character that no piece has
}

// longestWord is how much of a word is cut, in bytes.
const longestWord = 4096

// pieces are those of the likeliest cut. A character that no piece has is left out.
func (u unigram) pieces(ids []int32, word string) []int32 {
	if len(word) > longestWord {
		word = strings.ToValidUTF8(word[:longestWord], "")
	}
	best, from, number := make([]float64, len(word)+1), make([]int, len(word)+1), make([]int32, len(word)+1)
	for i := range best[1:] {
		best[i+1] = math.Inf(-1)
	}
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRuneInString(word[at:])
		for end := at + 1; end <= min(len(word), at+u.widest); end++ {
			if n, ok := u.numbers[word[at:end]]; ok && best[at]+u.scores[n] > best[end] {
				best[end], from[end], number[end] = best[at]+u.scores[n], at, n
			}
		}
		if end := at + size; best[at]+u.unknown > best[end] {
			best[end], from[end], number[end] = best[at]+u.unknown, at, -1
		}
		at += size
	}
	first := len(ids)
	for end := len(word); end > 0; end = from[end] {
		if number[end] >= 0 {
			ids = append(ids, number[end])
		}
	}
	for i, j := first, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}
