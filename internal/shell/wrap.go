package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A wrapper runs the program that its arguments name.
type wrapper struct {
	value   string // options that take a value
	alone   string // options that do not
	skip    int    // operands before the program
	env     bool   // assignments may stand before the program
	unclear string // a sentence, if what it runs is run in another way
}

var wrappers = map[string]wrapper{
	"command":          {alone: "-p"},
	"builtin":          {},
	"exec":             {value: "-a", alone: "-l"},
	"nohup":            {},
	"nice":             {value: "-n --adjustment"},
	"ionice":           {value: "-c -n --class --classdata", alone: "-t"},
	"chrt":             {value: "-T -P -D", alone: "-b -f -i -o -r -v", skip: 1},
	"taskset":          {alone: "-c -a", skip: 1},
	"timeout":          {value: "-k -s --kill-after --signal", alone: "--foreground --preserve-status -v --verbose", skip: 1},
	"gtimeout":         {value: "-k -s --kill-after --signal", alone: "--foreground --preserve-status -v --verbose", skip: 1},
	"time":             {value: "-f --format", alone: "-p -v --verbose -q --quiet"},
	"stdbuf":           {value: "-i -o -e --input --output --error"},
	"unbuffer":         {alone: "-p"},
	"setsid":           {alone: "-c -f -w --ctty --fork --wait"},
	"catchsegv":        {},
	"env":              {alone: "-0 --null -v --debug", env: true},
	"busybox":          {},
	"toybox":           {},
	"watch":            {value: "-n --interval -q --equexit", alone: "-d -t -b -e -g -c -p -x --differences --no-title --beep --errexit --chgexit --color --precise --exec"},
	"noglob":           {},
	"nocorrect":        {},
	"caffeinate":       {value: "-t -w", alone: "-d -i -m -s -u"},
	"xvfb-run":         {value: "-n -s", alone: "-a"},
	"dbus-run-session": {},
	"faketime":         {skip: 1},
	"sudo":             {value: "-u -g -h -p -C -r -t -T -U -D -R --user --group --prompt --chdir --chroot", alone: "-n -E -H -S -k -K -b -A -i -s -v -l --non-interactive --preserve-env --login", env: true, unclear: "It runs as another user."},
	"doas":             {value: "-u -C", alone: "-n -s -L", unclear: "It runs as another user."},
	"pkexec":           {value: "--user", unclear: "It runs as another user."},
	"runuser":          {value: "-u", unclear: "It runs as another user."},
	"gosu":             {skip: 1, unclear: "It runs as another user."},
	"chroot":           {value: "--userspec --groups", skip: 1, unclear: "It runs in another root folder."},
	"unshare":          {value: "-S -G -R -w", alone: "-r -m -n -p -f -u -i -U -c", unclear: "It runs in other namespaces."},
	"nsenter":          {value: "-t -S -G", alone: "-m -n -p -u -i -U -a", unclear: "It runs in other namespaces."},
	"strace":           {value: "-e -o -p -s -u -P -E", alone: "-f -c -t -v -q -y", unclear: "It can change what the program does."},
	"ltrace":           {value: "-e -o -p -s -u", alone: "-f -c -t", unclear: "It can change what the program does."},
	"valgrind":         {unclear: "Its options can run programs."},
	"script":           {value: "-c --command", alone: "-q -e -a -f", skip: 1, unclear: "It runs a shell."},
	"flock":            {value: "-w -E -c", alone: "-n -s -x -u -o", skip: 1, unclear: "It runs a program while it holds a lock."},
	"parallel":         {value: "-j -n -N -I -a --jobs --max-args --joblog --results --colsep --delay --timeout", alone: "-k -0 -v -X -m --keep-order --bar --progress --dry-run --halt --null --will-cite", unclear: "What parallel adds to the command is not known."},
	"entr":             {alone: "-c -d -n -p -r -s -z", unclear: "It runs a program again and again."},
	"coproc":           {unclear: "The line starts a co-process."},
	"mise":             {skip: 1, unclear: "It runs a program in an environment of its own."},
	"direnv":           {skip: 2, unclear: "It runs a program in an environment of its own."},
	"asdf":             {skip: 1, unclear: "It runs a program in an environment of its own."},
	"dotenv":           {value: "-f -e", unclear: "It runs a program in an environment of its own."},
	"trap":             {unclear: "What a trap runs is run later."},
}

