package guard_test

import (
	"strings"
	"testing"

	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// TestShell_ScriptsAreNamed: what a line runs of the disk is known, so that an approval can be
// bound to what is in it.
func TestShell_ScriptsAreNamed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ls":                              "",
		"cat deploy.sh":                   "",
		"sh deploy.sh":                    "/srv/app/deploy.sh",
		"bash -eu ./deploy.sh a b":        "/srv/app/deploy.sh",
		"cd ops && sh deploy.sh":          "/srv/app/ops/deploy.sh",
		"./build.sh --fast":               "/srv/app/build.sh",
		"ops/build.sh && ls":              "/srv/app/ops/build.sh",
		"timeout 5 ./build.sh":            "/srv/app/build.sh",
		"env A=b nohup ./build.sh":        "/srv/app/build.sh",
		"sh -c './build.sh; . ./env.sh'":  "/srv/app/build.sh /srv/app/env.sh",
		"source env.sh":                   "/srv/app/env.sh",
		"python x.py data.csv":            "/srv/app/x.py",
		"python3 -u x.py":                 "/srv/app/x.py",
		"python3 -c 'print(1)' x.py":      "",
		"python3 -m pytest tests":         "",
		"node --require ./hook.js app.js": "/srv/app/hook.js /srv/app/app.js",
		"java -jar app.jar":               "/srv/app/app.jar",
		"perl x.pl < in":                  "/srv/app/x.pl",
		"make":                            "/srv/app/GNUmakefile /srv/app/makefile /srv/app/Makefile",
		"make -f rules.mk all":            "/srv/app/rules.mk",
		"make -frules.mk":                 "/srv/app/rules.mk",
		"make -C sub -f rules.mk":         "/srv/app/sub/rules.mk",
		"make -f rules.mk -C sub":         "/srv/app/sub/rules.mk",
		"make --makefile=rules.mk":        "/srv/app/rules.mk",
		"npm run build":                   "/srv/app/package.json",
		"./gradlew build":                 "/srv/app/gradlew",
		"go run x.go":                     "/srv/app/x.go",
		"sh < deploy.sh":                  "/srv/app/deploy.sh",
		"cat deploy.sh | bash":            "/srv/app/deploy.sh",
		"cat x.py | python3":              "/srv/app/x.py",
		"find . -exec ./x.sh {} ;":        "/srv/app/x.sh",
		"ls | xargs ./x.sh":               "/srv/app/x.sh",
		"awk -f x.awk in":                 "/srv/app/x.awk",
		"sed -f x.sed in":                 "/srv/app/x.sed",
		"/usr/bin/ls":                     "",
		"sh $X":                           "",
	} {
		if got := strings.Join(ann().Read(line).Scripts, " "); got != want {
			t.Errorf("%q runs %q, want %q", line, got, want)
		}
	}
}

// TestDecide_AlwaysHoldsForTheFolderItself: what was allowed for always in a folder is not
// allowed in another to which a link of that name leads now.
func TestDecide_AlwaysHoldsForTheFolderItself(t *testing.T) {
	t.Parallel()
	agent := org.Agent{Card: org.Card{AgentID: "agent:coder"}}
	agent.Enabled, agent.Tools, agent.Permissions = true, []string{"*"}, org.Permissions{Shell: true, File: true}
	for to, want := range map[string]guard.Verdict{"/srv/app/a": guard.Allow, "/srv/app/b": guard.Ask} {
		d := guard.Decide(guard.Request{
			Tool: tool.Spec{Name: "shell_exec", Risk: tool.ExecShell, Role: org.Editor}, Agent: agent, Who: guard.Caller{Role: org.Editor}, Folders: work(),
			Act:      tool.Act{Risk: tool.ExecShell, Dir: "/srv/app/link", Command: "go test ./..."},
			Standing: []guard.Allowance{{ID: "alw_1", Agent: "agent:coder", Tool: "shell_exec", Shape: "go test ./...", Folder: "/srv/app/a"}},
			Links: func(path string) (string, error) {
				return strings.Replace(path, "/srv/app/link", to, 1), nil
			},
		})
		if d.Verdict != want {
			t.Errorf("with a link to %s: %+v, want %s", to, d, want)
		}
	}
}
