package event_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/fault"
)

// TestCanonicalRfc_CanonicalNumbers holds appendix B of RFC 8785: the bits of a float64 and its text.
func TestCanonicalRfc_CanonicalNumbers(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		t.Run(want, func(t *testing.T) {
			in := strconv.FormatFloat(math.Float64frombits(bits), 'e', 30, 64)
			if got, err := event.Canonical([]byte(in)); err != nil || string(got) != want {
				t.Errorf("%s becomes %s %v, want %s", in, got, err, want)
			}
		})
	}
}

func TestCanonicalRfc_CanonicalNumbersAsWritten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"-0":                      "0",
		"-0.0e-5":                 "0",
		"0.00":                    "0",
		"1e-400":                  "0",
		"10":                      "10",
		"-1.50":                   "-1.5",
		"1E2":                     "100",
		"1e+2":                    "100",
		"123456789e-3":            "123456.789",
		"1e-9":                    "1e-9",
		"-12.5e-10":               "-1.25e-9",
		"1e100":                   "1e+100",
		"1.25e-100":               "1.25e-100",
		"9007199254740993":        "9007199254740992",
		"0.1":                     "0.1",
		"0.30000000000000004":     "0.30000000000000004",
		"100000000000000000000":   "100000000000000000000",
		"1000000000000000000000":  "1e+21",
		"-1000000000000000000000": "-1e+21",
	} {
		t.Run(in, func(t *testing.T) {
			if got, err := event.Canonical([]byte(in)); err != nil || string(got) != want {
				t.Errorf("%s %v, want %s", got, err, want)
			}
		})
	}
}

func TestCanonicalRfc_CanonicalTextsEscapeOnlyWhatTheyMust(t *testing.T) {
	t.Parallel()
	short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	for r := range rune(0x100) {
		want := string(r)
		if s, ok := short[r]; ok {
			want = s
		} else if r < ' ' {
			want = fmt.Sprintf(`\u%04x`, r)
		}
		in := fmt.Sprintf(`"a\u%04Xb"`, r)
		if got, err := event.Canonical([]byte(in)); err != nil || string(got) != `"a`+want+`b"` {
			t.Errorf("%s becomes %s %v, want %s", in, got, err, want)
		}
	}
	for name, c := range map[string]struct{ in, out string }{
		"a slash":                {`"\/"`, `"/"`},
		"line separators":        {`"\u2028\u2029"`, "\"\u2028\u2029\""},
		"signs of HTML":          {`"\u003c&\u003e"`, `"<&>"`},
		"a surrogate pair":       {`"\ud83d\ude00"`, "\"\U0001f600\""},
		"no normal form":         {`"A\u030a"`, "\"A\u030a\""},
		"a byte order mark":      {`"\ufeff"`, "\"\ufeff\""},
		"half a surrogate pair":  {`"\ud83d!"`, "\"\ufffd!\""}, // the RFC refuses it; see Canonical
		"escapes in a key":       {`{"\u0062\n":1,"\u0061":2}`, `{"a":2,"b\n":1}`},
		"keys that need escapes": {`{"\"":1,"\\":2,"\u0001":3}`, `{"\u0001":3,"\"":1,"\\":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := event.Canonical([]byte(c.in)); err != nil || string(got) != c.out {
				t.Errorf("%s %v, want %s", got, err, c.out)
			}
		})
	}
}

func TestCanonicalRfc_CanonicalKeysSortByUTF16(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, out string }{
		"an emoji comes before U+E000":          {"{\"\ue000\":1,\"\U0001f600\":2}", "{\"\U0001f600\":2,\"\ue000\":1}"},
		"also after the same beginning":         {"{\"é\ufb33\":1,\"é\U0001f600\":2}", "{\"é\U0001f600\":2,\"é\ufb33\":1}"},
		"the empty key comes first":             {`{"a":1,"":2}`, `{"":2,"a":1}`},
		"upper case comes before lower":         {`{"b":1,"a":2,"B":3}`, `{"B":3,"a":2,"b":1}`},
		"digits are texts":                      {`{"10":1,"9":2,"1":3}`, `{"1":3,"10":1,"9":2}`},
		"ASCII comes before the rest":           {`{"é":1,"z":2}`, `{"z":2,"é":1}`},
		"a list keeps its order":                {`[3,1,2,"b","a"]`, `[3,1,2,"b","a"]`},
		"many keys":                             {`{"t":1,"s":1,"r":1,"q":1,"p":1,"o":1,"n":1,"m":1,"l":1,"k":1,"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1}`, `{"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"s":1,"t":1}`},
		"the values go with their unequal keys": {`{"b":{"d":[1, 2],"c":"x"},"a":[{"f":1,"e":2}]}`, `{"a":[{"e":2,"f":1}],"b":{"c":"x","d":[1,2]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := event.Canonical([]byte(c.in)); err != nil || string(got) != c.out {
				t.Errorf("%s %v, want %s", got, err, c.out)
			}
		})
	}
}

func TestCanonicalRfc_CanonicalSaysWhatItRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, says string }{
		"a key twice":               {`{"title":1,"b":2,"title":3}`, "title: The key is there twice."},
		"a key twice in depth":      {`[{"a":{"x":1,"x":1}}]`, "x: The key is there twice."},
		"two keys, one text":        {`{"\u00e9":1,"é":2}`, "é: The key is there twice."},
		"a number too large":        {`{"a":[1,-1e309]}`, "The number -1e309 is out of range."},
		"broken UTF-8":              {"{\"a\":\"\xc3\x28\"}", "not valid UTF-8"},
		"an end too early":          {`{"a":1`, "cannot be read at byte 6"},
		"a word":                    {`[NaN]`, "cannot be read at byte 2"},
		"a number that begins bare": {`[.5]`, "cannot be read at byte 2"},
		"a number with a plus":      {`+1`, "cannot be read at byte 1"},
		"a line feed in a text":     {"\"a\nb\"", "cannot be read at byte 3"},
		"a wrong escape":            {`"\x41"`, "cannot be read at byte 3"},
		"a comment":                 {`[1] // one`, "cannot be read at byte 5"},
		"a byte order mark":         {"\ufeff{}", "cannot be read at byte 1"},
		"only blanks":               {" \n ", "cannot be read"},
		"a list one too deep":       {strings.Repeat("[", 66) + strings.Repeat("]", 66), "nested more than 64 deep"},
		"an object one too deep":    {strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "nested more than 64 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := event.Canonical([]byte(c.in))
			if err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("%s %v, want %q", got, err, c.says)
			}
		})
	}
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	if got, err := event.Canonical([]byte(deep)); err != nil || string(got) != deep {
		t.Errorf("65 lists in each other: %v", err)
	}
}

