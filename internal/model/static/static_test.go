package static_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/model/static"
)

// A part is a tensor of a file of safetensors.
type part struct {
	name, kind string
	shape      []int
	raw        []byte
}

// file writes a file of safetensors.
func file(parts ...part) []byte {
	header, body := map[string]any{"__metadata__": map[string]string{"made": "by a test"}}, []byte{}
	for _, p := range parts {
		header[p.name] = map[string]any{"dtype": p.kind, "shape": p.shape, "data_offsets": []int{len(body), len(body) + len(p.raw)}}
		body = append(body, p.raw...)
	}
	raw, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(raw))), raw...), body...)
}

func f32(numbers ...float32) []byte {
	var out []byte
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(n))
	}
	return out
}

const wordPiece = `{"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
	"pre_tokenizer":{"type":"BertPreTokenizer"},
	"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"cafe":1,"run":2,"##ning":3,"!":4}}}`

const unigram = `{"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":"AA=="},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},
	"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},
	"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["▁ca",-2.0],["fe",-2.0],["▁cafe",-3.0],["s",-1.0]]}}`

// eye is a table in which piece n has a 1 at n alone.
func eye(n int) part {
	var out []float32
	for i := range n {
		for j := range n {
			out = append(out, float32(map[bool]int{true: 1}[i == j]))
		}
	}
	return part{"embeddings", "F32", []int{n, n}, f32(out...)}
}

func TestEmbed_IsTheMeanOfThePieces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, pieces, text string
		want               string
		tokens             int
	}{
		{"accents and marks", wordPiece, "Café!", "0 1 0 0 1", 2},
		{"a word in two pieces", wordPiece, "RUNNING", "0 0 1 1 0", 2},
		{"a word that is not known", wordPiece, "runxyz cafe", "0 1 0 0 0", 1},
		{"nothing that is known", wordPiece, "xyz", "0 0 0 0 0", 0},
		{"the likeliest pieces", unigram, "cafes", "0 0 0 1 1", 2},
		{"blanks", unigram, "cafe   cafe", "0 0 0 1 0", 2},
		{"a character that is not known", unigram, "cafeß", "0 0 0 1 0", 1},
	} {
		m, err := static.Decode(file(eye(5)), []byte(c.pieces))
		if err != nil {
			t.Fatal(err)
		}
		got, a, err := m.Embed(t.Context(), "one", []string{c.text})
		if err != nil {
			t.Fatal(err)
		}
		most := float32(0)
		for _, x := range got[0] {
			most = max(most, x)
		}
		var shown []string
		for _, x := range got[0] {
			shown = append(shown, fmt.Sprint(math.Round(float64(x/max(most, 1e-9)))))
		}
		if strings.Join(shown, " ") != c.want || a.Usage.InputTokens != c.tokens {
			t.Errorf("%s: %q gives %s of %d pieces, want %s of %d", c.name, c.text, strings.Join(shown, " "), a.Usage.InputTokens, c.want, c.tokens)
		}
	}
}

func TestEmbed_WeightsAndTypes(t *testing.T) {
	t.Parallel()
	weights := part{"weights", "F32", []int{5}, f32(1, 3, 4, 0, 0)}
	mapping := part{"mapping", "I64", []int{5}, make([]byte, 40)}
	mapping.raw[8], mapping.raw[16] = 1, 0 // cafe has row 1, run row 0
	for kind, raw := range map[string][]byte{
		"F32": f32(1, 0, 0, 1), "F16": {0, 0x3c, 0, 0, 0, 0, 0, 0x3c}, "BF16": {0x80, 0x3f, 0, 0, 0, 0, 0x80, 0x3f}, "I8": {1, 0, 0, 1},
	} {
		m, err := static.Decode(file(part{"embeddings", kind, []int{2, 2}, raw}, weights, mapping), []byte(wordPiece))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		got, _, err := m.Embed(t.Context(), "", []string{"run cafe"})
		if err != nil || math.Abs(float64(got[0][0])-0.8) > 1e-6 || math.Abs(float64(got[0][1])-0.6) > 1e-6 || m.Dimensions() != 2 {
			t.Errorf("%s: got %v %v, want 0.8 and 0.6", kind, got, err)
		}
	}
}

func TestDecode_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weights []byte
		pieces  string
		want    string
	}{
		{nil, wordPiece, "it has 0 bytes"},
		{append(binary.LittleEndian.AppendUint64(nil, 1<<40), '{'), wordPiece, "its header has 1099511627776 bytes"},
		{file(), wordPiece, `no table "embeddings"`},
		{file(part{"embeddings", "F32", []int{5, 5}, f32(1)}), wordPiece, "its shape asks for 100"},
		{file(part{"embeddings", "F32", []int{1 << 40, 1 << 40}, f32(1)}), wordPiece, "no room"},
		{file(part{"embeddings", "U4", []int{1, 1}, f32(1)}), wordPiece, `type "U4"`},
		{file(part{"embeddings", "F32", []int{2, 2}, f32(1, 0, 0, 1)}), wordPiece, "piece of the number 4"},
		{file(eye(5), part{"mapping", "I32", []int{1}, []byte{9, 0, 0, 0}}), wordPiece, "names row 9 of 5"},
		{file(eye(5)), `{"model":{"type":"BPE"}}`, `kind "BPE"`},
		{file(eye(5)), strings.Replace(wordPiece, "BertPreTokenizer", "ByteLevel", 1), `by "ByteLevel"`},
		{file(eye(5)), strings.Replace(wordPiece, "BertNormalizer", "Magic", 1), `step "Magic"`},
		{file(eye(5)), `{"model":{"type":"WordPiece","vocab":{"a":-1}}}`, "number -1"},
		{file(eye(5)), `[]`, "no JSON object"},
	} {
		if _, err := static.Decode(c.weights, []byte(c.pieces)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestOpen_NamesTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := static.Open(dir); fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.TextOf(err), "model.safetensors") {
		t.Errorf("without files: %v", err)
	}
	before := static.Changed(dir)
	for name, raw := range map[string][]byte{"model.safetensors": file(eye(5)), "tokenizer.json": []byte(wordPiece)} {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := static.Open(dir); err != nil || static.Changed(dir) == before {
		t.Errorf("with files: %v, changed %q", err, static.Changed(dir))
	}
	for _, name := range []string{"", "..", ".x", "a/b", `a\b`, "a b"} {
		if static.Name(name) == nil {
			t.Errorf("%q is taken as a name", name)
		}
	}
}

// FuzzDecode holds that no bytes do more than be refused.
func FuzzDecode(f *testing.F) {
	f.Add(file(eye(5)), []byte(wordPiece), "Café running! 中文")
	f.Add(file(eye(5)), []byte(unigram), "cafes cafe")
	f.Add(file(part{"embeddings", "F16", []int{1, 1}, []byte{0, 0x7c}}), []byte(`{"model":{"type":"Unigram","vocab":[["a",1]]}}`), "aa")
	f.Fuzz(func(t *testing.T, weights, pieces []byte, text string) {
		m, err := static.Decode(weights, pieces)
		if err != nil {
			return
		}
		got, _, err := m.Embed(t.Context(), "", []string{text})
		if err != nil || len(got) != 1 || len(got[0]) != m.Dimensions() {
			t.Errorf("%v %v", got, err)
		}
		for _, x := range got[0] {
			if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
				t.Errorf("%q gives %v", text, got)
			}
		}
	})
}
