package shell

import (
	"strings"

	"chela/internal/disk"
)

// remove judges rm.
func remove(k *call) {
	p := k.parse(&spec{loose: true, options: "-r -R -f -i -I -d -v -P -x -W --recursive --force --interactive --dir --verbose --preserve-root --no-preserve-root --one-file-system --help --version"})
	k.x.r.writes = true
	all := k.recursive(p)
	for _, w := range p.operands {
		k.destroy(w, all)
	}
	if all && k.std.piped && len(p.operands) == 0 {
		k.x.unclear("It cannot be known what %s removes.", k.name)
	}
}

// recursive reports whether an option says: everything below too. An argument that is not
// known may say so.
func (k *call) recursive(p parsed) bool {
	for _, g := range p.given {
		if g == "-r" || g == "-R" || len(g) > 2 && strings.HasPrefix("--recursive", g) {
			return true
		}
	}
	for _, a := range k.args {
		if a.mayBeOption() && a.kind == unknown && !a.given {
			return true
		}
	}
	return false
}

// into reads -t folder of cp, mv, ln and install: then all operands are sources.
func into(k *call) []word {
	for i, a := range k.args {
		switch {
		case a.kind == exact && oneOf(a.text, "-t", "--target-directory") && i+1 < len(k.args):
			return append(append(append([]word{}, k.args[:i]...), k.args[i+2:]...), k.args[i+1])
		case a.kind == exact && strings.HasPrefix(a.text, "--target-directory="):
			return append(append(append([]word{}, k.args[:i]...), k.args[i+1:]...), literal(a.text[len("--target-directory="):]))
		case a.kind == exact && len(a.text) > 2 && strings.HasPrefix(a.text, "-t"):
			return append(append(append([]word{}, k.args[:i]...), k.args[i+1:]...), literal(a.text[2:]))
		}
	}
	return k.args
}

const copyOptions = "-a -b -d -f -i -H -l -L -n -p -P -r -R -s -u -v -x -T -c -D -C -X -N -Z -F -h -w --archive --backup --force --interactive --link --dereference --no-clobber " +
	"--no-dereference --preserve --no-preserve --parents --recursive --reflink --remove-destination --sparse --symbolic --symbolic-link --update --verbose --no-target-directory " +
	"--strip-trailing-slashes --relative --logical --physical --directory --one-file-system --attributes-only --compare --help --version"

func copied(k *call) {
	k.args = into(k)
	s := &spec{loose: true, value: "-S --suffix", options: copyOptions}
	if k.name == "install" {
		s.value, s.other = "-S -m -o -g --suffix --mode --owner --group", "--strip-program"
	}
	p := k.parse(s)
	k.x.r.writes = true
	if k.name == "install" && p.has("-d", "--directory") {
		k.operands(p.operands, useMove)
		return
	}
	deep := k.recursive(p) || p.has("-a", "--archive")
	for i, w := range p.operands {
		switch {
		case i == len(p.operands)-1 && i > 0:
			k.x.path(w, k.in, writes)
			k.landing(p.operands[:i], w)
		case deep:
			k.x.path(w, k.in, sweeps)
		default:
			k.x.path(w, k.in, reads)
		}
	}
}

// landing notes the files that appear in the folder to which others are copied or moved,
// for their names alone may matter.
func (k *call) landing(from []word, to word) {
	if to.kind != exact || strings.HasPrefix(to.text, "/dev/") {
		return
	}
	for _, f := range from {
		if f.kind != exact {
			continue
		}
		name := f.text[strings.LastIndexByte(strings.TrimRight(f.text, "/"), '/')+1:]
		t := literal(strings.TrimRight(to.text, "/") + "/" + strings.TrimRight(name, "/"))
		for _, p := range k.x.resolve(t, k.in) {
			if disk.Startup(p) {
				k.x.use(p, t, writes)
			}
		}
	}
}

func moved(k *call) {
	k.args = into(k)
	p := k.parse(&spec{loose: true, value: "-S --suffix", options: copyOptions})
	k.x.r.writes = true
	for i, w := range p.operands {
		if i == len(p.operands)-1 && i > 0 {
			k.x.path(w, k.in, writes)
			k.landing(p.operands[:i], w)
			if strings.HasPrefix(w.text, "/dev/") && !strings.HasPrefix(w.text, "/dev/shm/") {
				k.x.danger("It throws away what it moves to %s.", w.text)
			}
			return
		}
		k.x.path(w, k.in, reads)
		k.destroy(w, true)
	}
}

// linked judges ln: a link may lead anywhere, so that what it leads to counts as read.
func linked(k *call) {
	k.args = into(k)
	p := k.parse(&spec{loose: true, value: "-S --suffix", options: copyOptions})
	k.x.r.writes = true
	for i, w := range p.operands {
		if i == len(p.operands)-1 && i > 0 {
			k.x.path(w, k.in, writes)
			k.landing(p.operands[:i], w)
			continue
		}
		k.x.path(w, k.in, sweeps)
	}
	if len(p.operands) == 1 {
		k.x.path(literal("."), k.in, writes)
	}
}

