package skill

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"chela/internal/confusable"
	"chela/internal/pattern"
	"chela/internal/yamlfile"
)

// A Finding is something of a skill that a person should see before it is used.
type Finding struct {
	Kind    string `json:"kind" enum:"hidden,danger,order,link,comment,binary,tools" doc:"hidden: characters that cannot be seen; danger: a command that can do harm; order: words that speak against the rules; link: an address"`
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Text    string `json:"text"`
	Refused bool   `json:"refused,omitempty" doc:"the skill is not installed because of it"`
}

// A sign is a form of text that is looked for.
type sign struct {
	kind string
	form *pattern.Pattern
	why  string
}

var signs = []sign{ //nolint:gochecknoglobals // a table
	{"danger", pattern.New(`(?i)\b(curl|wget|fetch)\b[^\n|;]*\|\s*(sudo\s+)?(ba|z|da|k)?sh\b`), "It runs what it fetches."},
	{"danger", pattern.New(`(?i)\b(curl|wget)\b[^\n|;]*\|\s*(sudo\s+)?(python3?|node|perl|ruby)\b`), "It runs what it fetches."},
	{"danger", pattern.New(`\b(ba|z|da)?sh\s+(-c\s+)?["']?[$<]\(\s*(curl|wget)\b`), "It runs what it fetches."},
	{"danger", pattern.New(`(?i)\bbase64\s+(-d|-D|--decode)\b[^\n]*\|\s*(ba|z|da)?sh\b`), "It runs what it decodes."},
	{"danger", pattern.New(`\beval\s+["']?\$`), "It runs what is in a variable."},
	{"danger", pattern.New(`(?i)\b(exec|eval)\s*\(\s*(base64|requests|urllib|compile|atob|Buffer\.from)`), "It runs what it decodes or fetches."},
	{"danger", pattern.New(`\brm\s+(-[a-zA-Z]*\s+)*-[a-zA-Z]*[rR][a-zA-Z]*\s+(--\s+)?["']?(/|~|\$HOME|\*)`), "It removes folders outside its own."},
	{"danger", pattern.New(`(?i)(~|\$HOME|/root|/home/[a-z0-9_-]+)/\.(ssh|aws|gnupg|netrc|kube|docker|config/gcloud|npmrc|pypirc|git-credentials)\b|\bid_(rsa|ed25519)\b|/etc/shadow\b`), "It reads files with secrets."},
	{"danger", pattern.New(`/dev/tcp/|\bnc\s+(-[a-z]+\s+)*-e\b|\bncat\b[^\n]*--exec|\bmkfifo\b`), "It opens a connection for another program."},
	{"danger", pattern.New(`(?i)\b(env|printenv|set)\b\s*\|[^\n]*\b(curl|wget|nc)\b|\bcurl\b[^\n]*(\$\(\s*(env|printenv|cat)\b|--data(-binary|-raw)?\s+@)`), "It sends what it has to an address."},
	{"danger", pattern.New(`\bsudo\s+\S|\bchmod\s+(-R\s+)?(0?777|[ugoa]*\+s)\b|\bsetcap\b`), "It takes more rights than it has."},
	{"danger", pattern.New(`(?i)\bcrontab\s+(-|\S)|\bsystemctl\s+(--user\s+)?enable\b|LaunchAgents|>>\s*["']?(~|\$HOME)/\.(bashrc|zshrc|profile|bash_profile)`), "It makes something begin by itself."},
	{"danger", pattern.New(`--dangerously-[a-z-]+|--no-sandbox\b|\bbypassPermissions\b|--yolo\b`), "It switches a guard off."},
	{"danger", pattern.New(`\bmkfs(\.[a-z0-9]+)?\s|\bdd\s[^\n]*\bof=/dev/|:\(\)\s*\{\s*:\|:&\s*\};:`), "It destroys a disk, or floods a machine."},
	{"order", pattern.New(`(?i)\b(ignore|disregard|forget|override)\b[^.\n]{0,40}\b(previous|prior|above|earlier|system|all|other|house)\b[^.\n]{0,30}\b(instructions?|rules?|prompts?|directives?)\b`), "It speaks against other rules."},
	{"order", pattern.New(`(?i)\b(do not|don't|never|without)\b[^.\n]{0,30}\b(tell(ing)?|inform(ing)?|ask(ing)?|mention(ing)?( (this|it))? to|notify(ing)?|reveal(ing)?( (this|it))? to)\b[^.\n]{0,20}\b(the user|the person|anyone|a human|the owner|users?|people)\b`), "It hides something from people."},
	{"order", pattern.New(`(?i)\byou are now\b|\bact as (root|admin|an unrestricted)\b|\bnew system prompt\b`), "It makes another of the agent."},
}

