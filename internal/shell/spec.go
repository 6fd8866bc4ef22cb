package shell

import (
	"strings"
)

// A spec says what the arguments of a program mean. Options are listed with their dashes,
// between spaces.
type spec struct {
	writes  bool // it changes something whatever its options are
	runs    bool // it runs code of the project
	net     bool // it uses the network
	unknown bool // what it does is not known
	use     operands
	skip    int    // operands at the beginning that are not paths
	value   string // options that take a value without meaning here
	read    string // options whose value is a file that is read
	write   string // options whose value is a file that is written
	mutate  string // options with which it changes its operands
	deep    string // options with which it reads all that is below its operands
	other   string // options that run programs or change something else
	noskip  string // options that stand in for the operands to be skipped
	options string // the other options that are understood; -# are digits
	text    bool   // it has no options: all of its arguments are text
	loose   bool   // options that are not listed mean nothing here, since it changes something anyway
}

// open reports whether options that are not listed are let be.
func (s *spec) open() bool {
	return s.options == "" && (s.loose || s.writes || s.runs || s.net || s.unknown)
}

// operands says what a program does with what are not options.
type operands uint8

const (
	useNothing operands = iota // they are text
	useNames                   // it looks at names, sizes and the like
	useRead
	useSweep // it reads all that is below
	useWrite
	useCopy    // it reads all but the last, and writes that
	useMove    // it changes all of them
	useDestroy // it removes them
	useNone    // it has none
)

// parsed are the arguments of a call, told apart.
type parsed struct {
	operands []word
	given    []string // the options, without values
	mutate   bool
	deep     bool
	skipped  bool
}

func (p parsed) has(options ...string) bool {
	for _, g := range p.given {
		if oneOf(g, options...) {
			return true
		}
	}
	return false
}

// plain reports whether no argument can make the program do anything but print.
func (s *spec) plain() bool { return s.write == "" && s.mutate == "" && s.other == "" }

// surprises reports whether a word may turn out to be an option that matters.
func (s *spec) surprises(w word) bool {
	switch {
	case !w.mayBeOption():
		return false
	case !s.plain():
		return true
	default: // a file that is named like an option of rm
		return s.loose && s.options != "" && (w.kind != globbed || !strings.Contains(w.text, "."))
	}
}

// apply judges a call by what its program's arguments mean.
func (k *call) apply(s *spec) parsed {
	x := k.x
	p := k.parse(s)
	if s.writes {
		x.r.writes = true
	}
	if s.runs {
		x.runs(k.name)
	}
	if s.net {
		x.network(k.name)
	}
	if s.unknown {
		x.unclear("What %s does is not known.", k.name)
		k.hidden(k.args)
		k.leftovers()
	}
	ops := p.operands
	if !p.skipped {
		ops = ops[min(len(ops), s.skip):]
	}
	use := s.use
	switch {
	case p.mutate && use != useDestroy:
		use = useWrite
	case p.deep && use == useRead:
		use = useSweep
	}
	if use == useSweep && len(ops) == 0 && !k.std.piped {
		ops = []word{literal(".")}
	}
	k.operands(ops, use)
	return p
}

func (k *call) operands(ops []word, use operands) {
	for i, w := range ops {
		if w.kind == exact && (w.text == "-" || w.text == "") {
			continue
		}
		m := reads
		switch use {
		case useRead:
		case useNothing:
			continue
		case useNone:
			k.x.unclear("It is not known what %s does with %s.", k.name, w.src)
			continue
		case useNames:
			m = names
		case useSweep:
			m = sweeps
		case useWrite, useMove, useDestroy:
			m = writes
		case useCopy:
			if i == len(ops)-1 {
				m = writes
			}
		}
		k.x.path(w, k.in, m)
	}
}

// parse tells options, their values and operands apart, as GNU programs do: options may
// follow operands, be joined, and be cut short.
func (k *call) parse(s *spec) parsed {
	var p parsed
	if s.text {
		p.operands = k.args
		return p
	}
	for i := 0; i < len(k.args); i++ {
		w := k.args[i]
		if s.surprises(w) {
			k.x.unclear("%s may be an option of %s, which cannot be known.", w.src, k.name)
		}
		text := w.text
		switch {
		case w.kind == exact && text == "--":
			p.operands = append(p.operands, k.args[i+1:]...)
			return p
		case len(text) < 2 || text[0] != '-':
			if w.kind == unknown && !w.quote && s.skip > 0 {
				k.x.unclear("It cannot be known what %s stands for.", w.src)
			}
			p.operands = append(p.operands, w)
		case strings.HasPrefix(text, "--"):
			i += k.long(s, &p, w, k.args[i+1:])
		default:
			i += k.short(s, &p, w, k.args[i+1:])
		}
	}
	return p
}

