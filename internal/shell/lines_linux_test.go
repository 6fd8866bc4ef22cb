package shell_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A liner writes lines for a shell, from a grammar. Each has an effect somewhere, a file that
// appears, which most lines hide in what looks like text: a comment, quotes, a here-document,
// a default. The noise of the grammar is what shells and parsers may read differently.
type liner struct {
	*rand.Rand
	file     string   // that the effect makes appear
	everyday []string // lines that only look
}

func (g liner) of(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g liner) one(in int) bool { return g.IntN(in) == 0 }

// line writes one line.
func (g liner) line() string {
	var line string
	switch {
	case g.one(8):
		line = g.optioned()
	case g.one(8):
		words := strings.Split(g.of(g.everyday...), " ")
		at := 1 + g.IntN(len(words))
		line = strings.Join(slices.Insert(words, min(at, len(words)), g.option()), " ")
	default:
		line = g.list(3)
	}
	for range g.IntN(4) / 2 {
		at := g.IntN(len(line) + 1)
		line = line[:at] + g.noise() + line[at:]
	}
	return line
}

// noise is a piece that changes how what is around it is read.
func (g liner) noise() string {
	return g.of("\\\n", "\\\n", "\n", "\\", "\\\\", "'", `"`, "`", "$(", ")", "#", " #", "# \\\n", "$'", `\'`, ";", "&", "\r", "\t", "\v", "\f", " ", "\u00a0", "\u200b", "\u2028",
		"{", "}", "<<E\n", "<<'E'\n", "\nE\n", "$", "((", "))", "*", "?", "[", "]", "!", "~", "<(", ">(", "$[", "${", "@(", "|", "<", "=", "\x01", "\x7f", "\x80", "esac", " in ", "-", "%", ",", "..")
}

// token writes what a shell takes as one piece, at times with a line continuation in it.
func (g liner) token(s string) string {
	if len(s) > 1 && g.one(24) {
		at := 1 + g.IntN(len(s)-1)
		return s[:at] + "\\\n" + s[at:]
	}
	return s
}

func (g liner) effect() string {
	f := g.file
	return g.of("touch "+f, "touch "+f, "mkdir "+f, "cp a "+f, ": > "+f, "echo x >> "+f, "ls | tee "+f, "sort -o "+f+" a", "cat a >| "+f, "uniq a "+f, "sed -n 'w "+f+"' a", "find a -fprint "+f,
		"eval 'touch "+f+"'", "sh -c 'touch "+f+"'", "xargs touch "+f+" <a", "env touch "+f, "awk 'BEGIN{print 1 > \""+f+"\"}'", "install a "+f, "ln -s a "+f, "dd if=a of="+f)
}

func (g liner) list(depth int) string {
	var b strings.Builder
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(g.of("; ", ";", g.token(" && "), g.token(" || "), " | ", "\n", " & ", "\n\n", g.token(" |& "), ";\t"))
		}
		b.WriteString(g.command(depth))
	}
	return b.String()
}

func (g liner) command(depth int) string {
	if depth <= 0 {
		return g.simple(0)
	}
	in := func() string { return g.list(depth - 1) }
	switch g.IntN(22) {
	case 0:
		return "(" + in() + ")"
	case 1:
		return "{ " + in() + "; }"
	case 2:
		return "if " + in() + "; then " + in() + "; fi"
	case 3:
		return "for i in " + g.word(depth-1) + " b; do " + in() + "; done"
	case 4:
		return "case " + g.word(depth-1) + " in " + g.of("x", "*", "(a", "$x", "'x'") + ") " + in() + g.of(";;", ";&", "\n") + " esac"
	case 5:
		return "while false; do " + in() + "; done"
	case 6:
		return "! " + g.simple(depth)
	case 7:
		return "[[ " + g.word(depth-1) + " " + g.of("=", "==", "=~", "<", ">", "-nt", "-eq", "&&", "||") + " " + g.word(depth-1) + " ]]"
	case 8:
		return g.document(depth)
	case 9:
		return g.simple(depth) + g.of(" #", "\t# ", "\n#", ";#", " # it's ") + g.of("", "\\", "`", "$(", "'", `"`) + g.effect() + g.of("\n", "\\\n", "\\\\\n") + g.of(g.simple(depth), g.effect())
	case 10:
		return g.effect()
	case 11:
		return "x=" + g.word(depth-1) + g.of("; ", " ") + g.simple(depth)
	default:
		return g.simple(depth)
	}
}

