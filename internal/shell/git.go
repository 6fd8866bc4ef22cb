package shell

import (
	"slices"
	"strings"

	"chela/internal/disk"
)

// harmlessSettings of git, given with -c, run nothing.
var harmlessSettings = []string{
	"user.name", "user.email", "core.quotepath", "core.autocrlf", "core.safecrlf", "init.defaultbranch", "commit.gpgsign", "tag.gpgsign",
	"log.showsignature", "diff.renames", "diff.algorithm", "diff.noprefix", "diff.mnemonicprefix", "core.abbrev", "core.ignorecase", "core.filemode", "core.longpaths",
	"merge.conflictstyle", "pull.rebase", "pull.ff", "push.default", "rerere.enabled", "status.short", "advice.detachedhead", "gc.auto", "safe.directory", "core.precomposeunicode",
}

func harmlessSetting(text string) bool {
	name, value, _ := strings.Cut(text, "=")
	name = strings.ToLower(name)
	return oneOf(name, harmlessSettings...) || strings.HasPrefix(name, "color.") || strings.HasPrefix(name, "column.") || strings.HasPrefix(name, "advice.") ||
		oneOf(name, "core.pager", "pager.log", "pager.diff", "core.editor") && oneOf(value, "", "cat", "true", ":")
}

// git judges git by its settings, its command and the options of that.
func git(k *call) {
	x := k.x
	args := k.args
	for len(args) > 0 && (args[0].kind != exact || strings.HasPrefix(args[0].text, "-")) {
		a := args[0]
		args = args[1:]
		name, value, joinedTo := strings.Cut(a.text, "=")
		next := func() word {
			if joinedTo {
				return literal(value)
			}
			if len(args) == 0 {
				return word{kind: unknown}
			}
			w := args[0]
			args = args[1:]
			return w
		}
		switch {
		case a.kind != exact:
			x.unclear("It cannot be known what git does with %s.", a.src)
		case name == "-C":
			w := next()
			x.path(w, k.in, names)
			if w.kind != exact || w.proc {
				k.in = nil
			} else {
				k.in = x.resolve(w, k.in)
			}
		case name == "-c":
			if w := next(); w.kind != exact || !harmlessSetting(w.text) {
				x.unclear("The setting %s may make git run a program.", w.src)
				x.r.opaque = true
				_, run, _ := strings.Cut(w.text, "=")
				k.asCode(word{text: "'" + strings.TrimPrefix(run, "!") + "'"})
			}
		case oneOf(name, "--git-dir", "--work-tree", "--namespace", "--super-prefix"):
			w := next()
			x.unclear("With %s, git goes by the settings of another folder.", name)
			if name != "--namespace" {
				x.path(w, k.in, reads)
			}
		case oneOf(name, "-p", "--paginate"):
			x.unclear("git starts a pager.")
		case oneOf(name, "-P", "--no-pager", "--no-replace-objects", "--literal-pathspecs", "--no-optional-locks", "--version", "--help", "-h", "-v"):
		case oneOf(a.text, "--exec-path", "--man-path", "--info-path", "--html-path"):
		default:
			x.unclear("The option %s of git is not understood.", a.text)
		}
	}
	if len(args) == 0 {
		return
	}
	k.repository()
	k.args = args[1:]
	g := gitCall{call: k, sub: args[0].text}
	g.judge()
}

// repository notes that git runs where the command does.
func (k *call) repository() {
	for _, dir := range k.in {
		if !slices.Contains(k.x.r.Repositories, dir) {
			k.x.r.Repositories = append(k.x.r.Repositories, dir)
		}
	}
}

type gitCall struct {
	*call
	sub string
}

// gitWrites change the working folder or the history, in ways that can be had back.
var gitWrites = []string{
	"add", "stage", "commit", "merge", "revert", "cherry-pick", "mv", "rm", "init", "am", "apply", "checkout", "switch", "restore", "rebase", "notes", "gc", "format-patch",
	"mergetool", "write-tree", "read-tree", "update-index", "commit-tree", "hash-object", "mktree", "pack-refs", "repack", "sparse-checkout", "maintenance", "rerere", "symbolic-ref", "archive", "bundle", "merge-tree",
}

