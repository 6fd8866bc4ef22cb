package guard

import (
	"regexp"
	"strings"
)

// judges returns the function that judges a program whose arguments need one.
func judges(name string) (func(*call), bool) {
	if w, ok := wrappers[name]; ok {
		return wrapped(w), true
	}
	if f := judgeOf(name); f != nil {
		return f, true
	}
	switch {
	case isShell(name):
		return shellOf, true
	case interpreter.MatchString(name):
		return interpreted, true
	}
	return nil, false
}

// judgeOf is a switch and not a table because the judges come back to it.
func judgeOf(name string) func(*call) {
	switch name {
	case "cd", "pushd", "popd", "chdir":
		return chdir
	case "eval", "source", ".":
		return evaluated
	case "xargs":
		return xargs
	case "find", "gfind":
		return find
	case "fd", "fdfind":
		return fd
	case "sed", "gsed":
		return sed
	case "awk", "gawk", "mawk", "nawk":
		return awk
	case "uniq", "xxd":
		return secondWritten
	case "rm", "srm":
		return remove
	case "cp", "install":
		return copied
	case "mv":
		return moved
	case "ln":
		return linked
	case "chmod", "chown", "chgrp", "chattr", "setfacl", "chflags":
		return owned
	case "dd":
		return dd
	case "tar", "gtar", "bsdtar":
		return tar
	case "curl":
		return curl
	case "wget":
		return wget
	case "rsync":
		return rsync
	case "ssh":
		return remoteShell
	case "scp":
		return scp
	case "less", "more", "zless", "man":
		return pager
	case "git":
		return git
	case "go":
		return goTool
	case "npm", "pnpm", "yarn":
		return npm
	case "npx", "pnpx", "bunx", "uvx", "pipx", "corepack", "uv":
		return fetched
	case "make", "gmake", "just", "task", "rake", "ninja", "cmake", "bazel", "ant", "sbt", "docker-compose":
		return maker
	case "mvn", "mvnw", "mvnd":
		return mvn
	case "gradle", "gradlew":
		return gradle
	case "cargo":
		return cargo
	case "dotnet":
		return dotnet
	case "docker", "podman":
		return docker
	case "kubectl":
		return kubectl
	case "systemctl":
		return systemctl
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "sqlcmd", "cockroach", "clickhouse-client", "redis-cli", "mongosh", "mongo", "cqlsh":
		return sql
	case "ip":
		return ip
	case "alias", "shopt", "enable", "hash", "bind", "complete", "unalias":
		return alias
	}
	return nil
}

// chdir judges cd: where the shell is after it, if it works.
func chdir(k *call) {
	k.moved = true
	args := k.args
	for len(args) > 0 && args[0].kind == exact && oneOf(args[0].text, "-P", "-L", "-e", "-@", "--") {
		args = args[1:]
	}
	switch {
	case k.name == "popd", len(args) > 0 && (args[0].text == "-" || strings.HasPrefix(args[0].text, "+") || len(args[0].text) > 1 && args[0].text[0] == '-'):
		k.x.unclear("It cannot be known which folder %s goes to.", k.name)
		k.ok = nil
	case len(args) == 0:
		k.ok = dirs{k.x.home()}
		k.x.path(literal("~"), k.in, names)
	case args[0].kind != exact || args[0].proc:
		k.x.unclear("It cannot be known which folder %s is.", args[0].src)
		k.ok = nil
	default:
		k.ok = k.x.resolve(args[0], k.in)
		k.x.path(args[0], k.in, names)
	}
}

func alias(k *call) {
	if len(k.args) == 0 || k.name == "hash" && len(k.args) == 1 && k.args[0].text == "-r" {
		return
	}
	k.x.unclear("%s changes what commands mean.", k.name)
}

