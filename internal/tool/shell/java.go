package shell

import (
	"context"
	_ "embed" // the help
	"strings"
	"time"

	"chela/internal/disk"
	"chela/internal/pattern"
	"chela/internal/tool"
)

//go:embed jbang_exec.md
var javaHelp string

// Java is a program in Java.
type Java struct {
	Code    string   `json:"code" doc:"one file with a main method"`
	Timeout int      `json:"timeout_seconds,omitempty" doc:"1 to 600; 60 when left out"`
	Network bool     `json:"network,omitempty" doc:"it may call out; without it there is no network"`
	Secrets []string `json:"secrets,omitempty" doc:"names of secrets that it gets as variables of the same names; each must be granted"`
}

var _ tool.Actor = Java{}

// Act implements tool.Actor.
func (p Java) Act(f disk.Folders) tool.Act {
	return tool.Act{Risk: tool.ExecShell, Dir: f.Resolve(""), Code: p.Code, Network: p.Network, Secrets: p.Secrets}
}

func (t tools) java(ctx context.Context, c tool.Call, in Java) (tool.Exit, error) {
	j := job(c, "")
	j.Network = in.Network
	var err error
	if j.Limits, err = limit(in.Timeout, time.Minute); err != nil {
		return tool.Exit{}, err
	}
	name := className(in.Code) + ".java"
	j.Files = map[string][]byte{name: []byte(in.Code)}
	file := tool.Scratch + "/" + name
	return t.runFirst(ctx, j, [][]string{
		{"jbang", "--quiet", "--offline", file}, // there is no network to fetch from
		{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", file},
	}, "Java is not installed where programs run: there is no jbang and no java. Use shell_exec or python_exec, or ask for a JDK to be installed.")
}

var typeName = pattern.New(`(?:^|[;{}\s])(public\s+)?(?:(?:final|abstract|sealed|non-sealed|strictfp|static)\s+)*(?:class|record|enum|interface)\s+([A-Za-z_][A-Za-z0-9_]{0,99})`)

// className returns the name of the file that Java wants for a source: that of its first
// public type, or else of its first type.
func className(source string) string {
	name := ""
	for _, m := range typeName.FindAllStringSubmatch(bare(source), -1) {
		if m[1] != "" {
			return m[2]
		}
		if name == "" {
			name = m[2]
		}
	}
	if name == "" {
		return "Main"
	}
	return name
}

// bare returns a Java source without its comments and the contents of its literals.
func bare(source string) string {
	var b strings.Builder
	for source != "" {
		skip := 0
		switch {
		case strings.HasPrefix(source, "//"):
			skip = through(source, 2, "\n")
		case strings.HasPrefix(source, "/*"):
			skip = through(source, 2, "*/")
		case strings.HasPrefix(source, `"""`):
			skip = literal(source, `"""`)
		case source[0] == '"', source[0] == '\'':
			skip = literal(source, source[:1])
		}
		if skip == 0 {
			b.WriteByte(source[0])
			skip = 1
		} else {
			b.WriteByte(' ')
		}
		source = source[skip:]
	}
	return b.String()
}

// through returns where end ends in s, looked for from an offset; all of s without it.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// literal returns the length of the literal at the beginning of s, up to quote.
func literal(s, quote string) int {
	for i := len(quote); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case s[i] == '\n' && len(quote) == 1:
			return i // not closed: the mistake is the compiler's to tell
		}
	}
	return len(s)
}
