package disk

import (
	"path"
	"slices"
	"strings"
)

// startups are files and folders that programs run what is in, without being asked.
var startups = []string{
	".git/hooks", ".git/config", ".gitconfig", ".config/git/config", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin", ".kshrc", ".cshrc", ".tcshrc", ".config/fish", ".xinitrc", ".xsession", ".xprofile", ".config/autostart", ".config/systemd",
	"library/launchagents", "library/launchdaemons", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc", ".vimrc", ".config/nvim", ".emacs", ".emacs.d", ".inputrc",
	".pythonrc", ".pythonstartup", ".gdbinit", ".lesskey", ".lessfilter", ".pam_environment", ".envrc", "var/spool/cron", "etc/cron.d", "etc/profile.d",
}

// Startup reports whether programs run what the file at path says without being asked:
// hooks and settings of git, files with which shells begin, timers and the like.
func Startup(file string) bool {
	slashed := "/" + strings.Trim(path.Clean("/"+Fold(file)), "/") + "/"
	return slices.ContainsFunc(startups, func(s string) bool { return strings.Contains(slashed, "/"+s+"/") })
}
