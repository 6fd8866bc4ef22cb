package tool

import (
	"maps"
	"strconv"
)

// A GitSetting is one of Git's configuration.
type GitSetting struct{ Key, Value string }

// QuietGit are settings that keep a repository from starting programs of its own: what it
// names to watch files, to show, to edit, to sign, to log in or to connect is not run, nor
// are its hooks. Given with a call they stand above the repository's own.
func QuietGit() []GitSetting {
	return []GitSetting{
		{"core.fsmonitor", "false"},
		{"core.hooksPath", "/dev/null"},
		{"core.attributesFile", "/dev/null"},
		{"core.pager", "cat"},
		{"core.editor", "true"},
		{"sequence.editor", "true"},
		{"diff.external", ""},
		{"core.askPass", "false"},
		{"credential.helper", ""},
		{"core.sshCommand", "ssh"},
		{"protocol.ext.allow", "never"},
		{"commit.gpgSign", "false"},
		{"tag.gpgSign", "false"},
		{"log.showSignature", "false"},
		{"gpg.program", "gpg"},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"safe.directory", "*"},
	}
}

// QuietGitEnv is the environment in which any Git that a program starts has these settings.
func QuietGitEnv() map[string]string {
	settings := QuietGit()
	env := map[string]string{"GIT_CONFIG_COUNT": strconv.Itoa(len(settings)), "GIT_TERMINAL_PROMPT": "0"}
	for i, s := range settings {
		n := strconv.Itoa(i)
		maps.Copy(env, map[string]string{"GIT_CONFIG_KEY_" + n: s.Key, "GIT_CONFIG_VALUE_" + n: s.Value})
	}
	return env
}
