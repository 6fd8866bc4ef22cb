package shell

// The options that several programs have in common, none of which does more than change what
// is printed.
const (
	sumOptions = "-b -c -t -w -z --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --untagged --help --version"
	lsOptions  = "-1 -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -O -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -@ -e " +
		"--all --almost-all --author --escape --block-size --ignore-backups --color --directory --dired --classify --file-type --format --full-time " +
		"--group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --hyperlink " +
		"--indicator-style --inode --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name " +
		"--quoting-style --reverse --recursive --size --sort --time --time-style --context --zero --help --version"
	exaValues  = "-L -s -I -t --level --sort --ignore-glob --time --time-style --color-scale"
	exaOptions = "-1 -a -A -b -B -d -D -f -F -g -G -h -H -i -l -m -n -o -r -R -S -T -u -U -x -X -Z -@ --all --almost-all --long --grid --tree --recurse --oneline " +
		"--across --classify --color --colour --icons --no-icons --binary --bytes --group --header --links --inode --modified --accessed --created --changed --blocks " +
		"--list-dirs --only-dirs --only-files --reverse --group-directories-first --git --git-ignore --git-repos --extended --no-permissions --no-filesize --no-user " +
		"--no-time --octal-permissions --numeric --hyperlink --help --version"
)
