package shell

import (
	"path"
	"slices"
	"strings"

	"chela/internal/disk"

	"mvdan.cc/sh/v3/syntax"
)

// A call is a simple command with its words evaluated.
type call struct {
	x    *walk
	name string // of the program, without folders
	prog word
	args []word
	in   dirs
	std  input
	// ok is where the shell is after it; nil for where it was.
	ok    dirs
	moved bool
}

func (x *walk) simple(c *syntax.CallExpr, redirs []*syntax.Redirect, in dirs, std input) (ok, fail dirs) {
	cmd := Command{Literal: true}
	if len(in) == 1 {
		cmd.Dir = in[0]
	}
	for _, r := range redirs {
		cmd.Redirect = append(cmd.Redirect, x.source(r))
	}
	for _, a := range c.Assigns {
		cmd.Env = append(cmd.Env, x.source(a))
		value := x.word(a.Value, in)
		cmd.Literal = cmd.Literal && value.kind == exact && !value.proc
		if a.Array != nil || a.Index != nil {
			x.nested(a, in)
			cmd.Literal = false
		}
		x.assign(a.Name.Value, value, len(c.Args) > 0)
	}
	if len(c.Args) == 0 {
		if len(c.Assigns) > 0 {
			x.r.Commands = append(x.r.Commands, cmd)
		}
		return in, in
	}
	words := x.words(c.Args, in)
	for i, w := range words {
		cmd.Literal = cmd.Literal && w.kind != unknown && !w.proc && !w.odd
		if i > 0 {
			cmd.Args = append(cmd.Args, w.shown())
		}
	}
	cmd.Program = words[0].src
	k := &call{x: x, prog: words[0], args: words[1:], in: in, std: std}
	k.name = path.Base(words[0].text)
	cmd.Name = k.name
	x.r.Commands = append(x.r.Commands, cmd)
	k.run()
	if k.moved {
		return k.ok, in
	}
	return in, in
}

func (w word) shown() string {
	if w.kind == exact {
		return w.text
	}
	return w.src
}

// harmlessEnv are variables that change nothing but what is printed, or how a build of Go
// and its like goes about its work.
var harmlessEnv = []string{
	"LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM", "CI", "DEBUG", "VERBOSE", "V",
	"NODE_ENV", "CGO_ENABLED", "GOOS", "GOARCH", "GOARM", "GOAMD64", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GOTRACEBACK",
	"RUST_BACKTRACE", "RUST_LOG", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8",
	"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "DEBIAN_FRONTEND", "BLOCKSIZE", "POSIXLY_CORRECT", "SOURCE_DATE_EPOCH",
}

// sensitive reports whether a variable decides what programs do that are named otherwise.
func sensitive(name string) bool {
	if oneOf(name, harmlessEnv...) || strings.HasPrefix(name, "LC_") {
		return false
	}
	if c := name[0]; c >= 'a' && c <= 'z' {
		return strings.HasSuffix(name, "_proxy") || oneOf(name, "path", "fpath", "cdpath", "ifs", "precmd", "preexec")
	}
	return true
}