func (g gitCall) judge() {
	x := g.x
	switch {
	case oneOf(g.sub, "help", "verify-commit", "verify-tag"):
		x.unclear("git %s starts another program.", g.sub)
	case oneOf(g.sub, "branch", "tag", "remote", "stash", "worktree", "config", "reflog", "submodule", "bisect", "reset", "clean", "push", "filter-branch", "update-ref", "replace", "prune"):
		g.mixed()
	case oneOf(g.sub, "fetch", "pull", "clone", "ls-remote", "fetch-pack", "send-email", "request-pull", "lfs", "svn", "p4", "imap-send", "remote-http", "remote-https"):
		g.reaches()
	case gitLooks[g.sub] != nil:
		g.looks()
	case oneOf(g.sub, gitWrites...):
		x.r.writes = true
		x.path(literal("."), g.in, writes)
		g.changes()
	default:
		x.unclear("git %s is not known; it may be an alias for anything.", g.sub)
		g.asCode(joined(g.args))
		g.leftovers()
	}
}

// looks judges the commands that read.
func (g gitCall) looks() {
	x := g.x
	p := g.parse(gitLooks[g.sub])
	noIndex := p.has("--no-index")
	for _, w := range p.operands {
		if i := strings.LastIndexByte(w.text, ':'); i >= 0 && w.kind == exact { // rev:path
			w.text = w.text[i+1:]
		}
		switch {
		case w.kind == unknown || w.text == "":
		case noIndex, strings.HasPrefix(w.text, "/"), strings.HasPrefix(w.text, "~/"), strings.HasPrefix(w.text, "../"), disk.Secret(w.text):
			x.path(w, g.in, sweeps)
		}
	}
	x.path(literal("."), g.in, names)
}

// changes judges the commands that write.
func (g gitCall) changes() {
	x := g.x
	s := &spec{
		loose: true,
		value: "-m -F -C -c -S -u -b -B -s -X --message --author --date --strategy --strategy-option --onto --orphan --cleanup --fixup --squash --source --format --prefix --template -t --trailer -n",
		read:  "--pathspec-from-file --patch-file",
		write: "-o --output --output-directory --directory --separate-git-dir",
		other: "-x --exec --template --tool --upload-pack --remote --smtp-server",
	}
	switch g.sub {
	case "commit", "am", "revert", "cherry-pick", "merge", "rebase", "checkout", "switch", "pull":
		x.runs("the hooks of git")
		s.read += " -F --file"
		s.other = "--exec --template --tool --upload-pack --smtp-server"
	}
	if g.sub == "rebase" {
		s.other += " -x -i --interactive"
		for i, a := range g.args {
			if oneOf(a.text, "-x", "--exec") && i+1 < len(g.args) {
				g.shellCode(g.args[i+1], "What git rebase -x runs")
			}
		}
	}
	p := g.parse(s)
	switch {
	case g.sub == "mergetool":
		x.unclear("git mergetool starts another program.")
	case oneOf(g.sub, "checkout", "switch") && p.has("-f", "--force", "--discard-changes"):
		x.danger("git %s --force throws changes away.", g.sub)
	case g.sub == "gc" && strings.Contains(strings.Join(p.given, " "), "--prune"):
		x.danger("git gc --prune throws commits away.")
	case oneOf(g.sub, "add", "stage"):
		for _, w := range p.operands {
			if w.kind == exact && disk.Secret(w.text) {
				x.path(w, g.in, reads)
			}
		}
	case g.sub == "apply" || g.sub == "am":
		for _, w := range p.operands {
			x.path(w, g.in, reads)
		}
	case oneOf(g.sub, "rm", "mv"):
		for _, w := range p.operands {
			x.path(w, g.in, writes)
		}
	case g.sub == "init":
		for _, w := range p.operands {
			x.path(w, g.in, writes)
		}
	}
}

