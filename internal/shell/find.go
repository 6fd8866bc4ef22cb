package shell

import (
	"strings"
)

// xargs runs a program with arguments that come from its input.
func xargs(k *call) {
	x := k.x
	x.r.opaque = true
	const value = "-I -n -L -P -s -E -d -a --max-args --max-procs --max-chars --delimiter --arg-file -J -R -S"
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
	given := k.argumentsFromInput(args, nul)
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
	k.nestedCall(words, input{piped: true}).run()
}

// argumentsFromInput is what xargs takes from its input for the arguments of a program. nul says that the
// parts of the input end with a NUL.
func (k *call) argumentsFromInput(args []word, nul bool) word {
	given := word{kind: unknown, src: "the input of xargs", quote: true, given: true}
	switch {
	case nul && k.std.found != nil && k.std.nul:
		given = *k.std.found
	case k.std.found != nil && len(args) > 0 && onlyReads(args[0]):
		given = *k.std.found
		given.split = !nul
	}
	if text := k.std.text.text; k.std.known && (nul || strings.ContainsAny(text, "'\"\\")) { // what it takes for one argument is not clear
		k.attempt(func() { k.x.code(joined(args).text+" "+text, k.in, "The code") })
		k.attempt(func() { k.x.code(text, k.in, "The code") })
	} else if k.std.known && k.std.text.kind == exact { // echo … | xargs
		given = word{kind: exact, text: k.std.text.text, src: k.std.text.src}
	}
	return given
}

// onlyReads reports whether a program can do nothing but read, whatever its arguments are.
func onlyReads(w word) bool {
	s, ok := programs[w.text]
	return ok && w.kind == exact && s.plain() && !s.open() && s.use >= useNames && s.use <= useSweep
}

// foundBelow returns what find prints: paths below its folder, and whether each ends in a
// zero byte. Nothing if that is not what it prints.
func foundBelow(args []word) (found *word, nul bool) {
	root := "."
	for i, a := range args {
		if a.kind != exact || strings.HasPrefix(a.text, "-") && oneOf(a.text, "-exec", "-execdir", "-printf", "-print", "-follow", "-L") {
			return nil, false
		}
		if i == 0 && a.text != "" && a.text[0] != '-' {
			root = a.text
		} else if i > 0 && i < 4 && a.text != "" && a.text[0] != '-' && !strings.HasPrefix(args[i-1].text, "-") {
			return nil, false // more than one folder
		}
		nul = nul || a.text == "-print0"
	}
	if strings.HasPrefix(root, "(") || strings.HasPrefix(root, "!") {
		return nil, false
	}
	w := below(root)
	return &w, nul
}

// below stands for any file below a folder.
func below(root string) word {
	text := strings.TrimSuffix(root, "/") + "/*"
	return word{kind: globbed, text: text, meta: len(text) - 1, src: text}
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
		case "-newer", "-anewer", "-cnewer", "-samefile":
			if i+1 < len(args) {
				x.path(args[i+1], k.in, names)
			}
			filtered = true
			i++
		case "-empty":
			filtered = true
		default:
			takes, known := findTests[a.text]
			if !known && a.kind == exact {
				x.unclear("What find does with %s is not known.", a.src)
			}
			if takes == 0 {
				continue
			}
			if a.text[0] == '-' && !oneOf(a.text, findBounds...) {
				filtered = filtered || i+1 >= len(args) || args[i+1].kind != exact || strings.Trim(args[i+1].text, "*.") != ""
			}
			i++
		}
	}
}

// findBounds are tests that leave no file out by what it is called or holds.
var findBounds = []string{"-maxdepth", "-mindepth", "-regextype", "-printf", "-type", "-xtype"}

// findTests are what find may be told, beside what it does with files, with how many values
// each takes.
var findTests = func() map[string]int {
	out := map[string]int{}
	for _, alone := range strings.Fields("( ) ! , -not -a -and -o -or -true -false -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit -depth -d -daystart -follow -mount -xdev -x -noleaf -ignore_readdir_race -warn -nowarn --version --help") {
		out[alone] = 0
	}
	for _, valued := range strings.Fields("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -mtime -mmin -atime -amin -ctime -cmin -size -user -group -uid -gid -perm -links -inum -type -xtype -fstype -maxdepth -mindepth -regextype -used -printf -newermt -newerct -newerat") {
		out[valued] = 1
	}
	return out
}()

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

const fdOptions = "--hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth --min-depth --exact-depth --exclude --prune --type --extension --size --changed-within --changed-before --owner --color --max-results --quiet --strip-cwd-prefix --one-file-system --help --version"

func fd(k *call) {
	for i, a := range k.args {
		if a.mayBeOption() {
			k.x.unclear("%s may be an option of fd, which cannot be known.", a.src)
		}
		if name, _, _ := strings.Cut(a.text, "="); strings.HasPrefix(name, "--") && !listed(fdOptions, name, true) && !strings.HasPrefix(name, "--exec") ||
			strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "--") && strings.Trim(name, "-HIsiagltedEFuLpqxX0123456789") != "" && !oneOf(name[:2], "-t", "-e", "-E", "-d") {
			k.x.unclear("The option %s of fd is not known.", name)
		}
		if oneOf(a.text, "-x", "-X", "--exec", "--exec-batch") || strings.HasPrefix(a.text, "--exec") {
			k.x.r.opaque = true
			if rest := k.args[i+1:]; len(rest) > 0 {
				words := append([]word{}, rest...)
				k.nestedCall(append(words, word{kind: unknown, src: "the output of fd", quote: true, given: true}), input{piped: true}).run()
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
