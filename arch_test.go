package chela_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rings is the map of the code, bottom first. A package may import packages of lower
// rings, and of its own ring only where listed in sideways; docs/architecture.md says
// why.
var rings = [][]string{
	{"fault", "event", "pattern", "column"},
	{"org", "route", "desk", "capacity", "drift", "flow", "forecast", "chart", "report", "extract", "wire", "query", "redact", "disk", "confusable", "shell", "netaddr", "intent", "question", "answer", "claim", "recall", "definition", "canvas", "blueprint", "editor", "review", "yamlfile", "zipfile", "form", "packed"},
	{"talk", "inbox", "session", "run", "workflow", "instance", "library", "builder", "router", "turn", "agent", "prompt", "model", "tool", "guard", "approval", "contract", "clerk", "memory", "distill", "document", "artifact", "stream", "intake", "findings", "notify", "ask", "schedule", "budget", "meter", "hook", "trace", "channel", "markup", "transcription", "webhook", "mcp", "skill", "vector", "stash", "worker", "backup", "tracker"},
	{"store", "gateway", "telemetry", "vault"},
	{"config", "daemon", "scenario", "story", "cli"},
	{kits},
}

// sideways lists the allowed imports within a ring.
var sideways = map[string]string{
	"event":         "fault",
	"route":         "org",
	"desk":          "org query",
	"capacity":      "desk",
	"drift":         "desk capacity flow",
	"flow":          "desk",
	"forecast":      "desk",
	"chart":         "desk packed",
	"report":        "chart flow capacity desk forecast",
	"extract":       "desk",
	"question":      "desk query",
	"answer":        "question desk query capacity flow forecast",
	"claim":         "answer question desk query",
	"recall":        "query",
	"intent":        "query",
	"definition":    "yamlfile",
	"canvas":        "definition yamlfile",
	"blueprint":     "canvas definition",
	"builder":       "agent instance library model prompt router run session",
	"run":           "stream",
	"shell":         "disk confusable",
	"form":          "confusable",
	"guard":         "tool",
	"tool":          "run",
	"approval":      "run",
	"budget":        "run approval",
	"mcp":           "inbox prompt run session tool worker",
	"backup":        "artifact",
	"skill":         "tool",
	"prompt":        "model",
	"session":       "model artifact",
	"meter":         "budget model prompt run",
	"memory":        "clerk",
	"distill":       "agent budget clerk memory meter model prompt run session",
	"clerk":         "contract stash",
	"agent":         "contract skill memory meter run model tool guard approval session prompt stream artifact budget hook",
	"workflow":      "run agent",
	"instance":      "contract run agent approval model prompt",
	"library":       "agent contract run instance schedule tool",
	"findings":      "clerk run",
	"webhook":       "artifact inbox run tool",
	"tracker":       "artifact run",
	"notify":        "approval clerk run session tool tracker schedule",
	"router":        "library run agent session prompt model",
	"turn":          "workflow router run agent session prompt model",
	"intake":        "workflow findings run agent clerk document artifact stream prompt model",
	"ask":           "meter model clerk prompt run agent budget",
	"talk":          "inbox run agent session stream tool model meter budget prompt artifact",
	"inbox":         "run session hook approval",
	"transcription": "meter agent artifact budget inbox model run session",
	"schedule":      "run inbox prompt clerk session tool",
	"channel":       "run inbox session approval artifact markup stream",
	"vector":        "agent budget memory meter model prompt run",
	"worker":        "run",
	"trace":         "run agent tool approval session prompt hook router mcp worker",
	"daemon":        "config",
	"scenario":      "daemon config",
	"story":         "daemon config",
	"cli":           "config daemon scenario story",
}