// wrapped judges a program that runs another one, by that one.
func wrapped(w wrapper) func(*call) {
	return func(k *call) {
		k.x.r.opaque = true
		if w.unclear != "" {
			k.x.unclear("%s", w.unclear)
			k.hidden(k.args)
		}
		if k.name == "exec" && len(k.args) == 0 {
			return
		}
		rest, ok := k.wrappedArgs(w)
		if !ok {
			return
		}
		if (k.name == "command" || k.name == "type") && len(rest) == 0 {
			return
		}
		if k.name == "watch" || k.name == "parallel" || k.name == "trap" { // these join the words and give them to a shell
			k.shellCode(joined(rest), "What "+k.name+" runs")
			return
		}
		if k.name == "doas" || k.name == "sudo" {
			for len(rest) > 0 && rest[0].kind == exact && isAssignment(rest[0].text) {
				rest = rest[1:]
			}
		}
		k.then(rest)
	}
}

// wrappedArgs returns the program and its arguments.
func (k *call) wrappedArgs(w wrapper) ([]word, bool) {
	args := k.args
	for len(args) > 0 {
		a := args[0]
		text := a.text
		switch {
		case a.kind != exact && a.mayBeOption():
			return args, true
		case text == "--":
			args = args[1:]
			return k.operandsBefore(args, w), true
		case len(text) < 2 && text != "-" || text[0] != '-':
			return k.operandsBefore(args, w), true
		}
		name, value, joined := strings.Cut(text, "=")
		args = args[1:]
		switch {
		case k.name == "env" && (name == "-S" || name == "--split-string" || strings.HasPrefix(text, "-S")):
			v := word{kind: a.kind, text: strings.TrimPrefix(text, "-S")}
			if name == "-S" && len(args) > 0 {
				v, args = args[0], args[1:]
			} else if joined && name != "-S" {
				v.text = value
			}
			k.shellCode(joinedCode(v, args), "What env -S runs")
			return nil, false
		case k.name == "env" && (name == "-C" || name == "--chdir"):
			k.x.unclear("env changes the folder.")
			k.in = nil
			if !joined && len(args) > 0 {
				args = args[1:]
			}
		case k.name == "env" && !oneOf(name, "-0", "--null", "-v", "--debug"):
			k.x.unclear("The option %s of env takes variables away from what it runs, or is not known.", text)
			if oneOf(text, "-u", "--unset") && len(args) > 0 {
				args = args[1:]
			}
		case (k.name == "command" || k.name == "exec") && (text == "-v" || text == "-V"):
			return nil, true
		case oneOf(text, "-c", "--command") && oneOf(k.name, "script", "runuser", "flock") && len(args) > 0:
			k.shellCode(args[0], "What "+k.name+" runs")
			return nil, false
		case k.name == "time" && (name == "-o" || name == "--output" || name == "-a" || name == "--append"):
			if !joined && strings.HasPrefix(strings.TrimLeft(name, "-"), "o") && len(args) > 0 {
				k.x.path(args[0], k.in, writes)
				args = args[1:]
			}
		case listed(w.value, name, true):
			if !joined && len(args) > 0 {
				args = args[1:]
			}
		case len(text) > 2 && text[1] != '-' && listed(w.value, text[:2], true): // -n5
		case len(text) > 2 && text[1] != '-' && k.cluster(w, text):
			if last := "-" + text[len(text)-1:]; listed(w.value, last, true) && len(args) > 0 {
				args = args[1:]
			}
		case !listed(w.alone, name, true) && !numbered(text):
			k.x.unclear("The option %s of %s is not known.", text, k.name)
		}
	}
	return nil, true
}

