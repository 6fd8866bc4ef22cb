package tool

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"

	"chela/internal/fault"
)

// A GitSetting is one of Git's configuration.
type GitSetting struct{ Key, Value string }

// QuietGit are settings that keep a repository from starting programs of its own: what it
// names to watch files, to show, to edit, to sign, to log in or to connect is not run, nor
// are its hooks, and Git does not go into submodules, which have settings of their own. Given
// with a call they stand above the repository's. Programs for which a repository chooses the
// name of the setting, such as filters, are not among them: see [QuietGitIn].
func QuietGit() []GitSetting {
	return []GitSetting{
		{"core.fsmonitor", "false"},
		{"core.hooksPath", "/dev/null"},
		{"core.attributesFile", "/dev/null"},
		{"core.pager", "cat"},
		{"core.editor", "true"},
		{"core.alternateRefsCommand", "true"},
		{"sequence.editor", "true"},
		{"interactive.diffFilter", "cat"},
		{"core.askPass", "false"},
		{"credential.helper", ""},
		{"core.sshCommand", "ssh"},
		{"protocol.ext.allow", "never"},
		{"commit.gpgSign", "false"},
		{"tag.gpgSign", "false"},
		{"log.showSignature", "false"},
		{"gpg.program", "gpg"},
		{"gpg.openpgp.program", "gpg"},
		{"gpg.x509.program", "gpgsm"},
		{"gpg.ssh.program", "ssh-keygen"},
		{"gpg.ssh.defaultKeyCommand", "true"},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"safe.directory", "*"},
		{"submodule.recurse", "false"},
		{"diff.submodule", "short"},
		{"diff.ignoreSubmodules", "dirty"},
		{"status.submoduleSummary", "false"},
	}
}

// plainDiff is a program for a shell that shows the difference between two files as Git does
// by itself.
const plainDiff = `f() { [ $# -gt 2 ] || return 0; printf 'diff --git a/%s b/%s\n' "$1" "$1"; diff -u --label "a/$1" --label "b/$1" "$2" "$5" || :; }; f`

// QuietGitFor are settings that silence the programs that these keys of a repository's
// configuration may name. A filter is left out where git reads; where writes is set git fails
// instead, so that nothing is stored unfiltered that was to be filtered.
func QuietGitFor(keys []string, writes bool) []GitSetting {
	var out []GitSetting
	seen := map[string]bool{}
	set := func(key, value string) {
		if !seen[key] {
			seen[key] = true
			out = append(out, GitSetting{key, value})
		}
	}
	for _, key := range keys {
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		if first < 0 {
			continue
		}
		section, name, named := strings.ToLower(key[:first]), strings.ToLower(key[last+1:]), first < last
		switch section {
		case "filter":
			if driver := key[:last]; named {
				set(driver+".clean", "")
				set(driver+".smudge", "")
				set(driver+".process", "")
				set(driver+".required", strconv.FormatBool(writes))
			}
		case "diff":
			switch {
			case !named && name == "external", named && name == "command":
				set(key, plainDiff)
			case named && name == "textconv":
				set(key, "cat")
			case named && name == "cachetextconv":
				set(key, "false")
			}
		case "merge":
			if named && name == "driver" {
				set(key, "false")
			}
		case "pager":
			set(key, "false")
		case "credential":
			if named && name == "helper" {
				set(key, "")
			}
		case "trailer":
			if named && (name == "command" || name == "cmd") {
				set(key, "true")
			}
		case "remote": // a clone without all objects asks for them while it is read
			if named && (name == "uploadpack" || name == "receivepack") {
				set(key, "git-"+strings.TrimSuffix(name, "pack")+"-pack")
			}
		case "submodule":
			if named {
				set(key[:last]+".ignore", "dirty")
			}
		}
	}
	return out
}

// listGit is a program for a shell that prints the keys of the configuration in each of some
// folders, and what is said of submodules there, each with a zero byte after it.
const listGit = `for d in "$@"; do
	cd "$d" 2>/dev/null || continue
	git config --list --name-only --includes -z
	git config --blob :.gitmodules --list --name-only -z
	top=$(git rev-parse --show-toplevel) && git config --file "$top/.gitmodules" --list --name-only -z
done 2>/dev/null
:`

// QuietGitIn reads the configuration that Git goes by in some folders and returns the settings
// of [QuietGit] with those of [QuietGitFor]. Reading it starts no program of a repository. The
// job says where and with what rights it is read.
func QuietGitIn(ctx context.Context, r Runner, j Job, writes bool, folders ...string) ([]GitSetting, error) {
	j.Argv = append([]string{"sh", "-c", listGit, "sh"}, folders...)
	j.Stdin, j.Files, j.Network, j.Output, j.Changes, j.Limits = nil, nil, false, nil, nil, Limits{Output: 1 << 20}
	env := maps.Clone(j.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, GitEnv(QuietGit()))
	j.Env = env
	exit, err := r.Run(ctx, j)
	switch {
	case errors.Is(err, ErrNoProgram):
		return QuietGit(), nil // without a shell there is nothing that Git could start
	case err != nil:
		return nil, err
	case exit.Cut || exit.Code != 0:
		return nil, fault.New(fault.Denied, "The settings of the Git repository in %s cannot be read, so it is not known which programs they name.", strings.Join(folders, ", "))
	}
	return append(QuietGit(), QuietGitFor(strings.Split(exit.Stdout, "\x00"), writes)...), nil
}

// GitEnv is the environment in which any Git that a program starts has these settings, and
// asks nobody.
func GitEnv(settings []GitSetting) map[string]string {
	env := map[string]string{"GIT_CONFIG_COUNT": strconv.Itoa(len(settings)), "GIT_TERMINAL_PROMPT": "0"}
	for i, s := range settings {
		n := strconv.Itoa(i)
		maps.Copy(env, map[string]string{"GIT_CONFIG_KEY_" + n: s.Key, "GIT_CONFIG_VALUE_" + n: s.Value})
	}
	return env
}
