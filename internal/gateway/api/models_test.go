package api_test

import (
	"net/http"
	"slices"
	"testing"

	"chela/internal/config"
	"chela/internal/model"
)

// TestModels_ThoseOfTheFileAreAskedAgain: models that are set hold instead of the file's, until all of them are taken out again.
func TestModels_ThoseOfTheFileAreAskedAgain(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(c *config.Config) {
		c.Providers = append(c.Providers, model.Provider{Name: "file", Kind: model.KindOpenAI, Key: "sk-file", BaseURL: "http://127.0.0.1:9/v1", Model: "gpt-test"})
	})
	named := func() (names []string) {
		var list []struct {
			Name string `json:"name"`
		}
		e.call(e.owner, http.MethodGet, "/api/models", nil, &list)
		for _, p := range list {
			names = append(names, p.Name)
		}
		return names
	}
	has := func(want string) bool { return slices.Contains(named(), want) }
	e.call(e.owner, http.MethodPut, "/api/models", []map[string]string{{"name": "mine", "kind": "openai", "key": "sk-mine", "base_url": "https://api.example.com/v1", "model": "m"}}, nil)
	if has("file") || !has("mine") {
		t.Errorf("set while running, the models are of %v", named())
	}
	e.call(e.owner, http.MethodPut, "/api/models", []map[string]string{}, nil)
	if !has("file") || has("mine") {
		t.Errorf("taken out again, the models are of %v", named())
	}
}
