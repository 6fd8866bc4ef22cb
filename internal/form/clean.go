package form

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/confusable"
)

// line is a text as a part of one line: what does not print stands as a space.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "�"))
}

// noLinks takes the life out of addresses, for chats that make links of what looks like one.
var noLinks = strings.NewReplacer("://", "[:]//", "www.", "www[.]", "WWW.", "WWW[.]", "](", "] (")

// clean is a text of a form as people are shown it: every character visible, cut, and no address a link.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	s = noLinks.Replace(confusable.Reveal(strings.TrimSpace(s)))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Each returns the form with fn applied to each text that is shown of it.
func (f Form) Each(fn func(string) string) Form {
	f.Message, f.Fields = fn(f.Message), slices.Clone(f.Fields)
	for i := range f.Fields {
		d := &f.Fields[i]
		d.Title, d.Help, d.Options = fn(d.Title), fn(d.Help), slices.Clone(d.Options)
		for o := range d.Options {
			d.Options[o].Title = fn(d.Options[o].Title)
		}
	}
	return f
}

// alike are letters that look like Latin ones, and what stands for letters in words that hide.
var alike = map[rune]rune{ //nolint:gochecknoglobals // a table
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'ѕ': 's', 'і': 'i', 'ԁ': 'd', 'ԝ': 'w', 'к': 'k', 'т': 't', 'м': 'm', 'в': 'b', 'н': 'h',
	'α': 'a', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'κ': 'k', 'ε': 'e', 'ν': 'v', 'ω': 'w', 'ı': 'i',
	'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's',
	'á': 'a', 'à': 'a', 'ä': 'a', 'é': 'e', 'è': 'e', 'í': 'i', 'ó': 'o', 'ö': 'o', 'ú': 'u', 'ü': 'u', 'ñ': 'n', 'ç': 'c',
}

// words are those of a text, in small Latin letters as they look. A word ends also where a small letter meets a large one.
func words(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range s {
		if r >= 0xff01 && r <= 0xff5e { // of full width
			r -= 0xfee0
		}
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			continue // what does not show parts no word
		}
		if small && unicode.IsUpper(r) {
			end()
		}
		small = unicode.IsLower(r)
		r = unicode.ToLower(r)
		if as, ok := alike[r]; ok {
			r = as
		}
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		word.WriteRune(r)
	}
	end()
	return out
}

// secrets are what no form may ask for: wherever the letters stand, and as words.
var (
	secretLetters = []string{ //nolint:gochecknoglobals // a table
		"password", "passwd", "passwort", "passphrase", "passcode", "kennwort", "motdepasse", "contrasena", "wachtwoord", "losenord", "пapoл", "密码", "密碼", "パスワード", "비밀번호",
		"apikey", "accesskey", "secretkey", "privatekey", "sshkey", "signingkey", "encryptionkey", "recoverykey", "licensekey", "recoveryphrase", "seedphrase", "mnemonic",
		"apitoken", "accesstoken", "bearertoken", "refreshtoken", "authtoken", "sessioncookie", "verificationcode", "onetimecode", "securitycode", "authenticationcode", "backupcode",
		"cardnumber", "creditcard", "socialsecurity",
	}
	secretWords  = []string{"secret", "secrets", "credential", "credentials", "token", "otp", "totp", "cvv", "cvc", "pwd", "iban"}  //nolint:gochecknoglobals // a table
	secretNames  = []string{"pin", "key", "keys", "pass", "pw", "ssn", "tokens", "cookie", "mfa"}                                   //nolint:gochecknoglobals // a table
	harmlessWith = []string{"issue", "ticket", "project", "story", "primary", "foreign", "sort", "public", "max", "count", "limit"} //nolint:gochecknoglobals // a table
)

// secretive reports whether a text speaks of a secret that somebody gives.
func secretive(s string) bool {
	w := words(s)
	letters := strings.Join(w, "")
	return slices.ContainsFunc(secretLetters, func(of string) bool { return strings.Contains(letters, of) }) ||
		slices.ContainsFunc(w, func(of string) bool { return slices.Contains(secretWords, of) })
}

// secretiveField reports whether a field's name or title is that of a secret.
func secretiveField(s string) bool {
	w := words(s)
	harmless := slices.ContainsFunc(w, func(of string) bool { return slices.Contains(harmlessWith, of) })
	return secretive(s) || !harmless && slices.ContainsFunc(w, func(of string) bool { return slices.Contains(secretNames, of) })
}
