package redact_test

import (
	"strings"
	"testing"

	"chela/internal/redact"
)

// letters makes n characters that look random, of an alphabet.
func letters(n int, of string) string {
	var b strings.Builder
	for x := uint32(12345); b.Len() < n; {
		x = x*1664525 + 1013904223
		b.WriteByte(of[int(x>>16)%len(of)])
	}
	return b.String()
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz0123456789"
	mixed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	digit = "0123456789abcdef"
)

// tokens are put together here, so that no scanner takes this file for a leak.
func tokens() map[string]string {
	m := func(n int) string { return letters(n, mixed) }
	h := func(n int) string { return letters(n, digit) }
	return map[string]string{
		"AKIA" + letters(16, upper):                            "AWS access key",
		"gh" + "p_" + m(36):                                    "GitHub token",
		"gh" + "s_" + m(36):                                    "GitHub token",
		"github" + "_pat_" + m(82):                             "GitHub token",
		"gl" + "pat-" + m(20):                                  "GitLab token",
		"xo" + "xb-1234567890-" + m(24):                        "Slack token",
		"xa" + "pp-1-A0123456789-1234567890123-" + h(64):       "Slack token",
		"sk" + "_live_" + m(24):                                "Stripe key",
		"rk" + "_test_" + m(24):                                "Stripe key",
		"wh" + "sec_" + m(32):                                  "Stripe webhook secret",
		"sk-" + "proj-" + m(48):                                "OpenAI key",
		"sk-" + m(20) + "T3Blbk" + "FJ" + m(20):                "OpenAI key",
		"sk-" + m(48):                                          "API key",
		"sk-" + "ant-api03-" + m(90):                           "Anthropic key",
		"AI" + "za" + m(35):                                    "Google API key",
		"ya" + "29." + m(60):                                   "Google OAuth token",
		"GOC" + "SPX-" + m(28):                                 "Google client secret",
		"ey" + "J" + m(20) + ".ey" + "J" + m(40) + "." + m(43): "JWT",
		"-----BEGIN RSA " + "PRIVATE KEY-----\n" + m(64) + "\n" + m(64) + "\n" + m(10) + "==\n-----END RSA " + "PRIVATE KEY-----":                     "private key",
		"-----BEGIN RSA " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + m(64) + "\n-----END RSA " + "PRIVATE KEY-----": "private key",
		"npm" + "_" + m(36):                          "npm token",
		"py" + "pi-" + m(120):                        "PyPI token",
		"123456789:A" + "A" + m(33):                  "Telegram bot token",
		"M" + "T" + m(22) + "." + m(6) + "." + m(38): "Discord bot token",
		"EA" + "A" + m(180):                          "Meta token",
		"SK" + h(32):                                 "Twilio key",
		"S" + "G." + m(22) + "." + m(43):             "SendGrid key",
		"ke" + "y-" + h(32):                          "Mailgun key",
		h(32) + "-us12":                              "Mailchimp key",
		"abc8" + "Q~" + m(34):                        "Azure client secret",
		"do" + "p_v1_" + h(64):                       "DigitalOcean token",
		"HR" + "KU-" + m(40):                         "Heroku key",
		"shp" + "at_" + h(32):                        "Shopify token",
		"sq" + "0atp-" + m(22):                       "Square token",
		"da" + "pi" + h(32):                          "Databricks token",
		"h" + "f_" + m(34):                           "Hugging Face token",
		"lin" + "_api_" + m(40):                      "Linear key",
		"nt" + "n_" + m(46):                          "Notion token",
		"ATA" + "TT3" + m(180):                       "Atlassian token",
		"hv" + "s." + m(90):                          "HashiCorp Vault token",
		m(14) + ".atlas" + "v1." + m(64):             "Terraform token",
		"dck" + "r_pat_" + m(27):                     "Docker token",
		"gls" + "a_" + m(41):                         "Grafana token",
		"NR" + "AK-" + letters(27, upper):            "New Relic key",
		"sntr" + "yu_" + h(64):                       "Sentry token",
		"ruby" + "gems_" + h(48):                     "RubyGems key",
		"AGE-SECRET-" + "KEY-1" + letters(58, upper): "age key",
		"che" + "la_" + m(43):                        "Chela token",
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	var none *redact.Redactor
	for token, name := range tokens() {
		for _, around := range [][2]string{{"", ""}, {"the token is ", " and more"}, {`{"out":"line\n`, `\nline"}`}, {"TOKEN=", "\n"}, {"'", "'"}} {
			inside := token
			if strings.HasPrefix(around[0], "{") {
				inside = strings.Trim(quoted(token), `"`)
			}
			want := around[0] + "[redacted: " + name + "]" + around[1]
			if got := none.Text(around[0] + inside + around[1]); strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("%s:\n%q, want\n%q", name, got, want)
			}
		}
	}
}