// mixed judges the commands that look, change or destroy, going by their options.
func (g gitCall) mixed() {
	x := g.x
	p := g.parse(&spec{loose: true, value: "-m --message --format --sort --contains --points-at --merged --no-merged -u --expire --color --column --abbrev --push-option -F --file", other: "--exec --receive-pack --upload-pack --template"})
	first := ""
	if len(p.operands) > 0 {
		first = p.operands[0].text
	}
	unsure := false
	for _, a := range g.args {
		unsure = unsure || a.mayBeOption()
	}
	force := p.has("-f", "--force") || g.any("-f", "--force") || unsure
	harmless := g.lists(p, first, unsure)
	switch g.sub {
	case "stash":
		harmless = oneOf(first, "list", "show")
		if oneOf(first, "drop", "clear") {
			x.danger("git stash %s throws changes away.", first)
		}
	case "worktree":
		harmless = first == "list"
		for _, w := range p.operands[min(1, len(p.operands)):] {
			x.path(w, g.in, writes)
			break
		}
		if first == "remove" && force {
			x.danger("git worktree remove --force throws changes away.")
		}
	case "config":
		harmless = g.config(p)
	case "reflog":
		harmless = oneOf(first, "", "show", "list", "exists", "main", "master") || strings.Contains(first, "HEAD") || strings.ContainsAny(first, "/@")
		if oneOf(first, "expire", "delete", "drop") {
			x.danger("git reflog %s throws the way back away.", first)
		}
	case "submodule":
		harmless = oneOf(first, "", "status", "summary")
		if !harmless {
			g.reaches()
			if first == "foreach" {
				g.shellCode(joined(p.operands[1:]), "What git submodule foreach runs")
				x.unclear("It cannot be known where git submodule foreach runs it.")
			}
		}
	case "bisect":
		harmless = first == "log"
		if first == "run" {
			x.r.opaque = true
			g.then(p.operands[1:])
		}
	case "reset":
		if p.has("--hard", "--merge", "--keep") || g.abbreviated(p, "--hard", 4) || unsure {
			x.danger("git reset --hard throws changes away.")
		}
	case "clean":
		dry := p.has("-n", "--dry-run")
		harmless = dry
		if force && !dry || p.has("--for", "--forc") {
			x.danger("git clean removes files that git does not keep.")
		}
	case "push":
		g.push(p, unsure)
	case "filter-branch", "update-ref", "replace", "prune":
		x.danger("git %s changes or throws away what is in the history.", g.sub)
	}
	if !harmless {
		x.r.writes = true
		x.path(literal("."), g.in, writes)
		return
	}
	g.parse(g.looking(first))
	x.path(literal("."), g.in, names)
}

// looking is what may be said to one of the mixed commands when it looks.
func (g gitCall) looking(first string) *spec {
	if g.sub == "stash" {
		return gitLooks["stash "+first]
	}
	return gitLooks[g.sub]
}

// lists judges branch, tag and remote, and reports whether they only list.
func (g gitCall) lists(p parsed, first string, unsure bool) bool {
	harmless := false
	switch g.sub {
	case "branch":
		harmless = !unsure && (len(g.args) == 0 || !p.has("-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--delete", "--move", "--copy", "--force", "--set-upstream-to", "--unset-upstream", "--edit-description", "--track", "-t") &&
			(len(p.operands) == 0 || p.has("--list", "-l", "--contains", "--merged", "--no-merged", "--points-at", "--show-current", "-a", "-r")))
	case "tag":
		harmless = !unsure && (len(g.args) == 0 || (p.has("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n") || len(p.operands) == 0) && !p.has("-u", "--local-user", "--sign", "--annotate", "-d", "--delete", "-f", "--force", "-a", "-s"))
	case "remote":
		harmless = oneOf(first, "", "get-url") && !unsure
		if oneOf(first, "update", "show", "prune") {
			g.x.network("git remote")
		}
		g.address(p.operands)
	}
	return harmless
}

