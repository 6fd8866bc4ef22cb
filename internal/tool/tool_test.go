package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

type item struct {
	Name string `json:"name"`
}

type args struct {
	Title  string   `json:"title" doc:"its title"`
	Status string   `json:"status,omitempty" enum:"TODO,DONE"`
	Points *float64 `json:"points,omitempty"`
	Count  int      `json:"count,omitempty"`
	Labels []string `json:"labels,omitempty" enum:"a,b"`
	Items  []item   `json:"items,omitempty"`
	Sure   bool     `json:"sure,omitempty"`
}

func spec(name string) tool.Spec {
	return tool.Spec{Name: name, Help: "Makes one.", Risk: tool.ReadOnly, Role: org.Viewer}
}

func make1(got *args) *tool.Tool {
	return tool.Func(spec("make_one"), func(_ context.Context, _ tool.Call, in args) (map[string]string, error) {
		*got = in
		return map[string]string{"made": in.Title}, nil
	})
}

func TestTheSchemaFollowsFromTheType(t *testing.T) {
	const want = `{"type":"object","properties":{"count":{"type":"integer"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}},` +
		`"labels":{"type":"array","items":{"type":"string","enum":["a","b"]}},"points":{"type":"number"},"status":{"type":"string","enum":["TODO","DONE"]},"sure":{"type":"boolean"},"title":{"type":"string","description":"its title"}},"required":["title"],"additionalProperties":false}`
	if got := string(tool.SchemaOf[args]()); got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
}

func TestArgumentsThatDoNotFitNeverArrive(t *testing.T) {
	for in, says := range map[string]string{
		`{}`:                                  "title: The field is required",
		``:                                    "title: The field is required",
		`{"title":""}`:                        "title: The field is required",
		`{"title":"x","status":"doing"}`:      "TODO, DONE",
		`{"title":"x","labels":["a","c"]}`:    "labels.1",
		`{"title":"x","items":[{"name":""}]}`: "items.0.name",
		`{"title":"x","titel":"y"}`:           "titel",
		`{"title":5}`:                         "title",
		`{"title":"x","count":1.5}`:           "count",
		`"{\"title\":\"cut"`:                  "do not fit",
		`{"title":"x"`:                        "do not fit",
	} {
		var got args
		_, err := make1(&got).Call(t.Context(), tool.Call{Args: json.RawMessage(in)})
		if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(fault.TextOf(err), says) || got.Title != "" {
			t.Errorf("%s: %v, arrived %+v", in, err, got)
		}
	}
	var got args
	res, err := make1(&got).Call(t.Context(), tool.Call{Args: json.RawMessage(`{"title":"x","status":"DONE","labels":["b"],"points":2,"items":[{"name":"n"}]}`)})
	if err != nil || res.Text != `{"made":"x"}` || got.Status != "DONE" || *got.Points != 2 {
		t.Errorf("%+v %v %+v", res, err, got)
	}
}

func TestAnErrorIsTheTools(t *testing.T) {
	broke := errors.New("broke")
	f := tool.Func(spec("fails"), func(context.Context, tool.Call, struct{}) (string, error) { return "", broke })
	if _, err := f.Call(t.Context(), tool.Call{}); !errors.Is(err, broke) {
		t.Errorf("%v", err)
	}
}

func TestNamesAreForgiven(t *testing.T) {
	s := tool.NewSet(make1(new(args)))
	for name, found := range map[string]bool{"make_one": true, "Make_One": true, " functions.make_one": true, "make-one": true, "make one": true, "make_two": false, "": false} {
		if got, ok := s.Find(name); ok != found || ok && got.Name != "make_one" {
			t.Errorf("%q is found: %v", name, ok)
		}
	}
	if n := len(s.Of([]string{"*"})); n != 1 {
		t.Errorf("all are %d", n)
	}
	if n := len(s.Of([]string{"other"})); n != 0 {
		t.Errorf("none are %d", n)
	}
}

func TestAToolThatDeclaresTooLittleIsRefused(t *testing.T) {
	for name, s := range map[string]tool.Spec{
		"a bad name": {Name: "Make One", Help: "x", Risk: tool.ReadOnly, Role: org.Viewer},
		"no help":    {Name: "make_one", Risk: tool.ReadOnly, Role: org.Viewer},
		"no risk":    {Name: "make_one", Help: "x", Role: org.Viewer},
		"no role":    {Name: "make_one", Help: "x", Risk: tool.ReadOnly},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			tool.Func(s, func(context.Context, tool.Call, struct{}) (string, error) { return "", nil })
		}()
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"title":"x","labels":["a"],"items":[{"name":"n"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got args
		if _, err := make1(&got).Call(t.Context(), tool.Call{Args: raw}); err == nil && (got.Title == "" || got.Status != "" && got.Status != "TODO" && got.Status != "DONE") {
			t.Fatalf("%s arrived as %+v", raw, got)
		}
	})
}
