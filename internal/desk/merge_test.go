package desk

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/event"
)

// mergedPlainly is what [mergePatch] makes, by decoding and encoding all of it.
func mergedPlainly(body, patch json.RawMessage) (json.RawMessage, error) {
	var old, set map[string]json.RawMessage
	if err := json.Unmarshal(body, &old); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(patch, &set); err != nil {
		return nil, err
	}
	for k, v := range set {
		if string(v) == "null" {
			delete(old, k)
		} else {
			old[k] = v
		}
	}
	raw, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	return event.Canonical(raw)
}

// TestMergePatch_IsWhatDecodingGives holds that a body into which a change is written stays canonical, whatever its members are called
// and hold.
func TestMergePatch_IsWhatDecodingGives(t *testing.T) {
	t.Parallel()
	value := rapid.SampledFrom([]string{
		`null`, `""`, `"a<b>&\u2028"`, `"\ud83d\ude00"`, `1e3`, `-0`, `0.10`, `12345678901234567890`, `{"b":1,"a":[2, {"d":null,"c":"x"}]}`, `[]`, `{ }`, `true`, "\"\\u0041\t\"", `"ÄRA"`,
	})
	object := rapid.Custom(func(t *rapid.T) string {
		members := make(map[string]json.RawMessage)
		for range rapid.IntRange(0, 6).Draw(t, "members") {
			if v := value.Draw(t, "value"); json.Valid([]byte(v)) {
				members[rapid.SampledFrom([]string{"title", "a", "b", "Z", "a b", "é", "\U0001F600", "\uFFFD", "a\"", "9", ""}).Draw(t, "name")] = json.RawMessage(v)
			}
		}
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	})
	rapid.Check(t, func(t *rapid.T) {
		body, err := event.Canonical([]byte(object.Draw(t, "body")))
		if err != nil {
			t.Skip(err)
		}
		patch := []byte(object.Draw(t, "patch"))
		got, err := mergePatch(body, patch)
		want, failed := mergedPlainly(body, patch)
		if string(got) != string(want) || (err == nil) != (failed == nil) {
			t.Fatalf("%s into %s gives\n%s, %v, want\n%s, %v", patch, body, got, err, want, failed)
		}
	})
}
