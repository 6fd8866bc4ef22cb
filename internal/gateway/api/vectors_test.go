package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// embedding is a server that gives vectors in which cars and lorries are alike.
func embedding(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "small" {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
			return
		}
		type row struct {
			Index  int       `json:"index"`
			Vector []float32 `json:"embedding"`
		}
		out := []row{}
		for i, text := range in.Input {
			v := []float32{0.1, float32(len(text)%7) / 70, 1}
			if strings.Contains(text, "automobile") || strings.Contains(text, "lorry") {
				v = []float32{1, 0, 0}
			}
			out = append(out, row{i, v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": out, "usage": map[string]int{"prompt_tokens": 5}}) // a caller that has gone reads nothing
	}))
	t.Cleanup(s.Close)
	return s
}

// TestVectors_AreMadeAndFound: a model that is named makes vectors of what is there, finds by meaning, and is taken off again.
func TestVectors_AreMadeAndFound(t *testing.T) {
	t.Parallel()
	s := embedding(t)
	d := daemontest.Run(t, daemontest.Setup{Change: func(c *config.Config) {
		c.NoSchedules = false
		c.Providers = []model.Provider{{Name: "local", Kind: model.KindOpenAI, BaseURL: s.URL + "/v1", Model: "chat"}}
		dir := filepath.Join(c.Data, "embeddings", "bad")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Error(err)
		}
		for _, f := range []string{"model.safetensors", "tokenizer.json"} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte("{}"), 0o600); err != nil {
				t.Error(err)
			}
		}
	}})
	c := client.New(d.URL, d.Token)
	for _, text := range []string{"The automobile belongs to Bob.", "Lunch is at noon.", "The door is blue."} {
		if _, err := c.Note(t.Context(), client.NoteIn{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	name := func(model string) {
		t.Helper()
		choices, err := c.ListModelChoices(t.Context())
		if err == nil {
			choices.Named.Jobs.Embedding = model
			_, err = c.ChooseModels(t.Context(), choices.Named)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, ok func(kept, waiting int, problem string) bool) {
		t.Helper()
		for range 300 {
			v, err := c.VectorStatus(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if ok(v.Kept, v.Waiting, v.Problem) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		v, err := c.VectorStatus(t.Context())
		t.Fatalf("%s: %+v %v", what, v, err)
	}
	name("local/small")
	until("vectors are made", func(kept, waiting int, problem string) bool { return kept == 3 && waiting == 0 && problem == "" })
	found, err := c.Recall(t.Context(), client.RecallQuery{Q: "lorry owner", Limit: 1})
	if err != nil || len(found.Items) != 1 || !strings.Contains(found.Items[0].Text, "automobile") || found.Items[0].Reasons[0].Part != "vector" {
		t.Errorf("found %+v, %v", found, err)
	}
	name("static/bad")
	until("a file that cannot be read is told", func(_, _ int, problem string) bool { return strings.Contains(problem, "no file of safetensors") })
	name("static/none")
	until("a file that is missing is told", func(_, _ int, problem string) bool { return strings.Contains(problem, "There is no file") })
	name("local/large")
	until("a model that does not answer is told", func(_, _ int, problem string) bool { return problem != "" && !strings.Contains(problem, "file") })
	name("")
	until("without a model there are none", func(kept, waiting int, problem string) bool { return kept == 0 && waiting == 0 && problem == "" })
	if found, err := c.Recall(t.Context(), client.RecallQuery{Q: "lorry owner", Limit: 1}); err != nil || len(found.Items) != 0 {
		t.Errorf("without a model: found %+v, %v", found, err)
	}
}