// parsers lists the modules of others that a rule may import: they turn text into values, and do
// no I/O. The grammar of shells, the registries of addresses,
// the forms of letters and the stemmers of languages are too large to keep here.
var parsers = map[string][]string{
	"definition": {
		"cel.dev/cel-go/cel", "cel.dev/cel-go/common/ast", "cel.dev/cel-go/common/types", "cel.dev/cel-go/common/types/ref", "cel.dev/cel-go/common/types/traits", "cel.dev/cel-go/ext", "cel.dev/cel-go/interpreter",
		"github.com/goccy/go-yaml/ast",
		"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text/language", "golang.org/x/text/message",
	},
	"canvas": {"github.com/aymanbagabas/go-udiff", "github.com/goccy/go-yaml/ast", "github.com/goccy/go-yaml/token"},
	"yamlfile": {
		"github.com/goccy/go-yaml", "github.com/goccy/go-yaml/ast", "github.com/goccy/go-yaml/lexer", "github.com/goccy/go-yaml/parser", "github.com/goccy/go-yaml/token",
	},
	"shell": {"mvdan.cc/sh/v3/syntax"},
	"desk":  {"golang.org/x/text/unicode/norm"},
	"recall": {
		"github.com/blevesearch/snowballstem", "github.com/blevesearch/snowballstem/english", "github.com/blevesearch/snowballstem/french",
		"github.com/blevesearch/snowballstem/german", "github.com/blevesearch/snowballstem/spanish",
	},
	"editor":  {"github.com/tailscale/hujson"},
	"netaddr": {"code.dny.dev/ssrf", "golang.org/x/net/idna"},
}

const module = "chela/internal/"

// kits is the room of the fakes and of the suites that several packages pass. It lies
// above every other, so nothing but a test may import it.
const kits = "testkit"

// place returns the ring of a package: a folder below an engine package implements it
// for one vendor and is an edge.
func place(t *testing.T, ring map[string]int, path string) (top string, r int) {
	t.Helper()
	top, _, nested := strings.Cut(path, "/")
	r, ok := ring[top]
	if !ok {
		t.Errorf("%s has no ring; add it to the map", top)
	}
	if nested && r == 2 {
		r = 3
	}
	return top, r
}

// ringOf maps each package at the top to its ring.
func ringOf() map[string]int {
	ring := make(map[string]int)
	for i, names := range rings {
		for _, n := range names {
			ring[n] = i
		}
	}
	return ring
}

func TestArch_Rings(t *testing.T) {
	t.Parallel()
	ring := ringOf()
	err := filepath.WalkDir("internal", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(filepath.ToSlash(file), "internal/")))
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			checkImport(t, ring, file, from, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTestkit_StaysOutOfTheProduct(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"cmd", "demo", "internal", "web"} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || filepath.ToSlash(file) == "internal/"+kits) {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, imp := range f.Imports {
				if strings.HasPrefix(imp.Path.Value, `"`+module+kits) {
					t.Errorf("%s imports %s; only tests may", file, imp.Path.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkImport(t *testing.T, ring map[string]int, file, from, path string) {
	t.Helper()
	fromTop, fromRing := place(t, ring, from)
	to, ours := strings.CutPrefix(path, module)
	if !ours {
		if fromRing <= 1 && strings.Contains(path, ".") && !slices.Contains(parsers[fromTop], path) {
			t.Errorf("%s: ring %d is pure Go; it may not import %s", file, fromRing, path)
		}
		if fromRing <= 1 && (path == "database/sql" || path == "net/http" || path == "os" && !strings.Contains(file, "fault/point")) {
			t.Errorf("%s: ring %d does no I/O; it may not import %s", file, fromRing, path)
		}
		return
	}
	toTop, toRing := place(t, ring, to)
	if strings.HasPrefix(from, "tool/") && toTop == "guard" {
		t.Errorf("%s: a tool may not import %s: what it needs of the rules lies below both, in shell, netaddr and disk", file, to)
	}
	if toTop == fromTop && siblings(from, to) {
		t.Errorf("%s may not import its sibling %s", file, to)
	}
	if toTop == fromTop || toRing < fromRing {
		return
	}
	if toRing == fromRing && strings.Contains(" "+sideways[fromTop]+" ", " "+toTop+" ") {
		return
	}
	t.Errorf("%s (ring %d) may not import %s (ring %d)", file, fromRing, to, toRing)
}

// shared are the packages that other folders of their room may import.
var shared = []string{"channel/httpcall"}

// siblings reports whether a and b are different folders below one package, neither
// below the other's, and b is not shared. The kits of tests may share one another.
func siblings(a, b string) bool {
	top, as, aNested := strings.Cut(a, "/")
	_, bs, bNested := strings.Cut(b, "/")
	return top != kits && !slices.Contains(shared, b) && aNested && bNested && as != bs && !strings.HasPrefix(bs, as+"/")
}
