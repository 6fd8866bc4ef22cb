package disk

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// secretFolders hold secrets whatever the files in them are called. An entry of several
// parts is found when they follow each other anywhere in a path.
var secretFolders = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".secrets",
	".config/gcloud", ".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/rclone", ".config/sops",
	".config/doctl", ".config/heroku", "appdata/roaming/gcloud",
	".local/share/keyrings", ".local/share/kwalletd", "library/keychains", "library/cookies", "library/safari",
	"etc/ssl/private", "etc/sudoers.d", "etc/letsencrypt", "etc/wireguard",
	"var/lib/secrets", "run/secrets",
	// browsers
	".mozilla", ".thunderbird", ".librewolf", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium",
	".config/bravesoftware", ".config/microsoft-edge", ".config/opera", ".config/vivaldi",
	"snap/firefox", "snap/chromium", ".var/app/org.mozilla.firefox", ".var/app/com.google.chrome", ".var/app/org.chromium.chromium",
	"application support/google/chrome", "application support/chromium", "application support/firefox",
	"application support/bravesoftware", "application support/microsoft edge", "application support/arc",
	"appdata/local/google/chrome", "appdata/local/microsoft/edge", "appdata/roaming/mozilla",
}

// secretFiles are files that hold secrets, by the end of their paths.
var secretFiles = []string{
	".envrc", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".git-credentials",
	".config/git/credentials", ".docker/config.json", ".dockercfg", ".cargo/credentials", ".cargo/credentials.toml",
	".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
	".composer/auth.json", ".terraformrc", ".terraform.d/credentials.tfrc.json", ".vault-token", ".vault_pass", ".vault-pass",
	".s3cfg", ".boto", ".htpasswd", ".rclone.conf", ".fetchmailrc", ".msmtprc",
	"credentials.json", "application_default_credentials.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "master.key",
	"terraform.tfstate", "terraform.tfstate.backup", "wp-config.php",
	"etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/sudoers", "etc/krb5.keytab", "etc/master.passwd",
	"dev/mem", "dev/kmem", "proc/kcore",
	// what was typed
	".bash_history", ".zsh_history", ".history", ".python_history", ".psql_history", ".mysql_history", ".sqlite_history",
	".node_repl_history", ".local/share/fish/fish_history",
	// Chela's own
	"chela.db", "chela.db-wal", "chela.db-shm", "vault.json", "vault.db", "vault.key", "chela.vault", "node.key",
}

// secretEnds are endings of names of keys and stores of keys.
var secretEnds = []string{
	".pem", ".key", ".p12", ".pfx", ".p8", ".kdbx", ".kdb", ".jks", ".keystore", ".ppk", ".keytab", ".ovpn", ".tfstate", ".vault", ".env", ".agekey",
}

// keyNames begin the names of private keys; with .pub at the end they are public.
var keyNames = []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss", "ssh_host_"}

// modelWords are parts of a name that say: a model to copy, without secrets.
var modelWords = []string{"example", "sample", "template", "dist", "defaults", "tmpl"}

// Secret reports whether the file or folder at path holds secrets, going by its name and
// the names of its parents: keys, credentials of programs and clouds, profiles of browsers,
// passwords of the system, what was typed, and Chela's own vault, key and database.
// Letters count whatever their case, because disks exist for which they do.
func Secret(file string) bool {
	file = Fold(strings.ReplaceAll(file, `\`, "/"))
	slashed := "/" + strings.Trim(path.Clean("/"+file), "/") + "/"
	for _, f := range secretFolders {
		if strings.Contains(slashed, "/"+f+"/") {
			return true
		}
	}
	for _, f := range secretFiles {
		if strings.HasSuffix(slashed, "/"+f+"/") {
			return true
		}
	}
	// What /proc tells of a process: its environment and its memory.
	if strings.HasPrefix(slashed, "/proc/") && (strings.HasSuffix(slashed, "/environ/") || strings.HasSuffix(slashed, "/mem/")) {
		return true
	}
	for rest := strings.Trim(slashed, "/"); rest != ""; {
		var part string
		if part, rest, _ = strings.Cut(rest, "/"); secretName(part) {
			return true
		}
	}
	return false
}

func secretName(base string) bool {
	if base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env_") {
		return !isModel(base)
	}
	for _, k := range keyNames {
		if strings.HasPrefix(base, k) {
			return !strings.HasSuffix(base, ".pub")
		}
	}
	if strings.HasSuffix(base, ".json") &&
		(strings.HasPrefix(base, "service-account") || strings.HasPrefix(base, "service_account") || strings.HasPrefix(base, "client_secret")) {
		return true
	}
	for _, e := range secretEnds {
		if strings.HasSuffix(base, e) {
			return e != ".env" || !isModel(base)
		}
	}
	return false
}

// isModel reports whether the parts of a name after the first say that it is a model to
// copy: .env.example, .env.local.sample; not .env.example.bak, which may be a filled one.
func isModel(base string) bool {
	parts := strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
	for i, p := range parts {
		if (i == len(parts)-1 || base[0] != '.' && i == 0) && slices.Contains(modelWords, p) {
			return true
		}
	}
	return false
}

// Fold makes names equal that a disk may hold to be equal. It lowers letters, and drops
// the characters that some disks ignore.
func Fold(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] >= 'A' && s[i] <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return unicode.ToLower(r)
		}
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s)
}
