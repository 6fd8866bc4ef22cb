package disk_test

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"chela/internal/disk"
)

const secrets = `.env ./.env /srv/app/.env .ENV .Env .env.local .env.production .env.example.bak .env.local.old a/.env/b .env-prod prod.env local.env .envrc
~/.ssh/id_rsa /home/ann/.ssh /home/ann/.ssh/config .SSH/known_hosts id_rsa id_rsa.bak id_ed25519 id_ecdsa_sk id_dsa ssh_host_ed25519_key
server.key server.pem cert.PEM store.p12 store.pfx pass.kdbx release.jks debug.keystore putty.ppk vpn.ovpn apns.p8
/home/ann/.gnupg/private-keys-v1.d/x.key ~/.gnupg ~/.aws/credentials ~/.aws/config ~/.config/gcloud/application_default_credentials.json ~/.kube/config ~/.azure/x
~/.docker/config.json .docker/config.json ~/.dockercfg .netrc _netrc .npmrc .pypirc .git-credentials ~/.config/git/credentials .pgpass .my.cnf .htpasswd
~/.mozilla/firefox/x/logins.json ~/.config/google-chrome/Default/Cookies ~/.config/chromium /Users/ann/Library/Keychains/login.keychain-db
/Users/ann/Library/Application\ Support/Google/Chrome/x ~/.password-store/a.gpg ~/.local/share/keyrings/login.keyring
/etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/sudoers.d/x /etc/ssl/private/x /etc/krb5.keytab a.keytab /ETC/Shadow /etc/../etc/shadow //etc//shadow
/proc/self/environ /proc/1/environ /proc/1/mem /dev/mem ~/.bash_history ~/.zsh_history ~/.python_history
chela.db /data/chela.db-wal node.key /var/lib/chela/node.key vault.json
credentials.json service-account-prod.json client_secret_1.json secrets.yml secrets.yaml terraform.tfstate prod.tfstate ~/.cargo/credentials.toml ~/.m2/settings.xml
~/.vault-token /run/secrets/db /srv/.secrets/x .ſsh/x ` + ".s\u200bsh/id" + ` C:\Users\ann\.ssh\id_rsa`

const openFiles = `main.go README.md .env.example .env.sample .env.template .env.dist .env.local.example example.env sample.env .gitignore .github/workflows/x.yml
env environment.go .environment src/env/x.ts keys.go key public.key.md monkey.txt id_rsa.pub id_ed25519.pub ssh/x.go internal/ssh .sshx aws/credentials.go
docker/config.json config.json package.json internal/vault/vault.go vault shadow sudoers.md netrc.md secrets.go secrets/x.md credentials.go npmrc chela.go db/chela.sql
/etc/hosts /etc/passwd /proc/cpuinfo /usr/bin/env Library/x.md . .. / ~ "" .e .en env.local.md tokens.md keystore.java pem.go .config/x gcloud/x`

func TestSecret_Hole18SecretsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for _, s := range strings.Fields(secrets) {
		for _, p := range []string{s, "/a/b/" + strings.TrimPrefix(s, "~/"), strings.ToUpper(s)} {
			if !disk.Secret(p) && !strings.Contains(s, "/etc/..") && !strings.HasPrefix(s, "/proc") && !strings.HasPrefix(s, `/Users/ann/Library/Application\`) && !strings.HasPrefix(s, "Support") {
				t.Errorf("%q is no secret", p)
			}
		}
	}
	for _, p := range []string{"/proc/1/environ", "/etc/../etc/shadow", "/Users/ann/Library/Application Support/Google/Chrome/Default/Login Data"} {
		if !disk.Secret(p) {
			t.Errorf("%q is no secret", p)
		}
	}
	for _, s := range strings.Fields(openFiles) {
		if disk.Secret(s) {
			t.Errorf("%q is a secret", s)
		}
	}
}

func FuzzSecret(f *testing.F) {
	for _, s := range strings.Fields(secrets + " " + openFiles) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		secret := disk.Secret(p)
		if !utf8.ValidString(p) || strings.Contains(p, "..") || strings.Contains(p, `\`) {
			return
		}
		if secret != disk.Secret(path.Clean("/"+p)) && !strings.HasSuffix(p, "/.") {
			t.Errorf("%q: %v, cleaned it is not", p, secret)
		}
		if secret && !disk.Secret("/x/"+p) && !strings.HasPrefix(path.Clean("/"+p), "/proc/") {
			t.Errorf("%q is a secret, and none in another folder", p)
		}
	})
}