// xargs runs a program with arguments that come from its input.
func xargs(k *call) {
	x := k.x
	x.r.opaque = true
	const value = "-I -n -L -P -s -E -d -a --max-args --max-lines --max-procs --max-chars --delimiter --arg-file --replace -J -R -S"
	args, nul, replace := k.args, false, ""
	for len(args) > 0 && args[0].kind == exact && len(args[0].text) > 1 && args[0].text[0] == '-' {
		name, joined, ok := strings.Cut(args[0].text, "=")
		text := args[0].text
		args = args[1:]
		switch {
		case text == "--":
		case name == "-a" || name == "--arg-file":
			x.unclear("It cannot be known what xargs reads.")
			if !ok && len(args) > 0 {
				args = args[1:]
			}
		case name == "-I" || name == "-J":
			if len(args) > 0 {
				replace, args = args[0].text, args[1:]
			}
		case strings.HasPrefix(text, "-I"):
			replace = text[2:]
		case name == "--replace" || name == "-i":
			if replace = joined; replace == "" {
				replace = "{}"
			}
		case listed(value, name, true):
			if !ok && len(args) > 0 {
				args = args[1:]
			}
		case text[1] != '-' && strings.ContainsAny(text[:2], "nLPsEd"):
		case text == "--null" || text == "--no-run-if-empty" || text[1] != '-' && strings.Trim(text, "-0rtpx") == "":
			nul = nul || strings.Contains(text, "0") || text == "--null"
		default:
			x.unclear("The option %s of xargs is not known.", text)
		}
		if text == "--" {
			break
		}
	}
	given := word{kind: unknown, src: "the input of xargs", quote: true, given: true}
	if nul && k.std.found != nil {
		given = *k.std.found
	}
	if k.std.known && k.std.text.kind == exact { // echo … | xargs
		given = word{kind: exact, text: k.std.text.text, src: k.std.text.src}
	}
	if len(args) == 0 {
		return // it prints them
	}
	words := make([]word, 0, len(args)+4)
	for _, a := range args {
		if replace != "" && strings.Contains(a.text, replace) {
			if given.kind == exact || a.text == replace {
				g := given
				if given.kind == exact {
					g.text = strings.ReplaceAll(a.text, replace, given.text)
				}
				words = append(words, g)
				continue
			}
			before, _, _ := strings.Cut(a.text, replace)
			a = word{kind: unknown, text: before, src: a.src}
		}
		words = append(words, a)
	}
	if replace == "" {
		if given.kind == exact {
			for _, f := range strings.Fields(given.text) {
				words = append(words, literal(strings.Trim(f, `'"`)))
			}
		} else {
			words = append(words, given)
		}
	}
	k.then2(words)
}

// then2 is then for a program whose input is used up.
func (k *call) then2(words []word) {
	k.nestedCall(words, input{piped: true}).run()
}

// foundBelow returns what find prints with -print0: paths below its folders. Nothing if
// that is not what it prints.
func foundBelow(args []word) *word {
	nul, root := false, "."
	for i, a := range args {
		if a.kind != exact || strings.HasPrefix(a.text, "-") && oneOf(a.text, "-exec", "-execdir", "-printf", "-print", "-follow", "-L") {
			return nil
		}
		if i == 0 && a.text != "" && a.text[0] != '-' {
			root = a.text
		} else if i > 0 && i < 4 && a.text != "" && a.text[0] != '-' && args[i-1].text[0] != '-' {
			return nil // more than one folder
		}
		nul = nul || a.text == "-print0"
	}
	if !nul || root[0] == '(' || root[0] == '!' {
		return nil
	}
	w := below(root)
	return &w
}

// below stands for any file below a folder.
func below(root string) word {
	text := strings.TrimSuffix(root, "/") + "/*"
	return word{kind: pattern, text: text, meta: len(text) - 1, src: text}
}

// find judges find: what it runs, removes and writes, and where it looks.
func find(k *call) {
	x := k.x
	args := k.args
	var roots []word
	for len(args) > 0 && args[0].kind == exact && (oneOf(args[0].text, "-H", "-L", "-P", "-E", "-X", "-s", "-d", "-x") || strings.HasPrefix(args[0].text, "-O")) {
		args = args[1:]
	}
	for len(args) > 0 && (args[0].kind != exact || args[0].text == "" || !strings.ContainsAny(args[0].text[:1], "-(!,")) {
		if args[0].mayBeOption() {
			x.unclear("%s may be an option of find, which cannot be known.", args[0].src)
		}
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []word{literal(".")}
	}
	for _, r := range roots {
		x.path(r, k.in, names)
	}
	filtered := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.kind == unknown && a.text == "" || a.kind == unknown && a.text[0] == '-' {
			x.unclear("%s may be an option of find, which cannot be known.", a.src)
		}
		switch a.text {
		case "-delete":
			x.r.writes = true
			for _, r := range roots {
				k.destroy(r, !filtered)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].text != ";" && (args[end].text != "+" || args[end-1].text != "{}") {
				end++
			}
			k.foundRun(args[i+1:end], roots, filtered, a.text)
			i = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				x.path(args[i+1], k.in, writes)
			}
			i++
		case "-files0-from":
			x.unclear("It cannot be known where find looks.")
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-size", "-user", "-ctime", "-atime", "-perm", "-empty", "-links", "-inum", "-samefile", "-amin", "-cmin":
			if a.text == "-newer" && i+1 < len(args) {
				x.path(args[i+1], k.in, names)
			}
			filtered = filtered || i+1 >= len(args) || args[i+1].kind != exact || strings.Trim(args[i+1].text, "*.") != ""
			if a.text != "-empty" {
				i++
			}
		}
	}
}