func joinedCode(v word, rest []word) word { return joined(append([]word{v}, rest...)) }

// cluster reports whether text is several known options in one, the last of which may take
// a value.
func (k *call) cluster(w wrapper, text string) bool {
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		if !listed(w.alone, name, true) && (i < len(text)-1 || !listed(w.value, name, true)) {
			return false
		}
	}
	return true
}

func numbered(s string) bool { return strings.Trim(s, "-+0123456789") == "" }

// operandsBefore drops what stands before the program.
func (k *call) operandsBefore(args []word, w wrapper) []word {
	for w.env && len(args) > 0 && args[0].kind != globbed && isAssignment(args[0].text) {
		name, value, _ := strings.Cut(args[0].text, "=")
		k.x.assign(name, word{text: value, kind: args[0].kind}, true)
		args = args[1:]
	}
	return args[min(w.skip, len(args)):]
}

func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// then judges the program that words name, in place of this one.
func (k *call) then(words []word) {
	if len(words) == 0 {
		if k.name == "env" {
			return // it prints the environment
		}
		k.x.unclear("It cannot be known what %s runs.", k.name)
		return
	}
	k.nestedCall(words, k.std).run()
}

func (k *call) nestedCall(words []word, std input) *call {
	cmd := Command{Program: words[0].src, Literal: true}
	if len(k.in) == 1 {
		cmd.Dir = k.in[0]
	}
	for i, w := range words {
		cmd.Literal = cmd.Literal && w.kind != unknown && !w.proc && !w.odd
		if i > 0 {
			cmd.Args = append(cmd.Args, w.shown())
		}
	}
	n := &call{x: k.x, prog: words[0], args: words[1:], in: k.in, std: std}
	n.name = words[0].text[strings.LastIndexByte(words[0].text, '/')+1:]
	cmd.Name = n.name
	k.x.r.Commands = append(k.x.r.Commands, cmd)
	return n
}

// shellCode reads a word that is run by a shell.
func (k *call) shellCode(w word, what string) {
	k.x.r.opaque = true
	if w.kind != exact || w.proc {
		k.x.unclear("%s is not literal: it cannot be read.", what)
		if w.net {
			k.x.danger("It runs what it fetched from the network.")
		}
		k.asCode(word{text: w.src})
		if w.text == "" {
			return
		}
	}
	k.x.code(w.text, k.in, what)
}

// shellOf judges a shell: what it is given to run is read.
func shellOf(k *call) {
	x := k.x
	x.r.opaque = true
	if !oneOf(k.name, "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash") {
		x.unclear("What %s runs is written in another language.", k.name)
	}
	code := false
	args := k.args
	for len(args) > 0 {
		a := args[0]
		if a.kind != exact {
			if a.mayBeOption() {
				x.unclear("%s may be an option of %s, which cannot be known.", a.src, k.name)
			}
			break
		}
		if len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '+' {
			break
		}
		args = args[1:]
		if a.text == "--" {
			break
		}
		if strings.HasPrefix(a.text, "--") {
			if !oneOf(a.text, "--norc", "--noprofile", "--posix", "--restricted", "--verbose", "--version", "--help") {
				x.unclear("With %s, %s runs what a file says.", a.text, k.name)
			}
			continue
		}
		code = code || strings.Contains(a.text, "c")
		if strings.ContainsAny(a.text, "li") {
			x.unclear("With %s, %s first runs the files of its owner.", a.text, k.name)
		}
		if strings.ContainsAny(a.text, "oO") && len(args) > 0 {
			args = args[1:]
		}
	}
	switch {
	case code && len(args) > 0:
		k.shellCode(args[0], "What "+k.name+" -c runs")
		k.hidden(args[1:])
	case code:
		x.unclear("It cannot be known what %s runs.", k.name)
	case len(args) > 0:
		k.script(args[0])
	default:
		k.fromInput()
	}
}