// TestShape_TokensInSettings: of what stands in a setting only the value is hidden.
func TestShape_TokensInSettings(t *testing.T) {
	t.Parallel()
	var none *redact.Redactor
	key := letters(40, mixed)
	for text, want := range map[string]string{
		"aws_secret_access_key = " + key + "\n":                                   "aws_secret_access_key = [redacted: AWS secret key]\n",
		"AccountName=a;AccountKey=" + letters(86, mixed) + "==;Suffix":            "AccountName=a;AccountKey=[redacted: Azure storage key];Suffix",
		"Authorization: Bearer " + key:                                            "Authorization: Bearer [redacted: bearer token]",
		"postgres://app:" + letters(12, mixed) + "@db:5432/x":                     "postgres://app:[redacted: password in an address]@db:5432/x",
		`"api_key": "` + key + `"`:                                                `"api_key": "[redacted: secret in a setting]"`,
		"HEROKU_API_KEY=01234567-89ab-cdef-0123-456789abcdef":                     "HEROKU_API_KEY=[redacted: Heroku key]",
		"https://hooks.slack.com/" + "services/T0000/B0000/" + letters(24, mixed): "https://hooks.slack.com/services/[redacted: Slack webhook]",
	} {
		if got := none.Text(text); got != want {
			t.Errorf("%q\n became %q", text, got)
		}
	}
}

// TestShape_WhatOnlyLooksLikeATokenStays is the table of false alarms.
func TestShape_WhatOnlyLooksLikeATokenStays(t *testing.T) {
	t.Parallel()
	var none *redact.Redactor
	for _, text := range []string{
		"commit 8fed41e0c1b7d2a3f4e5061728394a5b6c7d8e9f", "01234567-89ab-cdef-0123-456789abcdef",
		"sha512-" + letters(86, mixed) + "==", "sha256:" + letters(64, digit), "h1:" + letters(43, mixed) + "=",
		"pip install sk-learn-contrib-something-else-that-is-long", "task-force-one and risk-assessment-of-the-whole-organisation", "ghp_short", "the bearer of bad news is here again",
		"Bearer <token>", "Authorization: Bearer $TOKEN", "postgres://user:$PASSWORD@host/db", "https://example.com:8443/a@b", "git@github.com:owner/repo.git",
		"password: ", "password = getPasswordFromTheVault()", `"next_page_token": "CAUQAA"`, "api_key: string", "secret_key=os.environ", "AKIAIOSFODNN7", "AIzaShort",
		"func (t *Token) Secret() string { return t.secret }", "-----BEGIN PRIVATE KEY----- is how it begins", "-----BEGIN CERTIFICATE-----\n" + letters(64, mixed) + "\n-----END CERTIFICATE-----",
		"eyJust kidding", "npm_config_registry=https://registry.npmjs.org/", "github.com/owner/repo/blob/main/internal/agent/tools.go", "10:AAaa", "12:30:AABB",
		"per_01J9ZC8M3Q4R5S6T7V8W9X0Y1Z apr_01J9ZC8M3Q4R5S6T7V8W9X0Y1Z", "chela_session", "M.N.O and U.S.A.", "v1.0-rc1", "hf_hub_download(repo_id)", "key-value store", "SKU 1234567890", "x=1&sig=short",
		"data:image/png;base64," + letters(120, mixed), strings.Repeat("ordinary words ", 50),
	} {
		if got := none.Text(text); got != text {
			t.Errorf("%q\n became %q", text, got)
		}
	}
}