// A jsonValue is a list or an object when it has an end, else a scalar.
type jsonValue struct {
	scalar string
	end    string // "]" or "}"
	keys   []string
	values []jsonValue
}

func drawJSON(t *rapid.T, depth int) jsonValue {
	sorts := []string{"", "", "]", "}"}
	if depth == 0 {
		sorts = sorts[:1]
	}
	v := jsonValue{end: rapid.SampledFrom(sorts).Draw(t, "sort")}
	if v.end == "" {
		v.scalar = text(t, rapid.OneOf(
			rapid.Float64().AsAny(), rapid.Int32().AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		).Draw(t, "scalar"))
		return v
	}
	v.keys = rapid.SliceOfNDistinct(rapid.String(), 0, 5, rapid.ID[string]).Draw(t, "keys")
	for range v.keys {
		v.values = append(v.values, drawJSON(t, depth-1))
	}
	return v
}

func text(t *rapid.T, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// loose writes v with its keys in a random order and blanks in random places.
func (v jsonValue) loose(t *rapid.T) string {
	blank := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "blank") }
	if v.end == "" {
		return blank() + v.scalar + blank()
	}
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	if v.end == "}" {
		order = rapid.Permutation(order).Draw(t, "order")
	}
	parts := make([]string, len(order))
	for n, i := range order {
		if v.end == "}" {
			parts[n] = blank() + text(t, v.keys[i]) + blank() + ":"
		}
		parts[n] += v.values[i].loose(t)
	}
	return map[string]string{"]": "[", "}": "{"}[v.end] + blank() + strings.Join(parts, ",") + v.end
}

func TestCanonicalRfc_EqualValuesHaveOneCanonicalForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawJSON(t, 3)
		a, b := v.loose(t), v.loose(t)
		ca, errA := event.Canonical([]byte(a))
		cb, errB := event.Canonical([]byte(b))
		if errA != nil || errB != nil || string(ca) != string(cb) {
			t.Fatalf("%s becomes %s %v\n%s becomes %s %v", a, ca, errA, b, cb, errB)
		}
		var was, is any
		if json.Unmarshal([]byte(a), &was) != nil || json.Unmarshal(ca, &is) != nil || !reflect.DeepEqual(was, is) {
			t.Fatalf("%s became %s: another value", a, ca)
		}
	})
}

func TestCanonicalRfc_CanonicalNumbersKeepTheirValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "number")
		got, err := event.Canonical([]byte(strconv.FormatFloat(f, 'e', 20, 64)))
		back, err2 := strconv.ParseFloat(string(got), 64)
		if err != nil || err2 != nil || back != f {
			t.Fatalf("%v became %s, which is %v: %v %v", f, got, back, err, err2)
		}
	})
}
