package shell

import "strings"

// The options of the commands of git that look. Those that take their value from the next word
// are apart from those that do not: a word that is taken for a value is not read as an option.
const (
	gitWrite = "--output"
	gitOther = "--ext-diff --textconv --filters --lost-found --exec --upload-pack --web --show-signature"

	gitDiffValues  = "-U -l -S -G -I -O --inter-hunk-context"
	gitDiffOptions = "-# -p -u -s -z -a -b -w -c -m -r -t -R -B -M -C -D -W -X --patch --no-patch --unified --raw --patch-with-raw --indent-heuristic --no-indent-heuristic " +
		"--minimal --patience --histogram --anchored --diff-algorithm --stat --stat-width --stat-count --stat-graph-width --stat-name-width --compact-summary --numstat " +
		"--shortstat --dirstat --cumulative --summary --patch-with-stat --name-only --name-status --color --no-color --color-moved --no-color-moved --color-moved-ws " +
		"--word-diff --word-diff-regex --color-words --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight --full-index --binary --abbrev --no-abbrev " +
		"--break-rewrites --find-renames --find-copies --find-copies-harder --irreversible-delete --diff-filter --find-object --pickaxe-all --pickaxe-regex --relative " +
		"--no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines " +
		"--function-context --exit-code --quiet -q --no-ext-diff --no-textconv --ignore-submodules --src-prefix --dst-prefix --no-prefix --default-prefix --line-prefix " +
		"--ita-invisible-in-index --ita-visible-in-index --cc --combined-all-paths --root --cached --staged --merge-base --base --ours --theirs --no-index --diff-merges --no-diff-merges"

	gitLogValues  = gitDiffValues + " -n -L --max-count --skip --since --after --until --before --author --committer --grep --date"
	gitLogOptions = gitDiffOptions + " -i -E -F -P -g --since-as-filter --grep-reflog --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings " +
		"--perl-regexp --merges --no-merges --min-parents --max-parents --no-min-parents --no-max-parents --first-parent --not --all --branches --tags --remotes --glob " +
		"--exclude --reflog --bisect --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary --simplify-by-decoration --full-history " +
		"--dense --sparse --simplify-merges --ancestry-path --show-pulls --date-order --author-date-order --topo-order --reverse --objects --no-walk --do-walk --pretty " +
		"--format --abbrev-commit --no-abbrev-commit --oneline --encoding --expand-tabs --no-expand-tabs --notes --no-notes --no-show-signature --relative-date --parents " +
		"--children --left-right --graph --show-linear-break --count --disk-usage --timestamp --follow --decorate --no-decorate --decorate-refs --decorate-refs-exclude " +
		"--clear-decorations --source --use-mailmap --mailmap --no-mailmap --log-size --no-color-moved-ws"

	gitListValues  = "--points-at"
	gitListOptions = "-# -i --contains --no-contains --merged --no-merged --format --sort --color --no-color --column --no-column --abbrev --no-abbrev --ignore-case --omit-empty --count --exclude"
)