// owned judges chmod, chown and their like.
func owned(k *call) {
	x := k.x
	x.r.writes = true
	var ops []word
	all := false
	for _, a := range k.args {
		switch {
		case a.kind == exact && (a.text == "-R" || strings.HasPrefix(a.text, "--rec") || len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, "R")):
			all = true
		case a.kind == exact && len(a.text) > 1 && strings.HasPrefix(a.text, "--"):
		case a.kind == exact && len(a.text) > 1 && a.text[0] == '-' && (k.name != "chmod" || strings.Trim(a.text, "-vcfhHLP") == ""):
		default:
			ops = append(ops, a)
		}
	}
	if len(ops) == 0 {
		return
	}
	how := ops[0].text
	if k.name == "chmod" && (strings.Contains(how, "+s") || strings.Contains(how, "=s") || len(how) >= 4 && how[len(how)-4] >= '2' && how[len(how)-4] <= '7' && strings.Trim(how, "01234567") == "") {
		x.danger("It lets whoever runs the file act as its owner.")
	}
	for _, w := range ops[1:] {
		if all && w.kind == unknown {
			x.danger("It changes the rights of what %s stands for, which cannot be known.", w.src)
		}
		for _, p := range x.resolve(w, k.in) {
			x.use(p, w, writes)
			if what, bad := x.precious(p); bad && (all || systemPath(p)) && !x.inside(p) {
				x.danger("It changes the rights of %s.", what)
			}
		}
	}
}

// inside reports whether p is in a folder in which writing is granted.
func (x *walk) inside(p string) bool {
	g, ok := x.sh.Folders.Of(p)
	return ok && g.Write
}

func dd(k *call) {
	k.x.r.writes = true
	for _, a := range k.args {
		name, value, _ := strings.Cut(a.text, "=")
		v := a.after(len(a.text) - len(value))
		switch {
		case name == "of":
			k.x.path(v, k.in, writes)
		case name == "if":
			k.x.path(v, k.in, reads)
		case a.kind == unknown && !strings.Contains(a.text, "="):
			k.x.unclear("It cannot be known what dd does with %s.", a.src)
		}
	}
}

// tar reads what it packs, or writes where it unpacks.
func tar(k *call) {
	x := k.x
	if len(k.args) > 0 && k.args[0].kind == exact && k.args[0].text != "" && k.args[0].text[0] != '-' {
		first := k.args[0]
		first.text = "-" + first.text
		k.args = append([]word{first}, k.args[1:]...)
	}
	s := &spec{
		loose:   true,
		value:   "-b -H -K -L -N -V --exclude --transform --xform --strip-components --owner --group --mode --mtime --format --label --blocking-factor --newer --sort",
		read:    "-T -X --files-from --exclude-from",
		write:   "-C --directory -g --listed-incremental",
		other:   "--checkpoint-action --to-command -I --use-compress-program --rsh-command --rmt-command -F --info-script --new-volume-script --use-compress -M --multi-volume -P --absolute-names --remove-files --delete --force-local --unlink-first --recursive-unlink --overwrite-dir --index-file",
		options: "-c -x -t -r -u -A -v -z -j -J -a -p -k -h -O -m -W -l -n -f -s -S -Z -o -q --create --extract --list --get --append --update --verbose --gzip --bzip2 --xz --zstd --auto-compress --file --keep-old-files --dereference --to-stdout --wildcards --no-same-owner --no-same-permissions --same-permissions --preserve-permissions --checkpoint --totals --anchored --no-anchored --exclude-vcs --skip-old-files --touch --numeric-owner --show-transformed-names --one-file-system --help --version",
	}
	given := k.args
	var archives []word
	rest := make([]word, 0, len(given))
	for i := 0; i < len(given); i++ { // the archive may be read or written
		a := given[i]
		name, value, joined := strings.Cut(a.text, "=")
		switch {
		case a.kind == exact && name == "--file" && joined:
			archives = append(archives, literal(value))
			continue
		case a.kind == exact && (name == "--file" || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.HasSuffix(a.text, "f")) && i+1 < len(given):
			archives = append(archives, given[i+1])
			i++
		case a.kind == exact && strings.HasPrefix(a.text, "-f") && len(a.text) > 2:
			archives = append(archives, literal(a.text[2:]))
			continue
		}
		rest = append(rest, a)
	}
	k.args = rest
	p := k.parse(s)
	creates, lists := p.has("-c", "-r", "-u", "-A", "--create", "--append", "--update"), p.has("-t", "--list")
	for _, a := range archives {
		if i := strings.IndexByte(a.text, ':'); i > 0 && !strings.Contains(a.text[:i], "/") {
			x.network("tar " + a.text)
			x.unclear("tar runs a program to reach %s.", a.text)
		}
		m := reads
		if creates {
			m = writes
		}
		x.path(a, k.in, m)
	}
	switch {
	case creates:
		x.r.writes = true
		k.operands(p.operands, useSweep)
	case !lists:
		x.r.writes = true
		if !p.has("-C", "--directory") {
			x.path(literal("."), k.in, writes)
		}
	}
}
