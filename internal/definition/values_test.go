package definition_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"chela/internal/definition"
)

func TestTakeInputs_NoDigitIsLost(t *testing.T) {
	t.Parallel()
	d := definition.Definition{Slug: "a", Inputs: []definition.Input{
		{Name: "n", Type: definition.Integer},
		{Name: "l", Type: definition.List},
		{Name: "must", Type: definition.String, Required: true},
		{Name: "said", Type: definition.String, Required: true, Description: "What was said."},
	}}
	for raw, want := range map[string]string{
		`{"n":9007199254740991,"must":"x","said":"y"}`:      "",
		`{"n":-9007199254740991.0,"must":"x","said":"y"}`:   "",
		`{"n":9007199254740993,"must":"x","said":"y"}`:      "the input n does not fit: 9007199254740993 is beyond 9007199254740991",
		`{"n":123456789012345678901,"must":"x","said":"y"}`: "is beyond 9007199254740991",
		`{"n":-1e300,"must":"x","said":"y"}`:                "is beyond 9007199254740991",
		`{"n":1.5,"must":"x","said":"y"}`:                   "1.5 is no whole number",
		`{"n":"3","must":"x","said":"y"}`:                   `"3" is no whole number`,
		`{"l":"3","must":"x","said":"y"}`:                   `"3" is no list`,
		`{"said":"y"}`:                                      "the input must is missing",
		`{"must":"y"}`:                                      "the input said is missing: What was said.",
	} {
		var given definition.Given
		if err := json.Unmarshal([]byte(raw), &given); err != nil {
			t.Fatal(err)
		}
		_, _, err := d.TakeInputs(given)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
		if err != nil && strings.HasSuffix(err.Error(), ": ") {
			t.Errorf("%s: got %q, which ends early", raw, err)
		}
	}
}

// TestTakeInputs_NorWithinLists: what is given within a list or an object is a text when the log would cut its digits.
func TestTakeInputs_NorWithinLists(t *testing.T) {
	t.Parallel()
	d := definition.Definition{Slug: "a", Inputs: []definition.Input{{Name: "l", Type: definition.List}, {Name: "o", Type: definition.Object}, {Name: "n", Type: definition.Number}}}
	var given definition.Given
	if err := json.Unmarshal([]byte(`{"l":[9007199254740993,{"x":-12345678901234567890}],"o":{"a":12345678901234567890,"b":12345678901234567000},"n":12345678901234567890}`), &given); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"l": []any{"9007199254740993", map[string]any{"x": "-12345678901234567890"}},
		"o": map[string]any{"a": "12345678901234567890", "b": 12345678901234567000.0},
		"n": 12345678901234567890.0,
	}
	if got, _, err := d.TakeInputs(given); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v (%v), want %#v", got, err, want)
	}
}

func TestGiven_IsAnObject(t *testing.T) {
	t.Parallel()
	var got definition.Given
	if err := json.Unmarshal([]byte(`{"a":9007199254740993,"b":[1.5]}`), &got); err != nil || !reflect.DeepEqual(got, definition.Given{"a": int64(9007199254740993), "b": []any{1.5}}) {
		t.Errorf("got %#v (%v)", got, err)
	}
	if err := json.Unmarshal([]byte(`[]`), &got); err == nil {
		t.Error("a list is taken for an object")
	}
}

func TestKept_WhatTheLogWouldCutIsAText(t *testing.T) {
	t.Parallel()
	in := map[string]any{"a": []any{int64(1), int64(9007199254740993)}, "b": map[string]any{"c": int64(-9007199254740993)}, "d": nil, "e": 1e300}
	want := map[string]any{"a": []any{int64(1), "9007199254740993"}, "b": map[string]any{"c": "-9007199254740993"}, "d": nil, "e": 1e300}
	if got := definition.Kept(in); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestExpr_SaysWhichNumberIsTooLarge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${9007199254740991}":                "",
		"${9007199254740991 + 1}":            "it gives 9007199254740992, which is beyond 9007199254740991",
		"${[1, -9007199254740992]}":          "it gives -9007199254740992",
		"${18446744073709551615u}":           "it gives 18446744073709551615",
		"${string(9007199254740993)}":        "",
		"${9007199254740993 > 1 ? 'a': 'b'}": "",
	} {
		c, problems := definition.ReadFile([]byte("slug: a\nname: A\nsteps:\n  - id: a\n    transform: \"" + text + "\"\n"))
		var err error
		if problems != nil {
			err = errors.New(problems.In("f"))
		} else {
			_, err = c.Graph.Nodes[0].Args.Eval(t.Context(), nil)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