// executes notes that what is in the file w is run.
func (k *call) executes(w word) {
	if w.kind != exact || w.proc || w.text == "" || w.text == "-" {
		return
	}
	for _, p := range k.x.resolve(w, k.in) {
		if filepath.IsAbs(p) && !quietDevice(p) && !slices.Contains(k.x.r.Scripts, p) {
			k.x.r.Scripts = append(k.x.r.Scripts, p)
		}
	}
}

// script notes that the file w is run.
func (k *call) script(w word) {
	k.executes(w)
	k.x.r.opaque = true
	k.x.runs(w.shown())
	if w.net || w.proc && len(k.x.r.Network) > 0 {
		k.x.danger("It runs what it fetched from the network.")
	}
	k.x.unclear("What the file %s runs cannot be seen.", w.shown())
	k.x.path(w, k.in, reads)
	k.asCode(word{text: w.src})
	if k.std.known && w.text == "/dev/stdin" {
		k.shellCode(k.std.text, "What "+k.name+" is given to run")
	}
}

// fromInput judges a shell or an interpreter that runs what it is given to read.
func (k *call) fromInput() {
	for _, w := range k.std.files {
		k.executes(w)
	}
	switch {
	case k.std.net:
		k.x.unclear("What %s is given to run cannot be seen.", k.name)
		k.x.danger("It runs what it fetched from the network.")
	case k.std.known && isShell(k.name):
		k.shellCode(k.std.text, "What "+k.name+" is given to run")
	case k.std.known:
		k.x.unclear("What %s is given to run is written in another language.", k.name)
		k.asCode(k.std.text)
	default:
		k.x.unclear("What %s is given to run cannot be seen.", k.name)
		for _, w := range k.std.maybe {
			k.attempt(func() { k.x.code(w.text, k.in, "The code") })
			k.asCode(word{text: w.src})
		}
	}
}