// foundRun judges what find runs for the files that it finds.
func (k *call) foundRun(words, roots []word, filtered bool, option string) {
	x := k.x
	x.r.opaque = true
	if len(words) == 0 {
		x.unclear("It cannot be known what find runs.")
		return
	}
	for _, r := range roots {
		out := make([]word, 0, len(words))
		for i, w := range words {
			switch {
			case w.text == "{}" && r.kind == exact && i > 0:
				f := r // a file of which the name is not known, or the folder itself
				if filtered || k.unharmed(words) {
					f = below(r.text)
				}
				w = f
			case strings.Contains(w.text, "{}"):
				before, _, _ := strings.Cut(w.text, "{}")
				w = word{kind: unknown, text: before, src: w.src}
			}
			out = append(out, w)
		}
		n := k.nestedCall(out, input{})
		if strings.HasSuffix(option, "dir") {
			n.in = nil
			x.unclear("It cannot be known in which folder find runs %s.", out[0].src)
		}
		n.run()
	}
}

// unharmed reports whether a program only reads its arguments.
func (k *call) unharmed(words []word) bool {
	s, ok := programs[words[0].text]
	return ok && !s.writes
}

func fd(k *call) {
	for i, a := range k.args {
		if a.mayBeOption() {
			k.x.unclear("%s may be an option of fd, which cannot be known.", a.src)
		}
		if oneOf(a.text, "-x", "-X", "--exec", "--exec-batch") || strings.HasPrefix(a.text, "--exec") {
			k.x.r.opaque = true
			if rest := k.args[i+1:]; len(rest) > 0 {
				words := append([]word{}, rest...)
				k.then2(append(words, word{kind: unknown, src: "the output of fd", quote: true, given: true}))
			}
			k.x.unclear("It cannot be known which files fd finds.")
			return
		}
		if i > 0 && a.kind != unknown && a.text != "" && a.text[0] != '-' {
			k.x.path(a, k.in, names)
		}
		if len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "xX") {
			k.x.unclear("The option %s of fd may run a program.", a.text)
		}
	}
}

// sedActs finds the commands of sed that write files or run programs: w, r and e at the
// beginning of a command, or as flags of s.
var sedActs = regexp.MustCompile(`(^|[;{}\n]|[0-9$/,!+~IM ])\s*[eWwrRF]|/[a-zA-Z0-9]*[ewW]`)

// sedPlain are scripts of which all is known: a substitution, a deletion or printing of
// addressed lines, several of them between ;.
var sedPlain = regexp.MustCompile(`^\s*(([0-9$]+(,[+~]?[0-9$]+)?|/([^/\\\n]|\\.)*/(,/([^/\\\n]|\\.)*/)?|[0-9$]+,/([^/\\\n]|\\.)*/)?\s*!?\s*([dpqlD=]|s/([^/\\\n]|\\.)*/([^/\\\n]|\\.)*/[gIip0-9]*|s\|([^|\\\n]|\\.)*\|([^|\\\n]|\\.)*\|[gIip0-9]*|s#([^#\\\n]|\\.)*#([^#\\\n]|\\.)*#[gIip0-9]*|s,([^,\\\n]|\\.)*,([^,\\\n]|\\.)*,[gIip0-9]*|y/[^/\n]*/[^/\n]*/)?\s*(;|\n|$)\s*)*$`)

