package shell

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"chela/internal/disk"
	"chela/internal/pattern"
)

// systemFolders belong to the system with all that is in them.
var systemFolders = []string{
	"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr", "/run", "/private/etc",
	"/var/lib", "/var/log", "/var/spool", "/var/db", "/root/.ssh", "/system", "/library", "/applications", "/private/var/db",
}

// topFolders hold what belongs to the system or to people; they themselves are not to be removed.
var topFolders = []string{"/", "/home", "/root", "/users", "/var", "/opt", "/srv", "/mnt", "/media", "/tmp", "/var/tmp", "/private", "/private/var", "/volumes", "/snap", "/nix"}

func systemPath(p string) bool {
	p = disk.Fold(p)
	if quietDevice(p) || strings.HasPrefix(p, "/dev/shm/") || strings.HasPrefix(p, "/usr/local/") && strings.Count(p, "/") > 3 {
		return false
	}
	return slices.ContainsFunc(systemFolders, func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") })
}

// precious reports whether the folder at p is one whose loss is a disaster, and what it is.
func (x *walk) precious(p string) (string, bool) {
	low := disk.Fold(p)
	switch {
	case p == "/":
		return "the whole disk", true
	case systemPath(p), oneOf(low, topFolders...), strings.HasPrefix(p, "/") && strings.Count(p, "/") == 1:
		return p + ", which belongs to the system", true
	case p == "~" || strings.HasPrefix(p, "~") && !strings.Contains(p, "/"), p == x.sh.Home && p != "",
		(strings.HasPrefix(low, "/home/") || strings.HasPrefix(low, "/users/")) && strings.Count(low, "/") == 2:
		return "the home folder " + p, true
	case disk.Fold(path.Base(p)) == ".git":
		return "the history of the project, " + p, true
	}
	roots := []string{x.sh.Home, x.sh.Dir}
	for _, g := range x.sh.Folders.All() {
		roots = append(roots, g.Path)
	}
	for _, r := range roots {
		if r == "" || !filepath.IsAbs(p) {
			continue
		}
		if rel, err := filepath.Rel(p, r); err == nil && filepath.IsLocal(rel) {
			return "the whole folder " + p, true
		}
	}
	return "", false
}

// destroy judges the removal of what a word names; all is whether everything below goes.
func (k *call) destroy(w word, all bool) {
	x := k.x
	x.r.writes = true
	if all && (w.kind == unknown || w.proc) {
		x.danger("It removes what %s stands for, which cannot be known.", w.src)
	}
	for _, p := range x.resolve(w, k.in) {
		x.use(p, w, writes)
		targets := []string{p}
		if real, changed := x.follow(p); changed {
			targets = append(targets, real)
		}
		for _, t := range targets {
			what, bad := x.precious(t)
			if bad && w.kind == globbed {
				last := w.text[strings.LastIndexByte(w.text[:w.meta], '/')+1:]
				bad = strings.Trim(last, "*?.!^[]/{}") == "" || systemPath(t) || t == "/"
			}
			if bad && (all || systemPath(t)) {
				x.danger("It removes %s.", what)
			}
		}
	}
}

// dangerousNames are programs that cannot do much good in the hands of an agent, with what
// they do.
var dangerousNames = func() map[string]string {
	out := map[string]string{}
	for what, list := range map[string]string{
		"changes disks and file systems": "wipefs fdisk sfdisk cfdisk gdisk sgdisk parted mkswap swapoff swapon blkdiscard hdparm nvme cryptsetup lvremove vgremove pvremove lvcreate vgcreate pvcreate mdadm losetup mount umount fsck diskutil tune2fs resize2fs badblocks format newfs zpool zfs btrfs debugfs mke2fs",
		"destroys files for good":        "shred wipe srm",
		"changes the firewall":           "iptables ip6tables iptables-restore ip6tables-restore iptables-legacy nft ufw firewall-cmd pfctl ebtables arptables ipset",
		"changes users and passwords":    "useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup passwd chpasswd visudo vipw vigr gpasswd chsh chfn newusers su login dscl",
		"stops the machine":              "shutdown reboot poweroff halt init telinit kexec",
		"changes the kernel":             "insmod rmmod modprobe setenforce",
		"changes what runs later":        "at batch launchctl update-rc.d chkconfig",
		"drops a database":               "dropdb dropuser",
		"rewrites the history of git":    "git-filter-repo bfg",
	} {
		for _, name := range strings.Fields(list) {
			out[name] = what
		}
	}
	return out
}()

// dangerous judges a program by its name, and by what makes some arguments dangerous
// whatever else is known of it.
func (k *call) dangerous() {
	x := k.x
	what, bad := dangerousNames[k.name]
	switch {
	case bad && !k.asks():
		x.danger("%s %s.", k.name, what)
	case strings.HasPrefix(k.name, "mkfs") || strings.HasPrefix(k.name, "fsck.") || strings.HasPrefix(k.name, "newfs_"):
		x.danger("%s changes disks and file systems.", k.name)
	case k.name == "crontab" && !k.asks():
		x.danger("crontab changes what runs later.")
	case k.name == "sysctl" && k.any("-w", "--write", "-p", "--load"):
		x.danger("sysctl changes the kernel.")
	case k.name == "kill" && k.any("-1"):
		if n := len(k.args); n > 1 && k.args[n-1].text == "-1" {
			x.danger("It ends every process.")
		}
	case oneOf(k.name, "terraform", "tofu", "pulumi") && k.any("destroy", "-destroy"), oneOf(k.name, "helm") && k.any("uninstall", "delete"),
		oneOf(k.name, "aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "mc", "doctl", "fly", "flyctl", "heroku") &&
			k.matches(`^(delete|delete-.*|terminate-.*|rm|rb|destroy|purge|apps:destroy)$`),
		k.name == "gh" && k.any("delete"), oneOf(k.name, "vercel", "firebase") && k.any("rm", "remove", "delete"):
		x.danger("%s destroys what is elsewhere.", k.name)
	case oneOf(k.name, "rimraf", "trash", "del", "rmtree", "del.exe", "rd", "deltree"):
		for _, a := range k.args {
			k.destroy(a, true)
		}
	}
}

// asks reports whether a program of the dangerous ones is only asked about something.
func (k *call) asks() bool {
	return len(k.args) == 1 && k.args[0].kind == exact && oneOf(k.args[0].text, "-l", "--list", "--help", "--version", "-V", "-h") ||
		k.name == "mount" && len(k.args) == 0
}

func (k *call) any(args ...string) bool {
	return slices.ContainsFunc(k.args, func(a word) bool { return oneOf(a.text, args...) })
}

func (k *call) matches(expr string) bool {
	re := regexp.MustCompile(expr)
	return slices.ContainsFunc(k.args, func(a word) bool { return re.MatchString(a.text) })
}

var dropping = pattern.New(`(?is)\b(drop\s+(database|schema|table|user|role|view|index|keyspace|owned)|truncate\b|flushall|flushdb|dropdatabase|dropuser|\.drop\s*\(|\.deletemany\s*\(\s*\{\s*\})`)

var deletesAll = pattern.New(`(?is)\b(delete\s+from\s+[\w."]+|update\s+[\w."]+\s+set\s+[^;]*)\s*(;|$)`)

var sqlWhere = pattern.New(`(?is)\bwhere\b`)

var sqlComment = pattern.New(`(?s)/\*.*?\*/`)

// sql judges a client of a database by the statements that can be seen.
func sql(k *call) {
	if version(k) {
		return
	}
	x := k.x
	x.r.opaque = true
	x.unclear("What %s does to the database is not known.", k.name)
	if !oneOf(k.name, "sqlite3", "sqlite", "duckdb") {
		x.network(k.name)
	}
	texts := k.args
	if k.std.known {
		texts = append(slices.Clone(texts), k.std.text)
	}
	for _, a := range texts {
		text := sqlComment.ReplaceAllString(a.text, " ")
		switch {
		case dropping.MatchString(text):
			x.danger("It drops what is in a database.")
		case slices.ContainsFunc(deletesAll.FindAllString(text, 8), func(s string) bool { return !sqlWhere.MatchString(s) }):
			x.danger("It changes all rows of a table.")
		}
		if strings.Contains(a.text, ".shell") || strings.Contains(a.text, ".system") || strings.Contains(a.text, `\!`) {
			k.asCode(word{text: "'" + a.text[strings.IndexAny(a.text, ".\\")+1:] + "'"})
		}
	}
	k.leftovers()
}
