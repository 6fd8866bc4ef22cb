package shell_test

import (
	"strings"
	"testing"
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