// gitLooks are the commands that only look, with what may be said to each.
var gitLooks = func() map[string]*spec {
	out := map[string]*spec{
		"status":    {options: "-s -b -v -u -z --short --branch --show-stash --porcelain --long --verbose --untracked-files --ignore-submodules --ignored --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames"},
		"rev-parse": {value: "--git-path", options: "-q --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --abbrev-ref --short --verify --quiet --all --branches --tags --remotes --symbolic --symbolic-full-name --show-superproject-working-tree --show-object-format --not --revs-only --no-revs --flags --no-flags --path-format --local-env-vars --since --until"},
		"ls-files":  {value: "-x --exclude --with-tree", read: "-X --exclude-from", options: "-c -d -m -o -i -s -u -k -z -t -v -f --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --exclude-standard --exclude-per-directory --error-unmatch --full-name --abbrev --eol --deduplicate --debug --format"},
		"ls-tree":   {options: "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev --format"},
		"cat-file":  {options: "-t -s -e -p -z --batch --batch-check --batch-command --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type"},
		"describe":  {value: "--match --exclude --candidates", options: "--all --tags --contains --abbrev --exact-match --debug --long --always --first-parent --dirty --broken"},
		"blame":     {value: "-L -S --ignore-rev --since", read: "--contents --ignore-revs-file", options: "-# -b -l -t -f -n -s -e -p -w -c -k -M -C --root --show-stats --porcelain --line-porcelain --incremental --show-name --show-number --show-email --date --score-debug --color-lines --color-by-age --minimal --abbrev --first-parent --reverse --progress --no-progress --encoding --no-textconv"},
		"grep": {value: "-e -A -B -C -m --max-depth --threads --after-context --before-context --context --max-count --parent-basename", read: "-f", other: "-O --open-files-in-pager", options: "-# -i -I -w -v -n -l -L -c -h -H -o -p -q -r -z -a -E -G -F -P -W --ignore-case --word-regexp --invert-match --line-number --name-only --files-with-matches --files-without-match " +
			"--count --heading --break --color --no-color --and --or --not --all-match --quiet --extended-regexp --basic-regexp --perl-regexp --fixed-strings --function-context --show-function --only-matching --full-name --text --no-textconv --untracked --cached --no-index --exclude-standard --no-exclude-standard --recursive --no-recursive --column --null"},
		"show-ref":         {options: "-d -s -q --head --heads --branches --tags --dereference --hash --verify --abbrev --quiet --exists"},
		"for-each-ref":     {value: gitListValues, options: gitListOptions + " -s -p --shell --perl --python --tcl"},
		"name-rev":         {options: "--tags --refs --exclude --all --name-only --no-undefined --always --stdin --annotate-stdin"},
		"merge-base":       {options: "-a --all --octopus --independent --is-ancestor --fork-point"},
		"cherry":           {options: "-v --abbrev"},
		"count-objects":    {options: "-v -H --verbose --human-readable"},
		"check-ignore":     {options: "-q -v -z -n --quiet --verbose --stdin --no-index --non-matching"},
		"check-attr":       {options: "-a -z --all --cached --stdin"},
		"check-ref-format": {options: "--branch --allow-onelevel --no-allow-onelevel --refspec-pattern --normalize --print"},
		"check-mailmap":    {options: "--stdin"},
		"var":              {options: "-l"},
		"version":          {options: "--build-options"},
		"show-branch":      {options: "-r -a -g --all --remotes --current --topo-order --date-order --sparse --more --list --merge-base --independent --no-name --sha1-name --topics --color --no-color --reflog"},
		"fsck":             {options: "-v --full --strict --unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --verbose --progress --no-progress --connectivity-only --name-objects"},
		"column":           {options: "--mode --raw-mode --width --indent --nl --padding --command"},
		"stash list":       {value: gitLogValues, options: gitLogOptions},
		"stash show":       {value: gitDiffValues, options: gitDiffOptions + " --include-untracked --only-untracked --pretty --format"},
		"worktree":         {value: "--expire", options: "-v -z --verbose --porcelain"},
		"branch":           {value: gitListValues, options: gitListOptions + " -a -r -v -l -q --list --all --remotes --verbose --show-current --quiet"},
		"tag":              {value: gitListValues, options: gitListOptions + " -n -l --list"},
		"remote":           {options: "-v --verbose --all --push"},
		"reflog":           {value: gitLogValues, options: gitLogOptions},
		"submodule":        {options: "-q --quiet --cached --recursive --files --summary-limit"},
		"bisect":           {},
		"config":           {read: "-f --file --blob", value: "--type --default", options: "-l -z --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --global --local --system --worktree --show-origin --show-scope --name-only --null --bool --int --bool-or-int --bool-or-str --path --expiry-date --includes --no-includes --fixed-value --all --regexp --value --url"},
		"clean":            {value: "-e --exclude", options: "-n -d -x -X -f -q --dry-run --force --quiet"},
	}
	for _, name := range []string{"log", "show", "whatchanged", "shortlog", "rev-list"} {
		out[name] = &spec{value: gitLogValues, options: gitLogOptions}
	}
	out["shortlog"] = &spec{value: strings.Replace(gitLogValues, " -n ", " ", 1), options: gitLogOptions + " -n -e -w --summary --numbered --email --group"}
	for _, name := range []string{"diff", "diff-tree", "diff-index", "diff-files", "range-diff"} {
		out[name] = &spec{value: gitDiffValues, options: gitDiffOptions + " -v --stdin --no-commit-id --always --pretty --format --creation-factor --no-dual-color --left-only --right-only --notes --no-notes"}
	}
	out["annotate"] = out["blame"]
	for _, s := range out {
		s.write, s.other = gitWrite, gitOther+" "+s.other
	}
	return out
}()