func (g gitCall) abbreviated(p parsed, option string, atLeast int) bool {
	for _, o := range p.given {
		if len(o) >= atLeast && strings.HasPrefix(option, o) {
			return true
		}
	}
	return false
}

// config judges git config, and reports whether it only looks.
func (g gitCall) config(p parsed) bool {
	if len(p.operands) > 0 && oneOf(p.operands[0].text, "list", "get") ||
		p.has("-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color") ||
		len(p.operands) == 1 && !p.has("-e", "--edit", "--unset", "--unset-all", "--remove-section", "--rename-section", "--add", "--replace-all") {
		return true
	}
	ops := p.operands
	if len(ops) > 0 && oneOf(ops[0].text, "set", "unset") {
		ops = ops[1:]
	}
	if len(ops) < 2 || ops[0].kind != exact || !harmlessSetting(ops[0].text+"="+ops[1].text) {
		g.x.danger("It changes settings of git, which may make it run programs.")
	}
	if p.has("--global", "--system") {
		g.x.path(literal("~/.gitconfig"), g.in, writes)
	}
	return false
}

func (g gitCall) push(p parsed, unsure bool) {
	x := g.x
	x.network("git push")
	x.runs("the hooks of git")
	force := unsure
	for _, o := range p.given {
		force = force || len(o) > 2 && o[1] != '-' && strings.ContainsAny(o, "fd") || oneOf(o, "-f", "-d", "--force", "--delete", "--mirror", "--prune") || strings.HasPrefix(o, "--force") || len(o) > 3 && (strings.HasPrefix("--delete", o) || strings.HasPrefix("--mirror", o) || strings.HasPrefix("--force", o))
	}
	for _, a := range g.args {
		force = force || len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && a.text[1] != 'o' && strings.ContainsAny(a.text, "fd")
	}
	for _, w := range p.operands {
		force = force || strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":") && len(w.text) > 1 || w.kind == unknown && w.text == ""
	}
	if force {
		x.danger("git push --force or --delete throws away what others have.")
	}
	g.address(p.operands)
}

// reaches judges the commands that reach another machine.
func (g gitCall) reaches() {
	x := g.x
	x.network("git " + g.sub)
	if g.sub != "ls-remote" {
		x.r.writes = true
		x.path(literal("."), g.in, writes)
	}
	p := g.parse(&spec{
		loose: true,
		value: "-b -o -j --branch --depth --origin --jobs --shallow-since --filter --refmap",
		other: "-u -c --upload-pack --config --template --receive-pack --exec --smtp-server --sendmail-cmd --to-cmd --cc-cmd --recurse-submodules", read: "--reference", write: "--separate-git-dir",
	})
	g.address(p.operands)
	if g.sub == "clone" && len(p.operands) > 1 {
		x.path(p.operands[1], g.in, writes)
	}
	if g.sub == "pull" {
		x.runs("the hooks of git")
	}
	if oneOf(g.sub, "lfs", "svn", "p4", "send-email", "imap-send") {
		x.unclear("What git %s does is not known.", g.sub)
	}
}

// address judges where a repository is: some addresses run programs.
func (g gitCall) address(ops []word) {
	for _, w := range ops {
		switch {
		case strings.Contains(w.text, "::"):
			g.x.unclear("The address %s makes git run a program.", w.src)
			_, run, _ := strings.Cut(w.text, "::")
			g.asCode(word{text: "'" + run + "'"})
		case strings.Contains(w.text, "oProxyCommand"), strings.HasPrefix(w.text, "ssh://-"):
			g.x.unclear("The address %s makes git run a program.", w.src)
		case strings.HasPrefix(w.text, "/"), strings.HasPrefix(w.text, "~"), strings.HasPrefix(w.text, "../"):
			g.x.path(w, g.in, sweeps)
		}
	}
}