func isShell(name string) bool {
	return oneOf(name, "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "xonsh", "elvish")
}

// evaluated judges eval and source, which run code in the shell itself.
func evaluated(k *call) {
	x := k.x
	x.r.opaque = true
	if k.name != "eval" {
		if len(k.args) == 0 {
			return
		}
		k.script(k.args[0])
		k.ok, k.moved = nil, true
		return
	}
	args := k.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	w := joined(args)
	if w.kind != exact || w.proc {
		k.shellCode(w, "What eval runs")
		k.ok, k.moved = nil, true
		return
	}
	_, ok, fail := x.code(w.text, k.in, "What eval runs")
	k.ok, k.moved = ok.or(fail), true
}

var interpreter = pattern.New(`^(python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|rscript|r|java|jshell|jbang|groovy|scala|kotlin|kotlinc|elixir|erl|ghci|runghc|ocaml|swift|julia|osascript|expect|tclsh|wish|gdb|lldb|guile|racket|sbcl|clojure|bb|dart|ts-node|tsx|esno|vim|vi|nvim|ex|ed|emacs|nano|m4|bc|dc|awk|gawk|mawk|nawk|crystal|nim|raku|irb|pry|ipython|jupyter|wasmtime|wasmer|qemu-.*|wine|mono|cscript|wscript|mshta|rundll32|screen|tmux)[0-9.]*$`)

// codeOptions take code of a program's language.
var codeOptions = []string{"-c", "-e", "-E", "-r", "--eval", "--execute", "-p", "--print", "-pe", "-ne", "-le", "-lne", "-lpe", "-ple", "-nle", "-ane", "-i", "-f", "-x", "-ex", "eval", "-Mre"}

// interpreted judges a program that runs code of another language: what it does is not
// known. In the code, what looks like a command for a shell is read for dangers.
func interpreted(k *call) {
	if version(k) {
		return
	}
	x := k.x
	x.r.opaque = true
	x.unclear("What %s runs cannot be read.", k.name)
	x.runs(k.name)
	k.program()
	for i, a := range k.args {
		switch {
		case a.net:
			x.danger("It runs what it fetched from the network.")
		case i > 0 && slices.Contains(codeOptions, k.args[i-1].text), strings.ContainsAny(a.text, "('\"`;{ "):
			k.asCode(a)
		}
	}
	if k.std.net && !slices.ContainsFunc(k.args, func(a word) bool { return len(a.text) > 1 }) {
		x.danger("It runs what it fetched from the network.")
	}
	if k.std.known {
		k.asCode(k.std.text)
	}
	k.leftovers()
}

// program notes the files with code that an interpreter is given: its first operand, what some
// options name, and what it reads where there is neither.
func (k *call) program() {
	code, found := false, false
	for i, a := range k.args {
		before := ""
		if i > 0 {
			before = k.args[i-1].text
		}
		switch {
		case oneOf(before, "-jar", "-r", "--require", "--import", "-f", "--file"):
			k.executes(a)
		case found, len(a.text) > 0 && a.text[0] == '-':
			code = code || a.kind == exact && oneOf(a.text, "-c", "-e", "-E", "-p", "--eval", "--print", "-m")
		case !code:
			found = true
			k.executes(a)
		}
	}
	if !code && !found {
		for _, w := range k.std.files {
			k.executes(w)
		}
	}
}

// hidden looks for a dangerous command that begins with one of the words.
func (k *call) hidden(words []word) {
	for i, w := range words {
		name := strings.ToLower(w.text[strings.LastIndexByte(w.text, '/')+1:])
		if w.kind == exact && strings.ContainsAny(w.text, " ;\n") {
			k.asCode(word{text: "'" + w.text + "'"})
		}
		if name == "" || w.kind != exact {
			continue
		}
		_, judge := judges(name)
		_, bad := dangerousNames[name]
		if (judge || bad || strings.HasPrefix(name, "mkfs")) && k.x.codes < maxCodes {
			k.x.codes++
			k.attempt(func() { k.nestedCall(words[i:], input{}).run() })
		}
	}
}

// attempt reads what may be a command, and keeps only the dangers.
func (k *call) attempt(read func()) {
	x := k.x
	r, uses, seen, depth := x.r, x.uses, x.seen, x.depth
	sub := &Reading{}
	x.r, x.seen, x.depth = sub, map[string]bool{}, depth+1
	x.tries++
	func() {
		defer func() {
			x.r, x.uses, x.seen, x.depth = r, uses, seen, depth
			x.tries--
		}()
		if depth < maxDepth {
			read()
		}
	}()
	for _, d := range sub.Dangers {
		x.danger("%s", d)
	}
}

// maxCodes is how many texts of a line are looked through that may be code.
const maxCodes = 24

var quotedText = pattern.New("(?s)\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`|[qw]{1,2}[{(]([^})]*)[})]")

// asCode looks through code of another language for commands that are dangerous.
func (k *call) asCode(w word) {
	x := k.x
	if x.codes++; x.codes > maxCodes || len(w.text) < 4 || len(w.text) > maxLine || x.depth >= maxDepth {
		return
	}
	try := func(text string) {
		if strings.ContainsAny(text, " (") {
			k.attempt(func() { x.code(text, k.in, "The code") })
		}
	}
	for _, m := range quotedText.FindAllStringSubmatch(w.text, 32) {
		for _, g := range m[1:] {
			try(g)
		}
	}
	var list strings.Builder // ["rm", "-rf", "/"] as one command
	for _, m := range quotedText.FindAllStringSubmatch(w.text, 32) {
		list.WriteString(m[1] + m[2] + " ")
	}
	try(list.String())
	try(w.text)
}
