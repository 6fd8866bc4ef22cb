package vault

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zalando/go-keyring"
	"golang.org/x/crypto/argon2"

	"chela/internal/fault"
)

// A Source is where a vault's key comes from.
type Source string

// The sources.
const (
	Passphrase Source = "passphrase" // derived from it with Argon2id
	Keyring    Source = "keyring"    // of the system
	File       Source = "file"       // vault.key in the data folder, for its owner only
)

// Sources lists all sources.
func Sources() []Source { return []Source{Passphrase, Keyring, File} }

// PassphraseVariable names the file that holds the passphrase.
const PassphraseVariable = "CHELA_VAULT_PASSPHRASE_FILE"

// KeyFile is the name of the key file in the data folder.
const KeyFile = "vault.key"

// Argon2id's cost: 3 passes over 64 MiB in 4 lanes.
const (
	argonTime   = 3
	argonMemory = 64 << 10
	argonLanes  = 4
	keySize     = 32
	saltSize    = 16
)

// minPassphrase is the shortest passphrase, in bytes.
const minPassphrase = 12

// A key is the key of a vault.
type key struct {
	id    string
	bytes []byte
}

// String keeps a key out of logs.
func (k key) String() string { return "key " + k.id }

// GoString keeps a key out of logs.
func (k key) GoString() string { return k.String() }

var errLocked = errors.New("the passphrase is not known")

func derive(id, passphrase string, salt []byte) key {
	return key{id, argon2.IDKey([]byte(passphrase), salt, argonTime, argonMemory, argonLanes, keySize)}
}

// source is where the key of a new vault comes from.
func (v *Vault) source() Source {
	switch {
	case v.opts.Passphrase != "":
		return Passphrase
	case v.opts.Source != "":
		return v.opts.Source
	case keyringAnswers():
		return Keyring
	}
	return File
}

// service is under what keys are kept in the keyring.
const service = "chela vault"

// keyringAnswers reports whether there is a keyring. On Linux a session without a bus has
// none, and asking would start one.
func keyringAnswers() bool {
	if runtime.GOOS == "linux" && os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return false
	}
	_, err := keyring.Get(service, "probe")
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// keyOf finds the key that a header names.
func (v *Vault) keyOf(h header, pass string) (key, error) {
	var k key
	var err error
	switch h.Source {
	case Passphrase:
		k, err = v.fromPassphrase(h, pass)
	case Keyring:
		k, err = fromKeyring(h)
	case File:
		k, err = v.fromFile(h)
	}
	if err != nil {
		return key{}, err
	}
	if h.proves(k) != nil {
		if h.Source == Passphrase {
			return key{}, fault.Wrap(errLocked, fault.Denied, "The passphrase is not that of the vault.")
		}
		return key{}, fault.New(fault.Unavailable, "The key in the %s is not that of the vault: bring back the right one.", h.Source)
	}
	return k, nil
}

