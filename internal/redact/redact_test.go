package redact_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/redact"
)

// written are the ways in which a value may come out of a tool.
var written = map[string]func(string) string{ //nolint:gochecknoglobals // a table
	"as it is":                   func(s string) string { return s },
	"in JSON":                    func(s string) string { return quoted(s) },
	"in JSON in JSON":            func(s string) string { return quoted(quoted(s)) },
	"letter by letter":           func(s string) string { return each(s, `\u%04x`) },
	"as Python shows":            func(s string) string { return each(s, `\x%02x`) },
	"every byte in a URL":        func(s string) string { return each(s, "%%%02X") },
	"in a query":                 url.QueryEscape,
	"in a path":                  url.PathEscape,
	"in hexadecimal":             func(s string) string { return hex.EncodeToString([]byte(s)) },
	"in HEXADECIMAL":             func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"as od shows":                func(s string) string { return strings.TrimSpace(each(s, "%02x ")) },
	"in base64":                  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"in base64 after one byte":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"in base64 after two bytes":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xy" + s + "\n")) },
	"in base64 for URLs":         func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("Bearer " + s)) },
	"in base64 of lines":         func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(s)), 7) },
	"in base64 of lines in JSON": func(s string) string { return quoted(lines(base64.StdEncoding.EncodeToString([]byte(s)), 7)) },
	"in capital letters":         strings.ToUpper,
	"in small letters":           strings.ToLower,
	"in base32":                  func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"in base32 after one byte":   func(s string) string { return base32.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"in base32 after four bytes": func(s string) string { return strings.ToLower(base32.StdEncoding.EncodeToString([]byte("wxyz" + s))) },
	"in base64 of base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	},
	"in base64 of base64 inside": func(s string) string {
		return base64.URLEncoding.EncodeToString([]byte("a" + base64.URLEncoding.EncodeToString([]byte("xy"+s+"z"))))
	},
	"in lines":  func(s string) string { return lines(s, 5) },
	"backwards": func(s string) string { return backwards(s) },
}

func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

func each(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		_, _ = fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func lines(s string, width int) string {
	var b strings.Builder
	for i := 0; i < len(s); i += width {
		b.WriteString(s[i:min(len(s), i+width)] + "\n")
	}
	return b.String()
}

func backwards(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func TestRedact_ValuesInEveryForm(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"hunter2hunter2", `a "quoted"\ value`, "line one\nline two\n", "p+w/d=&?%20#<>", "ümläut-gehéim", "correct horse battery staple"} {
		r := redact.New([]redact.Value{{"OTHER", "not this one"}, {"TOKEN", value}})
		for name, form := range written {
			if strings.HasPrefix(value, "ü") && name == "letter by letter" {
				continue // of bytes, which JSON does not know
			}
			text := "before " + form(value) + " after"
			got := r.Text(text)
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, "[redacted TOKEN]") {
				t.Errorf("%q %s: %q became %q", value, name, text, got)
			}
			if len(got) > len("before  after")+len("[redacted TOKEN]")+24 {
				t.Errorf("%q %s: much is left: %q", value, name, got)
			}
		}
	}
}

// TestRedact_NothingElseIsHidden is the twin: without values the forms stay as they are.
func TestRedact_NothingElseIsHidden(t *testing.T) {
	t.Parallel()
	r := redact.New([]redact.Value{{"SHORT", "abc"}})
	for name, form := range written {
		if text := form("hunter2hunter2 abc"); r.Text(text) != text {
			t.Errorf("%s: %q became %q", name, text, r.Text(text))
		}
	}
	var none *redact.Redactor
	if got := none.Text("plain text, nothing in it"); got != "plain text, nothing in it" {
		t.Error(got)
	}
}

func TestRedact_NamesThatWouldTell(t *testing.T) {
	t.Parallel()
	r := redact.New([]redact.Value{{"MY_PASSWORD", "MY_PASSWORD"}, {"b", "redacted"}, {`a"b`, "long enough"}})
	if got := r.Text("it is MY_PASSWORD or redacted or long enough"); got != "it is [...] or [...] or [...]" {
		t.Error(got)
	}
	if got := redact.New([]redact.Value{{"a\"\\\n", "long enough"}}).Text("long enough"); got != "[redacted a___]" {
		t.Error(got)
	}
}