// document is a command with a here-document.
func (g liner) document(depth int) string {
	end := g.of("E", "'E'", `"E"`, `\E`, "E''")
	body := g.of("text", g.effect(), g.token("$(")+g.effect()+")", "`"+g.effect()+"`", g.token("${")+"x:-"+g.token("$(")+g.effect()+")}", "\\$("+g.effect()+")", "E \n"+g.effect(), "\tE\n"+g.effect(), "E\\\n"+g.effect())
	return "cat " + g.token(g.of("<<", "<<-")) + g.of("", " ") + end + g.of("", " | wc") + "\n" + body + "\n" + g.of("E", "\tE", "E\n"+g.simple(depth)) + "\n"
}

func (g liner) simple(depth int) string {
	words := []string{g.of("echo", "echo", "cat", "ls", "grep x", "head -1", "wc -l", "printf '%s'", "test", "true", ":", "basename", "sort", "tr a b <a", "[")}
	for range g.IntN(3) {
		words = append(words, g.word(depth))
	}
	if words[0] == "[" {
		words = append(words, "]")
	}
	line := strings.Join(words, g.of(" ", " ", "  ", "\t", " \\\n"))
	if g.one(8) {
		line += g.of(" >/dev/null", " 2>&1", " <a", g.token(" 2>")+"/dev/null", " <<<a", " >&2", " &>/dev/null")
	}
	return line
}