func sed(k *call) {
	s := &spec{use: useRead, skip: 1, noskip: "-e -f --expression --file", value: "-l --line-length", options: "-n -r -E -s -u -z --quiet --silent --regexp-extended --separate --null-data --posix --debug --sandbox --unbuffered --help --version"}
	var scripts []word
	args, inPlace := []word{}, false
	for i := 0; i < len(k.args); i++ {
		a := k.args[i]
		switch {
		case a.kind == exact && oneOf(a.text, "-e", "--expression") && i+1 < len(k.args):
			scripts = append(scripts, k.args[i+1])
			i++
		case a.kind == exact && strings.HasPrefix(a.text, "--expression="):
			scripts = append(scripts, literal(a.text[len("--expression="):]))
		case a.kind == exact && (strings.HasPrefix(a.text, "-f") || strings.HasPrefix(a.text, "--fi")):
			k.x.unclear("What the script of sed does cannot be seen.")
			args = append(args, a)
		case a.kind == exact && (strings.HasPrefix(a.text, "--in") || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "iI")):
			inPlace = true
			if i+1 < len(k.args) && k.args[i+1].kind == exact && k.args[i+1].text == "" {
				i++ // BSD: the ending of the copies
			}
			if strings.HasSuffix(a.text, "e") && a.text[1] != '-' && i+1 < len(k.args) {
				scripts = append(scripts, k.args[i+1])
				i++
			}
		case a.kind == exact && len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.HasSuffix(a.text, "e") && i+1 < len(k.args):
			scripts = append(scripts, k.args[i+1])
			i++
		default:
			args = append(args, a)
		}
	}
	k.args = args
	p := k.parse(s)
	ops := p.operands
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, w := range scripts {
		switch {
		case w.kind == unknown || w.proc:
			k.x.unclear("What the script %s of sed does cannot be known.", w.src)
		case !sedPlain.MatchString(w.text):
			if sedActs.MatchString(w.text) {
				k.x.unclear("The script %s of sed may write files or run programs.", w.src)
				k.x.r.opaque = true
				k.asCode(word{text: sedRun(w.text)})
			} else if !strings.Contains(w.text, "\\") && strings.ContainsAny(w.text, "aic") {
				k.x.unclear("The script %s of sed is not understood.", w.src)
			} else {
				k.x.unclear("The script %s of sed is not understood.", w.src)
			}
		}
	}
	use := useRead
	if inPlace {
		k.x.r.writes, use = true, useWrite
	}
	k.operands(ops, use)
}

// sedRun returns what the command e of a script runs, roughly.
func sedRun(script string) string {
	if i := strings.LastIndex(script, "e "); i >= 0 {
		return script[i+2:]
	}
	parts := strings.Split(script, "/")
	if len(parts) > 2 {
		return parts[2]
	}
	return script
}

// awkActs finds what lets a program of awk run others or write files.
var awkActs = regexp.MustCompile(`system|getline|\||>|@|close|fflush|ENVIRON|ARGV|ARGC|/inet|printf?\s*>`)

func awk(k *call) {
	s := &spec{use: useRead, skip: 1, value: "-F -v --field-separator --assign", other: "-f --file -i --include -l --load -e --source -E --exec -o -p -d -D --pretty-print --profile --dump-variables --debug", options: "-F -v --field-separator --assign --posix --traditional --re-interval --version"}
	p := k.apply(s)
	if len(p.operands) == 0 {
		return
	}
	code := p.operands[0]
	switch {
	case code.kind == unknown || code.proc:
		k.x.unclear("What the program %s of awk does cannot be known.", code.src)
		k.x.r.opaque = true
	case awkActs.MatchString(awkComparisons.ReplaceAllString(code.text, "")):
		k.x.unclear("The program %s of awk may write files or run programs.", code.src)
		k.x.r.opaque = true
		k.asCode(code)
	}
}

// awkComparisons are uses of > and | that only compare: $3 > 5, a || b, NF>2.
var awkComparisons = regexp.MustCompile(`\|\||^\s*[$A-Za-z_0-9]+\s*>=?\s*[0-9.]+\s*($|\{|&&)`)

// secondWritten judges uniq and xxd, which write their second operand.
func secondWritten(k *call) {
	s := &spec{value: "-f -s -w -c -g -l -o -n -R --skip-fields --skip-chars --check-chars"}
	p := k.apply(s)
	for i, w := range p.operands {
		if i == 0 {
			k.x.path(w, k.in, reads)
		} else {
			k.x.path(w, k.in, writes)
		}
	}
}

func pager(k *call) {
	for _, a := range k.args {
		if strings.HasPrefix(a.text, "+") {
			k.x.unclear("%s runs %s.", k.name, a.src)
		}
	}
	if k.name == "man" {
		k.apply(&spec{use: useNothing, value: "-s -S -k -f -L", other: "-P --pager -H --html -C --config-file -M --manpath -p --preprocessor -l --local-file -R -m -T -X", options: "-a -w -K -i -I"})
		return
	}
	k.apply(&spec{use: useRead, value: "-b -h -j -x -y -z -n", write: "-o -O --log-file --LOG-FILE", other: "-k -T -t -p -P --lesskey-file --lesskey-src --lesskey-content --tag --tag-file"})
}

// Known reports whether there is a rule for what a program does with its arguments.
func Known(program string) bool {
	if s, ok := programs[program]; ok {
		return !s.unknown
	}
	_, ok := judges(program)
	return ok
}
