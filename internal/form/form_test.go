package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"chela/internal/fault"
	"chela/internal/form"
)

const whole = `{"type":"object","required":["name"],"properties":{
	"name":{"type":"string","title":"Your name","minLength":2,"maxLength":5},
	"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},
	"code":{"type":"string","pattern":"^[A-Z]+$"},
	"age":{"type":"integer","minimum":1,"maximum":9},"share":{"type":"number","default":0.5},"agree":{"type":"boolean","default":true},
	"status":{"type":"string","enum":["a","b"],"enumNames":["Active","Barred"],"default":"a"},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
	"tags":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y","z"]}},
	"more":{"type":"array","items":{"anyOf":[{"const":"p","title":"Pea"}]},"default":["p"]}}}`

func read(t *testing.T, schema string) form.Form {
	t.Helper()
	f, err := form.Read("Tell us.", json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestForm_Fill(t *testing.T) {
	t.Parallel()
	f := read(t, whole)
	if f.Fields[0].Name != "name" || !f.Fields[0].Required || f.Complete() {
		t.Errorf("got %+v", f.Fields)
	}
	for values, want := range map[string]string{
		`{"name":"Anna"}`: `{"agree":true,"more":["p"],"name":"Anna","share":0.5,"status":"a"}`,
		`{"name":"Anna","agree":false,"share":null,"status":"b","more":[]}`:                                                                                               `{"agree":false,"more":[],"name":"Anna","share":0.5,"status":"b"}`,
		`{"name":"Anna","mail":"a@b.example","site":"https://a.example/","day":"2026-02-28","at":"2026-02-28T10:00:00Z","code":"AB","age":3,"size":"l","tags":["x","z"]}`: `{"age":3,"agree":true,"at":"2026-02-28T10:00:00Z","code":"AB","day":"2026-02-28","mail":"a@b.example","more":["p"],"name":"Anna","share":0.5,"site":"https://a.example/","size":"l","status":"a","tags":["x","z"]}`,
	} {
		if got, err := f.Fill(json.RawMessage(values)); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", values, got, err, want)
		}
	}
	for _, wrong := range []string{
		``, `null`, `[]`, `{`, `{"name":1}`, `{"name":null}`, `{"name":"A"}`, `{"name":"Annabel"}`, `{"name":"Anna","mail":"Anna <a@b.example>"}`, `{"name":"Anna","site":"a"}`,
		`{"name":"Anna","day":"2026-02-30"}`, `{"name":"Anna","at":"now"}`, `{"name":"Anna","code":"ab"}`, `{"name":"Anna","age":1.5}`, `{"name":"Anna","age":"3"}`, `{"name":"Anna","age":0}`,
		`{"name":"Anna","age":10}`, `{"name":"Anna","age":1e999}`, `{"name":"Anna","agree":"true"}`, `{"name":"Anna","status":"c"}`, `{"name":"Anna","size":"Large"}`, `{"name":"Anna","tags":[]}`,
		`{"name":"Anna","tags":["x","x"]}`, `{"name":"Anna","tags":["x","y","z"]}`, `{"name":"Anna","tags":"x"}`, `{"name":"Anna","other":1}`,
	} {
		if got, err := f.Fill(json.RawMessage(wrong)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %s, %v, want that it does not fit", wrong, got, err)
		}
	}
}

func TestForm_Say(t *testing.T) {
	t.Parallel()
	f := read(t, whole)
	for said, want := range map[string]string{
		"name=Anna; status=barred; agree=no":       `{"agree":false,"more":["p"],"name":"Anna","share":0.5,"status":"b"}`,
		"NAME = Anna\nage=3\nsize=Large;tags=x, y": `{"age":3,"agree":true,"more":["p"],"name":"Anna","share":0.5,"size":"l","status":"a","tags":["x","y"]}`,
	} {
		raw, err := f.Say(said)
		if err == nil {
			raw, err = f.Fill(raw)
		}
		if err != nil || string(raw) != want {
			t.Errorf("%q: got %s, %v, want %s", said, raw, err, want)
		}
	}
	if _, err := f.Say("Anna"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v, want that it is not clear which field it is", err)
	}
	one := read(t, `{"type":"object","properties":{"city":{"type":"string"}}}`)
	if raw, err := one.Say("Berlin; or Bonn = b"); err != nil || string(raw) != `{"city":"Berlin; or Bonn = b"}` {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestRead_Refuses(t *testing.T) {
	t.Parallel()
	of := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	named := func(name string) string { return `{"type":"object","properties":{"` + name + `":{"type":"string"}}}` }
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf(`"f%d":{"type":"string"}`, i)
	}
	options := `"x` + strings.Repeat(`","x`, 100) + `"`
	for _, s := range []string{
		`[]`, `{"type":"array"}`, `{"type":"object","oneOf":[]}`, `{"type":"object","required":["b"],"properties":{}}`, `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
		of(`null`), of(`{}`), of(`{"type":"object","properties":{"b":{"type":"string"}}}`), of(`{"type":"array"}`), of(`{"type":"array","items":{"type":"object"}}`), of(`{"type":"array","items":{"type":"string"}}`),
		of(`{"$ref":"#/$defs/a"}`), of(`{"type":["string","null"]}`), of(`{"type":"string","enum":[1]}`), of(`{"type":"string","enum":[]}`), of(`{"type":"string","enum":[` + options + `]}`), of(`{"type":"string","format":"html"}`),
		of(`{"type":"string","pattern":"(?=a)"}`), of(`{"type":"string","minLength":5,"maxLength":1}`), of(`{"type":"string","default":1}`), of(`{"type":"string","default":"a\u200bb"}`), of(`{"type":"string","enum":["a\u202eb"]}`),
		of(`{"type":"boolean","default":"yes"}`), of(`{"type":"integer","default":1.5}`), of(`{"type":"string","contentEncoding":"base64"}`), of(`{"type":"number","pattern":"1"}`),
		`{"type":"object","properties":{"":{"type":"string"}}}`, `{"type":"object","properties":{"a\u202eb":{"type":"string"}}}`, `{"description":"` + strings.Repeat("x", 40<<10) + `"}`, strings.Repeat(`{"properties":`, 9000),
		// what looks like a secret
		named("password"), named("userPassword"), named("PASSWD"), named("api_key"), named("apiKey"), named("API-KEY"), named("key"), named("pin"), named("card_cvv"), named("token"), named("access.token"), named("otp"), named("passw0rd"), named("p4ssword"),
		of(`{"type":"string","title":"Passwort"}`), of(`{"type":"string","title":"Lösenord"}`), of(`{"type":"string","title":"P a s s w o r d"}`), of(`{"type":"string","title":"P\u0430ssw\u043erd"}`), of(`{"type":"string","title":"pass\u200bword"}`), of(`{"type":"string","title":"ＡＰＩ ｋｅｙ"}`),
		of(`{"type":"string","description":"Paste your private key here"}`), of(`{"type":"string","description":"the 密码"}`), of(`{"type":"string","title":"Mot de passe"}`), of(`{"type":"string","format":"password"}`), of(`{"type":"integer","title":"Verification code"}`),
	} {
		if f, err := form.Read("Tell us.", json.RawMessage(s)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.200s: got %+v, %v, want that it is refused", s, f, err)
		}
	}
	for _, message := range []string{"What is your password?", "Enter the Pass-Phrase", "Send us your API key.", strings.Repeat("x", 5000)} {
		if _, err := form.Read(message, json.RawMessage(of(`{"type":"string"}`))); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.100s: got %v, want that it is refused", message, err)
		}
	}
	for _, s := range []string{named("issue_key"), named("projectKey"), named("keyboard"), named("max_tokens"), named("spinning"), named("monkey"), of(`{"type":"string","title":"Compass"}`), of(`{"type":"string","title":"Keyword"}`)} {
		if _, err := form.Read("Which one?", json.RawMessage(s)); err != nil {
			t.Errorf("%s: %v, want that it is put to people", s, err)
		}
	}
}

// TestRead_Cleans shows every character, and no address that is a link.
func TestRead_Cleans(t *testing.T) {
	t.Parallel()
	f, err := form.Read("Look at [here](https://evil.example/) or www.evil.example\x1b[31m \u202egnp", json.RawMessage(`{"properties":{"a":{"type":"string","title":"two\nlines http://x","description":"a\u200bb","enum":["https://ok.example/"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	for _, bad := range []string{"https://", "http://", "www.e", "](", "\x1b", "\u202e", "\u200b"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in %q", bad, text)
		}
	}
	if strings.Contains(f.Fields[0].Title, "\n") {
		t.Errorf("a title has two lines: %q", f.Fields[0].Title)
	}
	if raw, err := f.Fill(json.RawMessage(`{"a":"https://ok.example/"}`)); err != nil || string(raw) != `{"a":"https://ok.example/"}` {
		t.Errorf("a choice is not sent as it came: %s, %v", raw, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Tell us.", whole, `{"name":"Anna"}`)
	f.Add("", `{"type":"object","properties":{"a":{"type":"string","default":"b"}}}`, ``)
	f.Fuzz(func(t *testing.T, message, schema, values string) {
		got, err := form.Read(message, json.RawMessage(schema))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("got %v, want that it is refused", err)
			}
			return
		}
		for _, r := range got.String() {
			if r != '\n' && r != '\t' && unicode.IsControl(r) {
				t.Fatalf("%q shows %q", got.String(), r)
			}
		}
		if len(got.Fields) > 20 || strings.Contains(got.Message, "://") {
			t.Fatalf("got %+v", got)
		}
		if said, err := got.Say(values); err == nil {
			_, _ = got.Fill(said) // it does not panic
		}
		raw, err := got.Fill(json.RawMessage(values))
		if err != nil {
			return
		}
		again, err := got.Fill(raw)
		if err != nil || string(again) != string(raw) {
			t.Fatalf("%s does not fit once more: %s, %v", raw, again, err)
		}
	})
}
