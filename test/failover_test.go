package test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailover_AnotherModelAnswers has the first of two providers refuse the key: the second
// answers, the first is not asked again, and the log, the API and the doctor say why.
func TestFailover_AnotherModelAnswers(t *testing.T) {
	t.Parallel()
	bad := newWorld(t, func(request) any { return http.StatusUnauthorized })
	good := newWorld(t, func(request) any { return text("The second says so.") })
	s := setup{data: t.TempDir(), env: good.env()}
	yaml := "providers:\n  - {name: first, kind: openai, base_url: " + bad.URL + "/v1, key: old, model: m}\nfailover: [openai/fake]\n"
	if err := os.WriteFile(filepath.Join(s.data, "chela.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	d := s.running(t)
	for range 2 {
		var out chatAnswer
		if d.must(t, "POST", "/api/chat", map[string]any{"text": "Who are you?", "agent": "generalist", "wait": true}, &out); out.Reply != "The second says so." {
			t.Errorf("it answers %+v", out)
		}
	}
	bad.mu.Lock()
	if len(bad.asked) != 1 || bad.asked[`0 after "Who are you?"`] != 1 {
		t.Errorf("the first was asked %v", bad.asked)
	}
	bad.mu.Unlock()
	var models []struct {
		Name    string
		Cooling []struct{ Model, Reason, Error, Until string }
	}
	if d.must(t, "GET", "/api/models", nil, &models); len(models) != 2 || len(models[0].Cooling) != 1 || models[0].Cooling[0].Model != "first/m" || models[0].Cooling[0].Reason != "auth" || len(models[1].Cooling) != 0 {
		t.Errorf("%+v", models)
	}
	var page struct{ Events []json.RawMessage }
	d.must(t, "GET", "/api/log?type=model.rotated", nil, &page)
	if len(page.Events) != 1 || !strings.Contains(string(page.Events[0]), `"from":"first/m"`) || !strings.Contains(string(page.Events[0]), `"to":"openai/fake"`) {
		t.Errorf("%s", page.Events)
	}
	out, errs, code := s.chela(t, "", "doctor")
	if code == 0 || !strings.Contains(out, "first/m is not asked until") || !strings.Contains(out, "first does not accept the key") || !strings.Contains(out, "followed by openai/fake") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	var choices struct {
		Jobs, Failover []struct{ Job, Provider, Model string }
	}
	if d.must(t, "GET", "/api/models/choices", nil, &choices); len(choices.Jobs) != 4 || choices.Jobs[0].Provider != "first" || choices.Jobs[0].Model != "m" || len(choices.Failover) != 1 || choices.Failover[0].Provider != "openai" || choices.Failover[0].Model != "fake" {
		t.Errorf("%+v", choices)
	}
	second := map[string]string{"name": "openai", "kind": "openai", "base_url": good.URL + "/v1", "model": "fake"}
	gemini := map[string]string{"name": "first", "kind": "gemini", "base_url": bad.URL, "key": "new", "model": "m"}
	if err := d.try("PUT", "/api/models", []any{gemini}, nil); err == nil || !strings.Contains(err.Error(), "openai/fake in chela.yaml") {
		t.Errorf("a set without the next in the chain: %v", err)
	}
	var kept []struct {
		HasKey bool `json:"has_key"`
	}
	same := map[string]string{"name": "first", "kind": "openai", "base_url": bad.URL + "/v1", "model": "m"}
	if d.must(t, "PUT", "/api/models", []any{same, second}, &kept); len(kept) != 2 || !kept[0].HasKey {
		t.Errorf("the key of the file, left out, did not stay: %+v", kept)
	}
	elsewhere := map[string]string{"name": "first", "kind": "openai", "base_url": good.URL + "/v1", "model": "m"}
	if err := d.try("PUT", "/api/models", []any{elsewhere, second}, nil); err == nil || !strings.Contains(err.Error(), "give the key again") {
		t.Errorf("the key of one address is sent to another: %v", err)
	}
	models = nil
	if d.must(t, "PUT", "/api/models", []any{gemini, second}, &models); len(models) != 2 || len(models[0].Cooling) != 0 {
		t.Errorf("configured anew it is well: %+v", models)
	}
	d.stop()
	s.verified(t)
}

// TestFailover_ChosenModelsStay chooses models while the daemon runs: they hold before the file, also
// after a restart, until one of them cannot be asked any more.
func TestFailover_ChosenModelsStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("So it is.") })
	s := setup{data: t.TempDir(), env: w.env()}
	if err := os.WriteFile(filepath.Join(s.data, "chela.yaml"), []byte("models: {checker: of-the-file}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type choices struct {
		Jobs []struct{ Job, Model string }
		From string
	}
	d := s.running(t)
	var got choices
	if d.must(t, "GET", "/api/models/choices", nil, &got); got.From != "file" || got.Jobs[2].Model != "of-the-file" {
		t.Errorf("%+v", got)
	}
	if err := d.try("PUT", "/api/models/choices", map[string]any{"jobs": map[string]string{}, "failover": []string{"nobody/m"}}, nil); err == nil || !strings.Contains(err.Error(), "nobody/m") {
		t.Errorf("one that cannot be asked: %v", err)
	}
	d.must(t, "PUT", "/api/models/choices", map[string]any{"jobs": map[string]string{"checker": "openai/chosen"}, "failover": []string{"openai/next"}}, nil)
	d.stop()
	d = s.running(t)
	if d.must(t, "GET", "/api/models/choices", nil, &got); got.From != "settings" || got.Jobs[2].Model != "chosen" {
		t.Errorf("after a restart: %+v", got)
	}
	d.stop()
	s.verified(t)
}
