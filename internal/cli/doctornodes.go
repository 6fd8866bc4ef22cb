package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/guard"
	"chela/internal/vault"
)

// examineFiles names the files with secrets that others on this machine may read.
func examineFiles(data string) []check {
	if runtime.GOOS == "windows" { // its modes say nothing of who may read
		return nil
	}
	var out []check
	for _, name := range []string{daemon.TokenFile, daemon.NodeKeyFile, vault.KeyFile} {
		file := filepath.Join(data, name)
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			out = append(out, check{"files", false, fmt.Sprintf("%s cannot be looked at: %v.", file, err)})
		case info.Mode().Perm()&^0o600 != 0:
			out = append(out, check{"files", false, fmt.Sprintf("%s is open to others (its mode is %04o). Close it: chmod 600 %s", file, info.Mode().Perm(), quoted(file))})
		}
	}
	return out
}

// quoted is a path as a shell reads it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+:@%", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// examineProxies says whose word is believed for whom a request comes, and of those that are not believed whether they may be proxies.
func examineProxies(cfg config.Proxies, doubted []string) []check {
	var out []check
	if len(cfg.Trusted) > 0 {
		header := cfg.Header
		if header != config.Forwarded {
			header = "X-Forwarded-For and X-Forwarded-Proto"
		}
		out = append(out, check{"proxies", true, fmt.Sprintf("What %s says of where requests come from is believed of %s.", header, strings.Join(cfg.Trusted, ", "))})
	}
	if len(doubted) > 0 {
		out = append(out, check{"proxies", false, fmt.Sprintf("Requests that a proxy handed on came from %s, which is not trusted: they count as the proxy's own, and the cookies of logins are not for TLS alone. If it is yours, list it in chela.yaml: proxies: {trusted: [%s]}.",
			strings.Join(doubted, ", "), strings.Join(doubted, ", "))})
	}
	return out
}

// examineNodes says of daemons that share a database what they have to share, too.
func examineNodes(s client.Status) []check {
	if len(s.Nodes) < 2 {
		return nil
	}
	out := []check{{"nodes", true, strings.Join(s.Nodes, ", ") + " share the database and the artifacts."}}
	if len(s.NodesApart) > 0 {
		folder := ""
		if s.Artifacts != "" {
			folder = ", " + s.Artifacts
		}
		out[0] = check{"nodes", false, fmt.Sprintf("%s share the database, but %s not share the folder of artifacts of %s%s. Set artifacts in chela.yaml (or --artifacts) to one folder that all reach.",
			strings.Join(s.Nodes, ", "), does(s.NodesApart), s.Node, folder)}
	}
	if len(s.NodePolicies) == 0 {
		return out
	}
	by := make(map[string][]string) // digest → nodes
	for _, n := range slices.Sorted(maps.Keys(s.NodePolicies)) {
		by[s.NodePolicies[n]] = append(by[s.NodePolicies[n]], n)
	}
	var groups []string
	for _, digest := range slices.Sorted(maps.Keys(by)) {
		what := "that of SHA-256 " + digest[:min(12, len(digest))] + "…"
		if digest == guard.NoPolicy {
			what = "none"
		}
		groups = append(groups, fmt.Sprintf("%s (%s)", strings.Join(by[digest], ", "), what))
	}
	err := fault.New(fault.Invalid, "The nodes go by different policies: %s. Copy one policy.yaml into the data folder of each.", strings.Join(groups, "; "))
	return append(out, check{"policies", false, textOf(err)})
}

// does names nodes with their verb.
func does(nodes []string) string {
	verb := " do"
	if len(nodes) == 1 {
		verb = " does"
	}
	return strings.Join(nodes, ", ") + verb
}