// TestRedact_JSONStaysJSON: what is hidden in JSON leaves JSON, and no value in it.
func TestRedact_JSONStaysJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringN(8, 40, 120).Filter(func(s string) bool { return len(strings.TrimSpace(s)) >= 8 && !strings.Contains("[redacted TOKEN]", s) }).Draw(r, "value")
		before, after := rapid.String().Draw(r, "before"), rapid.String().Draw(r, "after")
		raw, err := json.Marshal(map[string]any{"out": before + value + after, "list": []string{after, before}})
		if err != nil {
			r.Fatal(err)
		}
		got := redact.New([]redact.Value{{"TOKEN", strings.ToValidUTF8(value, "\uFFFD")}}).Text(string(raw))
		var out map[string]any
		if err := json.Unmarshal([]byte(got), &out); err != nil {
			r.Fatalf("%s is no JSON: %v", got, err)
		}
		if strings.Contains(out["out"].(string), value) {
			r.Fatalf("%q is in %s", value, got)
		}
	})
}

// FuzzText: nothing breaks, and no value is left in any form.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "hunter2hunter2", `\u`, `\ud83d\u`, "%", "%2", "-----BEGIN PRIVATE KEY-----", "\x00", `\\\\\\`} {
		f.Add(s, "hunter2hunter2")
		f.Add("a hunter2hunter2 b", s)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		got := redact.New([]redact.Value{{"T", value}}).Text(text + value + text)
		if len(value) >= redact.Shortest && strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, "[redacted T]", "\x00\x01"), "[...]", "\x00\x01"), value) && !strings.Contains(value, "\x00\x01") {
			t.Errorf("%q is left in %q", value, got)
		}
	})
}

func BenchmarkText(b *testing.B) {
	var values []redact.Value
	for i := range 50 {
		values = append(values, redact.Value{Name: fmt.Sprint("N", i), Text: hex.EncodeToString([]byte(fmt.Sprintf("value number %d", i)))})
	}
	r := redact.New(values)
	raw, _ := json.Marshal(strings.Repeat("func main() { fmt.Println(\"Hello, 世界\", 42) } // nothing to see here\n", 230))
	for name, text := range map[string]string{"JSON": string(raw), "plain": strings.Repeat("An ordinary line of a log, with a few words. ", 364)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}

// TestRedactor_JSON: stored values are hidden wherever they stand in a document, which stays one of
// the same form; what only looks like a secret stays.
func TestRedactor_JSON(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("a1B2", 9)
	r := redact.New([]redact.Value{{Name: "TOKEN", Text: "hunter2hunter2"}, {Name: "ODD", Text: `":"x","b":"`}, {Name: "QUOTED", Text: `pass"word\1`}})
	for in, want := range map[string]string{
		`{"a":"it is hunter2hunter2."}`:                   `{"a":"it is [redacted TOKEN]."}`,
		`{"a":"\u0068unter2hunter2"}`:                     `{"a":"[redacted TOKEN]"}`,
		`{"a":"pass\"word\\1"}`:                           `{"a":"[redacted QUOTED]"}`,
		`{"args":"{\"p\":\"pass\\\"word\\\\1\"}"}`:        `{"args":"{\"p\":\"[redacted QUOTED]\"}"}`,
		`{"a":"x","b":"y"}`:                               `{"a":"x","b":"y"}`,
		`["` + token + `",1.50,12345678901234567890]`:     `["` + token + `",1.50,12345678901234567890]`,
		`{"a":["hunter2hunter2",{"b":"HUNTER2HUNTER2"}]}`: `{"a":["[redacted TOKEN]",{"b":"[redacted TOKEN]"}]}`,
	} {
		got := string(r.JSON([]byte(in)))
		if !json.Valid([]byte(got)) {
			t.Errorf("%s became %s, which is no JSON", in, got)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	var none *redact.Redactor
	if got := string(none.JSON([]byte(`{"a":"hunter2hunter2"}`))); got != `{"a":"hunter2hunter2"}` {
		t.Errorf("without values: got %s", got)
	}
}
