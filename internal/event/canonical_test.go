package event_test

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
)

// TestCanonical holds the examples of RFC 8785, sections 3.2.2 to 3.2.4 and appendix B.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, out string }{
		"the RFC's example": {
			`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		"keys sort by UTF-16": {
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\",\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		"keys sort in depth":     {`{"b":[{"z":1,"a":2}],"a":{}}`, `{"a":{},"b":[{"a":2,"z":1}]}`},
		"one key begins another": {`{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		"blanks":                 {" [ 1 ,\t2\n] ", `[1,2]`},
		"minus zero":             {`[-0, -0.0, 0e5]`, `[0,0,0]`},
		"the largest":            {`[1.7976931348623157e308, 5e-324]`, `[1.7976931348623157e+308,5e-324]`},
		"where exponents begin":  {`[1e21, 999999999999999900000, 1e-6, 1e-7]`, `[1e+21,999999999999999900000,0.000001,1e-7]`},
		"whole numbers":          {`[9007199254740992, 1.0, 100]`, `[9007199254740992,1,100]`},
		"a text alone":           {`"x"`, `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := event.Canonical([]byte(c.in))
			if err != nil || string(got) != c.out {
				t.Errorf("%s %v\nwant %s", got, err, c.out)
			}
		})
	}
}

func TestCanonical_Refuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"a key twice":            `{"a":1,"b":2,"a":3}`,
		"a key twice, escaped":   `{"a":1,"\u0061":3}`,
		"a number out of range":  `1e400`,
		"broken UTF-8":           "\"\xff\"",
		"more after the end":     `{} {}`,
		"the end":                `{"a":`,
		"nothing":                ``,
		"a comma too many":       `[1,]`,
		"too deep":               strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"a number as of nowhere": `01`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := event.Canonical([]byte(in)); fault.KindOf(err) != fault.Invalid || err == nil {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1,2.50,{"x":null}]}`, `"a\ud800b"`, `[1e400]`, `{"é":"\u00e9","😀":1,"\ufb33":2}`, `{"a":{"c":1,"b":-0}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := event.Canonical(raw)
		if err != nil {
			return
		}
		twice, err := event.Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s becomes %s %v", once, twice, err)
		}
	})
}
