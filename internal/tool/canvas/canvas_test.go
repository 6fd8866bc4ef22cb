package canvas_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/run"
	"chela/internal/tool"
	toolcanvas "chela/internal/tool/canvas"
)

// shelf has one draft, and one version with another text of its file.
type shelf struct{ toolcanvas.Drafts }

func (shelf) Draft(context.Context, string) (library.WorkingDraft, error) {
	return library.WorkingDraft{Slug: "a", Draft: canvas.Draft{Source: "slug: a\nname: A\nsteps: []\n", Files: map[string]string{"notes/a.md": "Of the draft."}}}, nil
}

func (shelf) Files(context.Context, string, int) (map[string]string, error) {
	return map[string]string{"notes/a.md": "Of the version."}, nil
}

func (shelf) Check(context.Context, []byte) (*definition.Compiled, definition.Problems) {
	return nil, nil
}

// TestTools_SayWhereWordsComeFrom holds that what a draft says is data from outside, but for the files of the version
// that an instance plays; and that both are private.
func TestTools_SayWhereWordsComeFrom(t *testing.T) {
	t.Parallel()
	tools := tool.NewSet(toolcanvas.Tools(shelf{})...)
	plays := run.Run{Spec: run.Spec{Kind: instance.RunKind, Input: json.RawMessage(`{"slug":"a","version":1}`)}}
	other := run.Run{Spec: run.Spec{Kind: instance.RunKind, Input: json.RawMessage(`{"slug":"b","version":1}`)}}
	for name, c := range map[string]struct {
		tool, args string
		run        run.Run
		says       string
		outside    bool
	}{
		"a draft's file":     {"sandbox_read_file", `{"workflow":"a","path":"notes/a.md"}`, run.Run{}, "Of the draft.", true},
		"a version's file":   {"sandbox_read_file", `{"workflow":"a","path":"notes/a.md"}`, plays, "Of the version.", false},
		"another workflow's": {"sandbox_read_file", `{"workflow":"a","path":"notes/a.md"}`, other, "Of the draft.", true},
		"a draft":            {"canvas_get_state", `{"workflow":"a"}`, run.Run{}, "slug: a", true},
		"a draft's folder":   {"sandbox_list_directory", `{"workflow":"a","path":"notes"}`, run.Run{}, "a.md", true},
		"a version's folder": {"sandbox_list_directory", `{"workflow":"a"}`, plays, "notes/", false},
	} {
		found, ok := tools.Find(c.tool)
		if !ok || !found.Private {
			t.Fatalf("%s is private: %v", c.tool, ok && found.Private)
		}
		res, err := found.Call(t.Context(), tool.Call{Name: c.tool, Args: json.RawMessage(c.args), Run: c.run})
		if err != nil || !strings.Contains(res.Text, c.says) || slices.Contains(res.From, tool.FromImports) != c.outside {
			t.Errorf("%s: got %q from %v, %v", name, res.Text, res.From, err)
		}
	}
}
