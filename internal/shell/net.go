package shell

import (
	"strings"
)

func curl(k *call) {
	if version(k) {
		return
	}
	k.x.network("curl")
	k.apply(&spec{
		loose: true,
		value: "-H -A -e -u -U -x -X -m -w -b -y -Y -z -r -C -Q -t -h --header --user-agent --referer --user --proxy --request --max-time --connect-timeout --write-out --cookie --retry --retry-delay --retry-max-time --range --max-redirs --resolve --url --interface --limit-rate --max-filesize --tls-max --ciphers --json",
		read:  "-T --upload-file -E --cert --key --cacert --capath --netrc-file",
		write: "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --output-dir --hsts --alt-svc --etag-save --libcurl",
		other: "-K --config --proto-default --unix-socket --abstract-unix-socket --engine --doh-url -q --next",
	})
	for i, a := range k.args {
		text := a.text
		if strings.HasPrefix(text, "-o") || a.text == "-O" || strings.HasPrefix(text, "--remote-name") || text == "-J" || clustered(text, 'O') {
			k.x.r.writes = true
			if strings.Contains(text, "O") || strings.HasPrefix(text, "--remote") {
				k.x.path(literal("."), k.in, writes)
			}
		}
		data := ""
		switch {
		case i > 0 && (oneOf(k.args[i-1].text, "-d", "-F", "--form", "-T") || strings.HasPrefix(k.args[i-1].text, "--data") || k.args[i-1].text == "--json" || k.args[i-1].text == "-H"):
			data = text
		case strings.HasPrefix(text, "-d"), strings.HasPrefix(text, "-F"):
			data = text[2:]
		case strings.HasPrefix(text, "--data"), strings.HasPrefix(text, "--form"), strings.HasPrefix(text, "--json"):
			_, data, _ = strings.Cut(text, "=")
		case strings.HasPrefix(strings.ToLower(text), "file:"):
			k.x.path(literal("/"+strings.TrimLeft(text[5:], "/")), k.in, reads)
		}
		if j := strings.IndexAny(data, "@<"); j >= 0 {
			file, _, _ := strings.Cut(data[j+1:], ";")
			k.x.path(literal(file), k.in, reads)
		}
	}
}

func clustered(s string, c byte) bool {
	return len(s) > 2 && s[0] == '-' && s[1] != '-' && strings.IndexByte(s, c) > 0
}

func wget(k *call) {
	if version(k) {
		return
	}
	x := k.x
	x.network("wget")
	x.r.writes = true
	p := k.apply(&spec{
		loose: true,
		value: "-t -T -w -Q -U -e -l -A -R -D -I -X --tries --timeout --wait --user-agent --header --user --password --level --accept --reject --domains --post-data --method --body-data --max-redirect",
		read:  "-i --input-file --post-file --body-file --load-cookies --certificate --private-key --ca-certificate",
		write: "-O -o -a -P --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file --rejected-log",
		other: "-e --execute --config --use-askpass --delete-after",
	})
	if !p.has("-O", "--output-document", "-P", "--directory-prefix") {
		x.path(literal("."), k.in, writes)
	}
}

// remote reports whether a word names a file on another machine: host:path.
func remote(w word) bool {
	i := strings.IndexByte(w.text, ':')
	return i > 0 && !strings.Contains(w.text[:i], "/") || strings.Contains(w.text, "://")
}

func rsync(k *call) {
	if version(k) {
		return
	}
	k.x.r.writes = true
	p := k.parse(&spec{
		loose: true,
		value: "-B -f --exclude --include --filter --chmod --bwlimit --timeout --max-size --min-size --info --out-format --port --block-size",
		read:  "--exclude-from --include-from --files-from --password-file --copy-dest --link-dest --compare-dest",
		write: "-T --temp-dir --backup-dir --partial-dir --log-file",
		other: "-e --rsh --rsync-path --daemon -M --remote-option --remove-source-files",
	})
	for i, w := range p.operands {
		switch {
		case remote(w):
			k.x.network("rsync")
		case i == len(p.operands)-1 && i > 0:
			k.x.path(w, k.in, writes)
			if len(p.given) > 0 && strings.Contains(strings.Join(p.given, " "), "--del") {
				k.destroy(w, true)
			}
		default:
			k.x.path(w, k.in, sweeps)
		}
	}
}

func scp(k *call) {
	k.x.network("scp")
	k.x.r.writes = true
	p := k.parse(&spec{loose: true, value: "-c -l -P -o -D -X", read: "-i -F", other: "-S -J -o"})
	for i, w := range p.operands {
		switch {
		case remote(w):
		case i == len(p.operands)-1 && i > 0:
			k.x.path(w, k.in, writes)
		default:
			k.x.path(w, k.in, sweeps)
		}
	}
}

// remoteShell judges ssh: what runs elsewhere is read for dangers, and is not known.
func remoteShell(k *call) {
	if version(k) {
		return
	}
	x := k.x
	x.network("ssh")
	x.r.opaque = true
	x.unclear("What ssh runs on another machine is not known.")
	args := k.args
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		a := args[0]
		args = args[1:]
		if len(a.text) == 2 && strings.Contains("BbcDEeFIiJLlmOopQRSWw", a.text[1:]) && len(args) > 0 {
			if oneOf(a.text, "-i", "-F", "-E") {
				x.path(args[0], k.in, reads)
			}
			if a.text == "-o" {
				_, value, _ := strings.Cut(args[0].text, "=")
				k.asCode(word{text: "'" + value + "'"})
			}
			args = args[1:]
		}
	}
	if len(args) > 1 {
		code := joined(args[1:])
		code.kind = exact
		k.shellCode(code, "What ssh runs elsewhere")
	}
	if k.std.known {
		k.asCode(k.std.text)
	}
}

// fetched judges programs that fetch other programs and run them.
func fetched(k *call) {
	if version(k) {
		return
	}
	k.x.r.opaque = true
	k.x.network(k.name)
	k.x.runs(k.name)
	k.x.unclear("What %s fetches and runs is not known.", k.name)
	k.hidden(k.args)
	k.leftovers()
}

func ip(k *call) {
	seen := 0 // the object, then what is done with it
	for _, a := range k.args {
		option := strings.HasPrefix(a.text, "-")
		switch {
		case a.kind != exact || seen > 0 && oneOf(a.text, "add", "del", "delete", "set", "change", "replace", "flush", "exec", "append"):
			k.x.danger("ip changes the network.")
			return
		case option && !oneOf(a.text, "-4", "-6", "-s", "-d", "-br", "-brief", "-c", "-color", "-j", "-json", "-o", "-p", "-V", "-h", "-a"),
			!option && seen == 0 && !oneOf(a.text, "a", "addr", "address", "l", "link", "r", "route", "n", "neigh", "rule", "maddr"),
			!option && seen == 1 && !oneOf(a.text, "show", "list", "ls", "get", "dev", "s"):
			k.x.unclear("It cannot be known what ip does with %s.", a.src)
		}
		if !option {
			seen++
		}
	}
}