func (g liner) word(depth int) string {
	if depth <= 0 {
		return g.of("a", "b", "$x", "'q'", `"q"`, "*", "-n", "a#b", `\$`, "sub/x")
	}
	e := g.effect()
	switch g.IntN(20) {
	case 0:
		return "'" + e + "'"
	case 1:
		return "'" + g.token("$(") + e + ")'"
	case 2:
		return `"` + g.of("a", `\"`, "'", "$x") + g.of("; ", " ", "\n") + e + g.of("", `\\`, "'") + `"`
	case 3:
		return `"` + g.of("", `\`, `\\`, `\\\`, "$") + g.token("$(") + g.of(e, "echo a") + ")" + `"`
	case 4:
		return `"` + g.of("", `\`, `\\`) + "`" + g.of(e, `echo \`+"`"+e+`\`+"`") + g.of("", `\`) + "`" + `"`
	case 5:
		return g.of("", `"`) + g.token("${") + "x" + g.of(":-", "-", ":+", "+", "#", "%", "//", ":", "@", "^") + g.of(e, "'"+e+"'", g.token("$(")+e+")", `"`+e+`"`, "}"+e, `\}`, "`"+e+"`") + "}" + g.of("", `"`)
	case 6:
		return g.token("$((") + g.of("1", "x", "a["+g.token("$(")+e+")]", "1) ; "+e+"; (true", "1 #", "x="+"`"+e+"`") + g.token("))")
	case 7:
		return "$'" + g.of("a", `\'`, `\x27`, `\n`) + " " + e + g.of("", `\'`, `\\`) + "'"
	case 8:
		return g.of(g.token("<("), g.token(">("), "$(", "`") + g.of(e, "ls") + g.of(")", "`")
	case 9:
		return "{a," + g.of("b", "$("+e+")", "'"+e+"'") + "}"
	case 10:
		return `\` + g.of("$", "`", `"`, "'", "#", "\\", "\n", ";", "&", ">") + g.of("", "("+e+")", e)
	case 11:
		return g.token("$(") + g.list(depth-1) + ")"
	case 12:
		return "$(# " + e + g.of("\n", "\\\n", ")\n") + "echo a)"
	case 13:
		return "$(case a in a) " + g.of(e, "echo b") + ";; esac)"
	case 14:
		return `$"` + e + `"`
	case 15:
		return g.of("@", "!", "+", "?") + "(" + g.of("a|b", e) + ")"
	default:
		return g.word(0)
	}
}

// lookers are programs that only look, until an option says otherwise.
var lookers = []string{
	"ls", "cat a", "sort a", "uniq a", "grep x a", "head a", "tail a", "wc a", "cut -c1 a", "tr a b", "diff a b", "cmp a b", "od a", "base64 a", "md5sum a", "tree", "du", "df", "stat a", "date", "find .", "file a",
	"sed p a", "awk 1 a", "jq . a", "yq . a", "gofmt a.go", "xxd a", "column a", "fmt a", "iconv a", "comm a b", "join a b", "tac a", "nl a", "split a", "hexdump a", "strings a", "tar -tf a.tar", "less a", "readlink a", "realpath a",
	"git status", "git log", "git diff", "git show", "git stash list", "git stash show", "git branch", "git tag", "git reflog", "git reflog show", "git blame a", "git shortlog HEAD", "git grep x", "git ls-files",
	"git for-each-ref", "git rev-list HEAD", "git diff-tree HEAD", "git diff-index HEAD", "git whatchanged", "git cat-file -p HEAD", "git worktree list", "git remote", "git config -l", "git range-diff HEAD HEAD HEAD", "git describe --all",
	"git archive HEAD", "git bundle list-heads x", "git bisect log", "git notes list", "git merge-tree HEAD HEAD", "git show-branch", "git count-objects", "git var GIT_EDITOR", "git rev-parse HEAD", "git bugreport", "git diagnose", "git fsck",
	"go version", "go env", "go list", "go doc fmt", "env", "xargs cat", "printf x", "echo x", "test a", "comm", "paste a", "shuf a", "tsort a", "expand a", "ps", "id", "who", "lsof", "timeout 1 ls", "nice ls", "time ls", "stdbuf -oL ls",
}

// option is one that may make some program write.
func (g liner) option() string {
	f := g.file
	return g.of("-o "+f, "-o"+f, "--output="+f, "--output "+f, "--outp="+f, "-cpuprofile="+f, "--cpuprofile "+f, "-w "+f, "-O "+f, "-l"+f, "--log-file="+f, "--logs-dir="+f, "--cache="+f, "-T "+f, "--temporary-directory="+f,
		"-fprint "+f, "-fprintf "+f+" x", "-fls "+f, "-exec touch "+f+" ;", "-C "+f, "--compile", "-d "+f, "-p "+f, "-D "+f, "--output-directory="+f, "--dump="+f, "-i"+f, "-i", "--in-place="+f, "-e 'w "+f+"'", "-f "+f, "-s "+f, "--split-exp="+f,
		f, "-v "+f, "--debug-file="+f, "-ro"+f, "-no "+f, "-a -o "+f, "-trace="+f, "-memprofile="+f, "--html="+f, "--report="+f, "--profile="+f, "-t "+f, "--open-files-in-pager='touch "+f+" #'", "-O'touch "+f+" #'", "--ext-diff", "-n --output="+f,
		"--pre='touch "+f+"'", "--compress-program='touch "+f+"'", "--exec='touch "+f+"'", "-x touch "+f, "-c 'touch "+f+"'", "--command='touch "+f+"'", "--edit", "-u "+f, fmt.Sprintf("-%c %s", 'a'+rune(g.IntN(26)), f), fmt.Sprintf("-%c%s", 'A'+rune(g.IntN(26)), f))
}

// optioned is a program that only looks, with an option that may make it write.
func (g liner) optioned() string {
	option := g.option()
	words := strings.SplitN(g.of(lookers...), " ", 2)
	switch {
	case len(words) == 1:
		return words[0] + " " + option
	case g.one(2):
		return words[0] + " " + words[1] + " " + option
	default:
		return words[0] + " " + option + " " + words[1]
	}
}
