package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// headerName is the row that says which key the vault has. No secret is named so.
const headerName = ""

// ownPrefix begins the names of what the daemon keeps for itself.
const ownPrefix = "chela/"

// Own reports whether a name is of what the daemon keeps for itself.
func Own(name string) bool { return strings.HasPrefix(name, ownPrefix) }

// OwnName returns the name under which the daemon keeps an entry of its own.
func OwnName(name string) (string, bool) { return strings.CutPrefix(name, ownPrefix) }

// A header says which key a vault has, and proves it.
type header struct {
	Version int    `json:"version"` // 1
	Key     string `json:"key"`     // the key's id
	Source  Source `json:"source"`
	Salt    []byte `json:"salt,omitempty"` // of a passphrase
	Proof   box    `json:"proof"`
}

// A box is something sealed.
type box struct {
	Nonce  []byte `json:"nonce"`
	Sealed []byte `json:"sealed"`
}

// An entry is one sealed value with what may be shown of it.
type entry struct {
	Version int       `json:"version"`
	Key     string    `json:"key"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	box
}

var errSeal = errors.New("it was not sealed under this name with this key")

func close256(k key, text, with string) (box, error) {
	aead, err := k.aead()
	if err != nil {
		return box{}, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails, see crypto/rand
	return box{Nonce: nonce, Sealed: aead.Seal(nil, nonce, []byte(text), []byte(with))}, nil
}

func open256(k key, b box, with string) (string, error) {
	aead, err := k.aead()
	if err != nil {
		return "", err
	}
	if len(b.Nonce) != aead.NonceSize() {
		return "", errSeal
	}
	text, err := aead.Open(nil, b.Nonce, b.Sealed, []byte(with))
	if err != nil {
		return "", errSeal
	}
	return string(text), nil
}

func (k key) aead() (cipher.AEAD, error) {
	c, err := aes.NewCipher(k.bytes)
	if err != nil {
		return nil, fmt.Errorf("use the key of the vault: %w", err)
	}
	return cipher.NewGCM(c)
}

// bound is the additional data of an entry: under another name, as another version or
// with another key it does not open.
func (e entry) bound(name string) string {
	return "chela vault entry\x00" + e.Key + "\x00" + strconv.Itoa(e.Version) + "\x00" + name
}

func seal(k key, name, value string, e entry) (entry, string, error) {
	e.Key = k.id
	var err error
	if e.box, err = close256(k, value, e.bound(name)); err != nil {
		return e, "", err
	}
	raw, err := json.Marshal(e)
	return e, string(raw), err
}

func unseal(k key, name, raw string) (string, error) {
	e, err := readEntry(raw)
	if err == nil {
		var value string
		if value, err = open256(k, e.box, e.bound(name)); err == nil {
			return value, nil
		}
	}
	return "", fault.Wrap(err, fault.Unavailable, "The vault's entry %s cannot be opened: somebody has changed it in the database. Set it again.", name)
}

func readEntry(raw string) (e entry, err error) {
	err = event.DecodeStrict([]byte(raw), &e)
	return e, err
}

// versionOf is the version of a row, 0 of none.
func versionOf(raw string) int {
	e, err := readEntry(raw)
	if err != nil {
		return 0
	}
	return e.Version
}

func readHeader(raw string) (h header, err error) {
	if err := event.DecodeStrict([]byte(raw), &h); err != nil {
		return h, fault.Wrap(err, fault.Unavailable, "The vault's header cannot be read; restore the database from a copy.")
	}
	if h.Version != 1 || h.Key == "" || !slices.Contains(Sources(), h.Source) {
		return h, fault.New(fault.Unavailable, "The vault is of a form that this Chela does not know (version %d, key in %s); a newer one has written it.", h.Version, h.Source)
	}
	return h, nil
}

func (h header) text() (string, error) {
	raw, err := json.Marshal(h)
	return string(raw), err
}

func (h header) bound() string {
	return "chela vault key\x00" + h.Key + "\x00" + string(h.Source) + "\x00" + string(h.Salt)
}

// prove seals the proof of a header.
func (h *header) prove(k key) (err error) {
	h.Proof, err = close256(k, h.Key, h.bound())
	return err
}

// proves reports whether k is the header's key.
func (h header) proves(k key) error {
	_, err := open256(k, h.Proof, h.bound())
	return err
}

var validName = pattern.New(`^[A-Z][A-Z0-9_]{1,63}$`)

// CheckName refuses a name that cannot be a program's variable, or that would change how
// programs run.
func CheckName(name string) error {
	switch {
	case !validName.MatchString(name):
		return fault.BadField("name", "A secret is named as a variable: capital letters, digits and _, at most 64, such as GITHUB_TOKEN.")
	case slices.Contains([]string{"PATH", "HOME", "IFS", "ENV", "TMPDIR", "SHELL", "PS4", "PROMPT_COMMAND", "CDPATH", "PAGER", "EDITOR", "VISUAL", "BROWSER", "NODE_OPTIONS", "CLASSPATH", "RUBYOPT", "PERL5OPT", "PERL5LIB", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "SHELLOPTS"}, name),
		slices.ContainsFunc([]string{"LD_", "DYLD_", "BASH_", "GIT_CONFIG", "GIT_SSH", "GIT_EXEC", "PYTHON", "XDG_", "CHELA_"}, func(p string) bool { return strings.HasPrefix(name, p) }):
		return fault.BadField("name", name+" changes how programs run; choose another name.")
	}
	return nil
}

// minValue is the shortest value that can be found again in what tools return without
// hiding ordinary words.
const minValue = 8

// maxValue bounds a value, in bytes; a private key fits.
const maxValue = 32 << 10

func checkValue(value string) error {
	switch {
	case len(strings.TrimSpace(value)) < minValue || distinct(value) < 4:
		return fault.BadField("value", fmt.Sprintf("A secret has at least %d characters, four of them different; a simpler one could not be told from ordinary words in what tools return.", minValue))
	case len(value) > maxValue:
		return fault.BadField("value", "A secret has at most 32 KB.")
	case strings.ContainsRune(value, 0):
		return fault.BadField("value", "A secret has no NUL characters: no program could be given it.")
	}
	return nil
}

// distinct counts the different characters of a text.
func distinct(text string) int {
	seen := make(map[rune]struct{})
	for _, r := range text {
		seen[r] = struct{}{}
	}
	return len(seen)
}