var (
	address = pattern.New(`https?://[^\s<>"'` + "`" + `)\]}]+`)
	unseen  = pattern.New(`(?s)<!--.*?-->`)
)

// maxFindings is how many are shown.
const maxFindings = 100

// Scan looks through a skill for what a person should see. What it cannot read as text it says.
func (s Skill) Scan() []Finding {
	sc := search{out: []Finding{}, hosts: make(map[string]Finding)}
	for _, name := range slices.Sorted(maps.Keys(s.parcel)) {
		body := s.parcel[name]
		text := string(body)
		if !utf8.Valid(body) || strings.ContainsRune(text, 0) {
			sc.out = append(sc.out, Finding{Kind: "binary", File: name, Text: fmt.Sprintf("It has %d bytes that are no text; nobody has read them.", len(body))})
			continue
		}
		sc.out = append(sc.out, hidden(name, text)...)
		for n, l := range strings.Split(text, "\n") {
			sc.line(name, n+1, l)
		}
		if name == manifest {
			sc.settings(text, s.decoded)
		}
		if strings.HasSuffix(name, ".md") {
			for _, c := range unseen.FindAllStringIndex(text, -1) {
				sc.out = append(sc.out, Finding{Kind: "comment", File: name, Line: 1 + strings.Count(text[:c[0]], "\n"), Text: "A comment is not shown where the file is: " + shown(text[c[0]:c[1]])})
			}
		}
	}
	for _, host := range slices.Sorted(maps.Keys(sc.hosts)) {
		sc.out = append(sc.out, sc.hosts[host])
	}
	slices.SortStableFunc(sc.out, func(a, b Finding) int { return rank(a) - rank(b) })
	return sc.out[:min(len(sc.out), maxFindings)]
}

// A search is what was found of a skill up to now.
type search struct {
	out   []Finding
	hosts map[string]Finding // the first link to each
}

// line looks for signs and links in a line of a file.
func (sc *search) line(name string, n int, l string) {
	for _, sg := range signs {
		if sg.form.MatchString(l) {
			sc.out = append(sc.out, Finding{Kind: sg.kind, File: name, Line: n, Text: sg.why + " " + shown(l)})
		}
	}
	for _, link := range address.FindAllString(l, -1) {
		u, err := url.Parse(link)
		if err != nil || u.Hostname() == "" {
			continue
		}
		if host := strings.ToLower(u.Hostname()); sc.hosts[host].File == "" {
			sc.hosts[host] = Finding{Kind: "link", File: name, Line: n, Text: "It names " + shown(link)}
		}
	}
}

// settings looks through the settings of a SKILL.md as they are decoded, which is how models read them: an escape such as \u202E is
// harmless in the file and hides text in its value. What stands in the file as it is was looked at there.
func (sc *search) settings(file string, decoded []yamlfile.Text) {
	for _, t := range decoded {
		at := t.Line + 1 // they begin in the second line of the file
		for l := range strings.SplitSeq(t.Value, "\n") {
			if strings.Contains(file, l) {
				continue
			}
			for _, f := range hidden(manifest, l) {
				f.Line = at
				sc.out = append(sc.out, f)
			}
			sc.line(manifest, at, l)
		}
	}
}

// rank is the order in which findings are shown.
func rank(f Finding) int {
	return slices.Index([]string{"hidden", "danger", "order", "comment", "binary", "tools", "link"}, f.Kind)
}

// hidden finds what reads otherwise than it is, which no skill may hold.
func hidden(name, text string) []Finding {
	var out []Finding
	for n, l := range strings.Split(text, "\n") {
		for _, what := range confusable.Describe(strings.TrimPrefix(strings.TrimSuffix(l, "\r"), "\ufeff")) {
			out = append(out, Finding{Kind: "hidden", File: name, Line: n + 1, Text: what, Refused: true})
		}
		if len(out) >= 20 {
			break
		}
	}
	return out
}

// shown is a line for people, not too long.
func shown(l string) string {
	l = confusable.Reveal(strings.Join(strings.Fields(l), " "))
	if len(l) > 160 {
		l = strings.ToValidUTF8(l[:160], "") + "…"
	}
	return l
}