// long reads --name or --name=value, and returns how many words after it are its value.
func (k *call) long(s *spec, p *parsed, w word, rest []word) int {
	name, value, joined := strings.Cut(w.text, "=")
	p.given = append(p.given, name)
	v := w.after(len(w.text) - len(value))
	v.src = value
	taken := 0
	takes := func() {
		if !joined && len(rest) > 0 {
			k.taken(s, name, rest[0])
			v, taken = rest[0], 1
		}
	}
	full := k.option(s, p, name, false)
	switch full {
	case 'v':
		takes()
	case 'r':
		takes()
		k.x.path(v, k.in, reads)
	case 'w':
		takes()
		k.x.path(v, k.in, writes)
	case 'o':
		k.x.unclear("The option %s of %s may run or change something.", name, k.name)
		if joined {
			k.asCode(word{text: "'" + value[strings.LastIndexByte(value, '=')+1:] + "'"})
		} else if len(rest) > 0 {
			k.asCode(word{text: "'" + rest[0].text + "'"})
		}
	case '?':
		k.x.unclear("The option %s of %s is not known.", name, k.name)
	}
	return taken
}

// short reads -abc, and returns how many words after it are a value.
func (k *call) short(s *spec, p *parsed, w word, rest []word) int {
	first, _, _ := strings.Cut(w.text, "=")
	if f := k.option(s, p, first, true); f != 0 && f != '?' && len(first) > 2 { // a long one with a single dash
		p.given = append(p.given, w.text)
		return k.long(s, p, w, rest)
	}
	for i := 1; i < len(w.text); i++ {
		name := "-" + w.text[i:i+1]
		if w.text[i] >= '0' && w.text[i] <= '9' && (s.open() || listed(s.options, "-#", true)) {
			continue
		}
		p.given = append(p.given, name)
		kind := k.option(s, p, name, true)
		if kind == 'o' {
			k.x.unclear("The option %s of %s may run or change something.", name, k.name)
			if k.asCode(word{text: "'" + w.text[i+1:] + "'"}); len(rest) > 0 {
				k.asCode(word{text: "'" + rest[0].text + "'"})
			}
		}
		if kind == '?' {
			k.x.unclear("The option %s of %s is not known.", name, k.name)
		}
		if kind != 'v' && kind != 'r' && kind != 'w' {
			continue
		}
		v, taken := w.after(i+1), 0
		v.src = v.text
		if v.text == "" && len(rest) > 0 {
			k.taken(s, name, rest[0])
			v, taken = rest[0], 1
		}
		switch kind {
		case 'r':
			k.x.path(v, k.in, reads)
		case 'w':
			k.x.path(v, k.in, writes)
		}
		return taken
	}
	return 0
}

// taken notes that a word counts as the value of the option before it. One that looks like an
// option may be one, where the program takes no value there.
func (k *call) taken(s *spec, option string, w word) {
	if !s.plain() && (strings.HasPrefix(w.text, "-") && len(w.text) > 1 || w.split) {
		k.x.unclear("%s may be an option of %s or the value of %s.", w.src, k.name, option)
	}
}

// option looks an option up: v takes a value, r and w the name of a file, o does something
// else, h is harmless, 0 is not listed and let be, ? is not known.
func (k *call) option(s *spec, p *parsed, name string, whole bool) byte {
	in := func(list string) bool { return listed(list, name, whole) }
	if in(s.noskip) {
		p.skipped = true
	}
	switch {
	case in(s.other):
		return 'o'
	case in(s.write):
		return 'w'
	case in(s.mutate):
		p.mutate = true
		return 'h'
	case in(s.read):
		return 'r'
	case listed(s.value, name, whole || !s.open()):
		return 'v'
	case listed(s.deep, name, true):
		p.deep = true
		return 'h'
	case listed(s.options, name, true):
		return 'h'
	case s.open():
		return 0
	}
	return '?'
}

// listed reports whether an option is in a list, cut short or not.
func listed(list, name string, whole bool) bool {
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if one == name || !whole && len(name) > 3 && strings.HasPrefix(one, name) {
			return true
		}
	}
	return false
}
