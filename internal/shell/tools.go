package shell

import (
	"slices"
	"strings"

	"chela/internal/pattern"
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
	case "date":
		return date
	case "read", "unset":
		return reading
	case "jq":
		return jq
	case "uniq":
		return secondWritten
	case "xxd":
		return dumped
	case "printf":
		return formatted
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
	case "systemctl":
		return systemctl
	case "alias", "shopt", "enable", "hash", "bind", "complete", "unalias":
		return alias
	}
	return judgeOfElsewhere(name)
}

// judgeOfElsewhere is judgeOf for programs that reach what is not on this disk.
func judgeOfElsewhere(name string) func(*call) {
	switch name {
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
	case "docker", "podman":
		return docker
	case "kubectl":
		return kubectl
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "sqlcmd", "cockroach", "clickhouse-client", "redis-cli", "mongosh", "mongo", "cqlsh":
		return sql
	case "ip":
		return ip
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

// sedActs finds the commands of sed that write files or run programs: w, r and e at the
// beginning of a command, or as flags of s.
var sedActs = pattern.New(`(^|[;{}\n]|[0-9$/,!+~IM ])\s*[eWwrRF]|/[a-zA-Z0-9]*[ewW]`)

// sedPlain are scripts of which all is known: a substitution, a deletion or printing of
// addressed lines, several of them between ;.
var sedPlain = pattern.New(`^\s*(([0-9$]+(,[+~]?[0-9$]+)?|/([^/\\\n]|\\.)*/(,/([^/\\\n]|\\.)*/)?|[0-9$]+,/([^/\\\n]|\\.)*/)?\s*!?\s*([dpqlD=]|s/([^/\\\n]|\\.)*/([^/\\\n]|\\.)*/[gIip0-9]*|s\|([^|\\\n]|\\.)*\|([^|\\\n]|\\.)*\|[gIip0-9]*|s#([^#\\\n]|\\.)*#([^#\\\n]|\\.)*#[gIip0-9]*|s,([^,\\\n]|\\.)*,([^,\\\n]|\\.)*,[gIip0-9]*|y/[^/\n]*/[^/\n]*/)?\s*(;|\n|$)\s*)*$`)

// sedBrackets are sets of characters in which a delimiter may count or not.
var sedBrackets = pattern.New(`\[[^\]]*[/|#,]`)

func sed(k *call) {
	s := &spec{use: useRead, skip: 1, noskip: "-e -f --expression --file", value: "-l --line-length", mutate: "-i --in-place", options: "-n -r -E -s -u -z --quiet --silent --regexp-extended --separate --null-data --posix --debug --sandbox --unbuffered --help --version"}
	k.scriptFiles()
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
		case !sedPlain.MatchString(w.text) || sedBrackets.MatchString(w.text):
			if sedActs.MatchString(w.text) {
				k.x.unclear("The script %s of sed may write files or run programs.", w.src)
				k.x.r.opaque = true
				k.asCode(word{text: sedRun(w.text)})
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

// scriptFiles notes the files in which the program of sed or awk is.
func (k *call) scriptFiles() {
	for i, a := range k.args {
		switch {
		case i > 0 && oneOf(k.args[i-1].text, "-f", "--file"):
			k.executes(a)
		case strings.HasPrefix(a.text, "-f"):
			k.executes(a.after(2))
		case strings.HasPrefix(a.text, "--file="):
			k.executes(a.after(len("--file=")))
		}
	}
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
var awkActs = pattern.New(`system|getline|\||>|@|close|fflush|ENVIRON|ARGV|ARGC|/inet|printf?\s*>`)

func awk(k *call) {
	s := &spec{use: useRead, skip: 1, value: "-F -v --field-separator --assign", other: "-f --file -i --include -l --load -e --source -E --exec -o -p -d -D --pretty-print --profile --dump-variables --debug", options: "-F -v --field-separator --assign --posix --traditional --re-interval --version"}
	k.scriptFiles()
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
var awkComparisons = pattern.New(`\|\||^\s*[$A-Za-z_0-9]+\s*>=?\s*[0-9.]+\s*($|\{|&&)`)

// date judges date: what is not a format sets the clock.
func date(k *call) {
	k.args = slices.DeleteFunc(slices.Clone(k.args), func(a word) bool {
		return a.kind == exact && oneOf(a.text, "-I", "-Idate", "-Ihours", "-Iminutes", "-Iseconds", "-Ins")
	})
	p := k.apply(&spec{use: useNothing, value: "-d --date -r --reference -v", read: "-f --file", other: "-s --set", options: "-j -n -R -u --debug --iso-8601 --rfc-email --rfc-3339 --utc --universal --help --version"})
	for _, w := range p.operands {
		if !strings.HasPrefix(w.text, "+") {
			k.x.unclear("date may set the clock to %s.", w.src)
		}
	}
}

// reading judges read and unset, which change the variables that they are given.
func reading(k *call) {
	p := k.apply(&spec{use: useNothing, value: "-p -n -N -d -t -u -i", other: "-a", options: "-e -E -f -r -s -v"})
	for _, w := range p.operands {
		if w.kind != exact || w.text == "" {
			k.x.unclear("It cannot be known which variable %s is.", w.src)
			continue
		}
		k.x.assign(w.text, word{kind: unknown}, false)
	}
}

// jq judges jq: some of its options take a name before their file.
func jq(k *call) {
	args := make([]word, 0, len(k.args))
	for i := 0; i < len(k.args); i++ {
		a := k.args[i]
		switch {
		case oneOf(a.text, "--arg", "--argjson"):
			i += 2
		case oneOf(a.text, "--slurpfile", "--rawfile", "--argfile") && i+2 < len(k.args):
			k.x.path(k.args[i+2], k.in, reads)
			i += 2
		default:
			args = append(args, a)
		}
	}
	k.args = args
	k.apply(&spec{use: useRead, skip: 1, noskip: "-f --from-file", value: "--indent", read: "-f --from-file -L", options: "-n -r -j -a -b -c -C -M -s -S -e -R -h -V --tab --stream --stream-errors --seq --args --jsonargs --null-input --raw-output --raw-output0 --join-output --ascii-output --compact-output --color-output --monochrome-output --slurp --sort-keys --exit-status --raw-input --unbuffered --help --version"})
}

// formatted judges printf, of which only what is first may be an option.
func formatted(k *call) {
	if len(k.args) == 0 {
		return
	}
	if first := k.args[0]; first.mayBeOption() || strings.HasPrefix(first.text, "-") && !oneOf(first.text, "-", "--") {
		k.x.unclear("%s may be an option of printf, with which it changes a variable.", first.src)
	}
}

// dumped judges xxd, which reads its first operand and writes the second. What follows the
// first is no option any more.
func dumped(k *call) {
	for i := 0; i < len(k.args); i++ {
		a := k.args[i]
		switch {
		case a.mayBeOption():
			k.x.unclear("%s may be an option of xxd, which cannot be known.", a.src)
			return
		case len(a.text) > 1 && a.text[0] == '-' && oneOf(a.text, "-c", "-cols", "-g", "-groupsize", "-l", "-len", "-n", "-o", "-s", "-skip", "-seek"):
			i++
		case len(a.text) > 1 && a.text[0] == '-' && (oneOf(a.text, "-a", "-b", "-C", "-d", "-e", "-E", "-h", "-i", "-p", "-ps", "-r", "-u", "-v", "-version") || oneOf(a.text[:2], "-c", "-g", "-l", "-o", "-s")):
		case len(a.text) > 1 && a.text[0] == '-':
			k.x.unclear("The option %s of xxd is not known.", a.src)
		default:
			k.x.path(a, k.in, reads)
			for _, out := range k.args[i+1:] {
				k.x.path(out, k.in, writes)
			}
			return
		}
	}
}

// secondWritten judges uniq, which writes its second operand.
func secondWritten(k *call) {
	p := k.apply(&spec{value: "-f -s -w --skip-fields --skip-chars --check-chars", options: "-# -c -d -D -i -u -z --count --repeated --all-repeated --group --ignore-case --unique --zero-terminated --help --version"})
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
	k.apply(&spec{use: useRead, value: "-b -h -j -x -y -z", options: "-# -a -c -d -e -E -f -F -g -G -i -I -J -K -l -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X --quit-if-one-screen --RAW-CONTROL-CHARS --raw-control-chars --chop-long-lines --ignore-case --LINE-NUMBERS --line-numbers --no-init --quit-at-eof --QUIT-AT-EOF --squeeze-blank-lines --help --version", write: "-o -O --log-file --LOG-FILE", other: "-k -T -t -p -P --lesskey-file --lesskey-src --lesskey-content --tag --tag-file"})
}