// assign judges an assignment: before a command every variable counts that is not known to
// be harmless, else only what the shell itself or every program goes by.
func (x *walk) assign(name string, value word, before bool) {
	if hidesCommands(value.text) {
		x.unclear("The variable %s holds commands, which the shell may run.", name)
	}
	if !sensitive(name) || value.kind == exact && oneOf(name, "PAGER", "GIT_PAGER", "MANPAGER") && oneOf(value.text, "", "cat") {
		return
	}
	if !before && !oneOf(name, "PATH", "HOME", "IFS", "CDPATH", "PWD", "OLDPWD", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND",
		"PS0", "PS4", "GLOBIGNORE", "EXECIGNORE", "SHELL", "EDITOR", "VISUAL", "PAGER", "TMPDIR", "BASH_CMDS", "BASH_ALIASES") &&
		!slices.ContainsFunc([]string{"LD_", "DYLD_", "GIT_", "GO", "PYTHON", "PERL", "RUBY", "NODE_", "JAVA", "JDK_", "MAVEN_", "LESS", "SSH_", "NPM_", "CARGO_", "RUST"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
		return
	}
	x.unclear("The variable %s may change what programs do.", name)
}

func (x *walk) declare(c *syntax.DeclClause, in dirs) {
	cmd := Command{Program: c.Variant.Value, Name: c.Variant.Value, Literal: true}
	for _, a := range c.Args {
		cmd.Args = append(cmd.Args, x.source(a))
		value := x.word(a.Value, in)
		cmd.Literal = cmd.Literal && value.kind == exact && !value.proc
		switch {
		case a.Array != nil || a.Index != nil:
			x.nested(a, in)
			cmd.Literal = false
		case a.Name == nil:
			if value.kind != exact || !strings.HasPrefix(value.text, "-") && !strings.HasPrefix(value.text, "+") {
				x.unclear("It cannot be known which variable %s is.", value.src)
			}
			continue
		}
		if a.Naked { // it may be taken away from what runs later
			x.assign(a.Name.Value, word{kind: unknown}, false)
			continue
		}
		x.assign(a.Name.Value, value, true)
	}
	x.r.Commands = append(x.r.Commands, cmd)
}

// trustedFolders hold the programs of the system.
var trustedFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/go/bin"}

// run judges the command.
func (k *call) run() {
	x := k.x
	if x.steps++; x.steps > maxSteps {
		x.unclear("The line has too many commands to be read.")
		return
	}
	if k.prog.odd {
		x.unclear("Shells differ in what %s means.", k.prog.src)
	}
	for _, a := range k.args {
		if a.odd {
			x.unclear("Shells differ in what %s means.", a.src)
		}
	}
	if k.prog.kind != exact || k.prog.text == "" || k.prog.proc {
		x.unclear("It cannot be known which program %s is.", orWords(k.prog.src, "an empty name"))
		if k.prog.net {
			x.danger("It runs what it fetched from the network.")
		}
		k.guess()
		k.leftovers()
		return
	}
	if oneOf(k.name, "test", "[", "read", "unset", "printf", "wait", "set") && slices.ContainsFunc(k.args, func(a word) bool { return strings.Contains(a.text, "[") && hidesCommands(a.text) }) {
		x.unclear("The shell may run what is in the arguments of %s.", k.name)
	}
	byName := k.name
	k.name = strings.ToLower(strings.TrimSuffix(k.name, ".exe"))
	k.dangerous()
	if judge, ok := judges(k.name); ok {
		k.foreign(byName)
		judge(k)
		return
	}
	s, ok := programs[k.name]
	if !ok {
		if version(k) {
			return
		}
		x.unclear("The program %s is not known.", byName)
		k.foreign(byName)
		k.hidden(k.args)
		k.leftovers()
		return
	}
	k.foreign(byName)
	k.apply(s)
}

// guess looks for dangers where the program is not known: what it is given may be meant
// for rm, and what gives its name may have a command in it.
func (k *call) guess() {
	k.asCode(word{text: k.prog.src})
	inner := strings.TrimSpace(strings.Trim(k.prog.src, "$()`\""))
	for _, echo := range []string{"echo ", "printf "} {
		if rest, ok := strings.CutPrefix(inner, echo); ok {
			k.asCode(word{text: "'" + rest + " " + joined(k.args).text + "'"})
		}
	}
	if slices.ContainsFunc(k.args, func(a word) bool { return strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text, "rR") }) && k.x.codes < maxCodes {
		k.x.codes++
		k.attempt(func() { k.nestedCall(append([]word{literal("rm")}, k.args...), input{}).run() })
	}
	k.hidden(k.args)
}

// foreign says when the program is not the one that its name says.
func (k *call) foreign(byName string) {
	if strings.Contains(k.prog.text, "/") && !oneOf(path.Dir(path.Clean(k.prog.text)), trustedFolders...) {
		k.executes(k.prog)
	}
	if oneOf(k.prog.text, "./gradlew", "./mvnw") {
		return // which build the project, as mvn and gradle do
	}
	if strings.Contains(k.prog.text, "/") && !oneOf(path.Dir(path.Clean(k.prog.text)), trustedFolders...) {
		k.x.unclear("The program %s is a file that may hold anything.", k.prog.text)
		k.x.path(k.prog, k.in, reads)
	}
	if byName != k.name {
		k.x.unclear("The program %s is not known; on some disks it is %s.", byName, k.name)
	}
}

// leftovers notes what looks like a path among the arguments of a program of which nothing
// is known.
func (k *call) leftovers() {
	for _, a := range k.args {
		text := a.text
		if oneOf(k.name, "docker", "podman") { // folder:place
			text, _, _ = strings.Cut(text, ":")
		}
		if i := strings.IndexByte(text, '='); i >= 0 {
			text = text[i+1:]
		}
		text = strings.TrimPrefix(text, "@")
		if a.kind == unknown || text == "" || strings.Contains(text, "://") || strings.ContainsAny(text, " \n()'\";{}$") {
			continue
		}
		if strings.ContainsAny(text, "/~") || strings.HasPrefix(text, ".") || disk.Secret(text) {
			b := a
			b.text, b.meta = text, min(max(0, a.meta-(len(a.text)-len(text))), len(text))
			k.x.path(b, k.in, reads)
		}
	}
}

// version reports whether a program is only asked for its version.
func version(k *call) bool {
	if len(k.args) != 1 || strings.Contains(k.prog.text, "/") || k.args[0].kind != exact {
		return false
	}
	switch k.args[0].text { // cargo and dotnet are missing: the project says which of them answers
	case "-version":
		return oneOf(k.name, "java", "javac")
	case "-V":
		return oneOf(k.name, "python", "python3", "curl", "wget", "psql", "ssh")
	case "--version":
		return oneOf(k.name, "python", "python3", "node", "npm", "java", "javac", "ruby", "perl", "php", "gcc", "g++", "clang", "make", "cmake", "docker",
			"kubectl", "terraform", "pip", "pip3", "deno", "bun", "tsc", "psql", "sqlite3", "curl", "wget", "bash", "zsh", "rsync", "npx", "uv", "poetry")
	}
	return false
}

func orWords(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