// readPassphrase reads the passphrase's file.
func (v *Vault) readPassphrase() (string, error) {
	raw, err := os.ReadFile(v.opts.Passphrase)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The vault's passphrase cannot be read from %s (%s).", v.opts.Passphrase, PassphraseVariable)
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

func (v *Vault) fromPassphrase(h header, pass string) (key, error) {
	if pass == "" && v.opts.Passphrase == "" {
		return key{}, fault.Wrap(errLocked, fault.Unavailable, "The vault is locked: `chela vault unlock` asks for its passphrase, or %s names a file that holds it.", PassphraseVariable)
	}
	if pass == "" {
		var err error
		if pass, err = v.readPassphrase(); err != nil {
			return key{}, err
		}
	}
	return derive(h.Key, pass, h.Salt), nil
}

func fromKeyring(h header) (key, error) {
	text, err := keyring.Get(service, h.Key)
	if err != nil {
		return key{}, fault.Wrap(err, fault.Unavailable, "The keyring of the system does not give the vault's key (%s). Log in to the session that holds it, or unlock the keyring.", h.Key)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != keySize {
		return key{}, fault.New(fault.Unavailable, "The keyring's entry %s is no key of a vault.", h.Key)
	}
	return key{h.Key, raw}, nil
}

func (v *Vault) keyFile() string { return filepath.Join(v.opts.Data, KeyFile) }

// readKeys reads the key file: one line for each key, its id and the key.
func (v *Vault) readKeys() ([]key, error) {
	raw, err := os.ReadFile(v.keyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The vault's key cannot be read from %s.", v.keyFile())
	}
	return parseKeys(raw)
}

func parseKeys(raw []byte) ([]key, error) {
	var out []key
	for line := range strings.Lines(string(raw)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		k, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(k) != keySize || id == "" {
			return nil, fault.New(fault.Unavailable, "The vault's key file is damaged; bring it back from a copy.")
		}
		out = append(out, key{id, k})
	}
	return out, nil
}

func (v *Vault) fromFile(h header) (key, error) {
	keys, err := v.readKeys()
	if err != nil {
		return key{}, err
	}
	for _, k := range keys {
		if k.id == h.Key {
			return k, nil
		}
	}
	return key{}, fault.New(fault.Unavailable, "The vault's key %s is not in %s. Daemons that share a database share this file: copy it from the one that made the vault, or bring it back from a copy.", h.Key, v.keyFile())
}

// makeKey makes a key and keeps it where it comes from, beside the one before.
func (v *Vault) makeKey(from Source, passphrase string) (header, key, error) {
	h := header{Version: 1, Key: v.store.Mint().ID("key"), Source: from}
	k := key{id: h.Key, bytes: make([]byte, keySize)}
	_, _ = rand.Read(k.bytes) // never fails, see crypto/rand
	var err error
	switch from {
	case Passphrase:
		h.Salt = make([]byte, saltSize)
		_, _ = rand.Read(h.Salt) // never fails
		if passphrase == "" {
			if v.opts.Passphrase == "" {
				return h, k, fault.BadField("passphrase", "The vault needs a passphrase, or "+PassphraseVariable+" to name a file that holds it.")
			}
			if passphrase, err = v.readPassphrase(); err != nil {
				return h, k, err
			}
		}
		if len(passphrase) < minPassphrase {
			return h, k, fault.BadField("passphrase", fmt.Sprintf("The vault's passphrase has at least %d characters.", minPassphrase))
		}
		k = derive(h.Key, passphrase, h.Salt)
	case Keyring:
		if err = keyring.Set(service, k.id, base64.StdEncoding.EncodeToString(k.bytes)); err != nil {
			return h, k, fault.Wrap(err, fault.Unavailable, "The keyring of the system does not take the vault's key. Without a keyring, choose a file or a passphrase.")
		}
	case File:
		keys, err := v.readKeys()
		if err != nil {
			return h, k, err
		}
		if err := v.writeKeys(append(keys, k)); err != nil {
			return h, k, err
		}
	default:
		return h, k, fault.BadField("key", "It is not known.", string(Passphrase), string(Keyring), string(File))
	}
	return h, k, h.prove(k)
}

// writeKeys replaces the key file: whoever is cut off leaves the one before or this one.
func (v *Vault) writeKeys(keys []key) (err error) {
	defer func() {
		if err != nil {
			err = fault.Wrap(err, fault.Unavailable, "The vault's key cannot be written to %s.", v.keyFile())
		}
	}()
	var b bytes.Buffer
	for _, k := range keys {
		_, _ = fmt.Fprintf(&b, "%s %s\n", k.id, base64.StdEncoding.EncodeToString(k.bytes)) // a buffer takes all
	}
	f, err := os.CreateTemp(v.opts.Data, "."+KeyFile+".*") // for its owner only
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone when all went well
	_, err = f.Write(b.Bytes())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	fault.Point("vault key file is whole")
	if err = os.Rename(f.Name(), v.keyFile()); err != nil {
		return err
	}
	return syncFolder(v.opts.Data)
}

// syncFolder has a rename outlive a power cut.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // it cannot sync folders
		return d.Close()
	}
	return errors.Join(d.Sync(), d.Close())
}

// forgetKeys drops the keys that the vault no longer has.
func (v *Vault) forgetKeys(before header, now string) error {
	if before.Source == Keyring {
		if err := keyring.Delete(service, before.Key); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			v.opts.Log.Warn("forget the vault's former key in the keyring", "key", before.Key, "err", err)
		}
	}
	keys, err := v.readKeys()
	if err != nil || len(keys) == 0 {
		return err
	}
	var left []key
	for _, k := range keys {
		if k.id == now {
			left = append(left, k)
		}
	}
	if len(left) == 0 {
		return os.Remove(v.keyFile())
	}
	return v.writeKeys(left)
}

// note says what people should know of where the key lies.
func (v *Vault) note(s Source) string {
	switch s {
	case File:
		note := "The key lies in " + v.keyFile() + ": whoever can read that file and the database can read the secrets."
		if info, err := os.Stat(v.keyFile()); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			note = "Others can read " + v.keyFile() + ": chmod 600 it, then `chela vault rotate`."
		}
		return note
	case Passphrase:
		if info, err := os.Stat(v.opts.Passphrase); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			return "Others can read " + v.opts.Passphrase + ": chmod 600 it, and choose another passphrase."
		}
	case Keyring:
	}
	return ""
}
