// Package vault keeps secrets by name. Names are in clear; each value is sealed with
// AES-256-GCM under the vault's key, with the name as additional data, so that no entry
// can stand in another's place (entry.go). The key comes from a passphrase, the system's
// keyring or a file beside the database, never from the database itself (key.go). A value
// leaves the vault only for what was granted it; everything else is shown its name.
package vault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Store keeps what is sealed, shared by all daemons of a database.
type Store interface {
	// Sealed returns all rows by name.
	Sealed(ctx context.Context) (map[string]string, error)
	// Seal changes rows and records events in one transaction; fn may be run again.
	Seal(ctx context.Context, fn func(have map[string]string) (map[string]string, []event.Draft, error)) error
	Mint() *event.Mint
}

// Options change a vault. The zero value is the default.
type Options struct {
	Data       string // the folder of the key file
	Passphrase string // a file that holds the passphrase; "" means none
	Source     Source // of the key of a vault that is new; "" takes the passphrase's file, a keyring, or a file
	Place      func(event.Party) event.Place
	Log        *slog.Logger
	// Changed is called after what the vault holds has changed, here or elsewhere.
	Changed func(values map[string]string)
}

// A Vault is safe for concurrent use.
type Vault struct {
	store Store
	opts  Options

	change sync.Mutex // one change at a time; held across I/O, since changes are rare and short

	mu   sync.Mutex // guards the rest
	now  opened
	pass string // typed in, of a vault whose passphrase lies nowhere
}

// opened is what was last read of the store.
type opened struct {
	rows   map[string]string
	head   header
	key    key
	values map[string]string
	broken map[string]error
	err    error // why nothing can be opened
	until  time.Time
	read   bool
}

// keptFor bounds how long another daemon's change may go unseen here.
const keptFor = time.Second

// New returns the vault of a store.
func New(s Store, o Options) *Vault { return &Vault{store: s, opts: o} }

// load returns what the vault holds. Its error is one of the store; err inside says why
// what is there cannot be opened.
func (v *Vault) load(ctx context.Context) (opened, error) {
	v.mu.Lock()
	o, pass := v.now, v.pass
	v.mu.Unlock()
	if o.read && time.Now().Before(o.until) {
		return o, nil
	}
	rows, err := v.store.Sealed(ctx)
	if err != nil {
		return o, err
	}
	same := o.read && o.err == nil && maps.Equal(rows, o.rows)
	if !same {
		o = v.open(rows, o.key, pass)
	}
	o.until = time.Now().Add(keptFor)
	v.mu.Lock()
	v.now = o
	v.mu.Unlock()
	if !same && v.opts.Changed != nil {
		v.opts.Changed(maps.Clone(o.values))
	}
	return o, nil
}

// stale has the next reader look again.
func (v *Vault) stale() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now.until = time.Time{}
}

// open opens rows, with a key that is known already if it is theirs.
func (v *Vault) open(rows map[string]string, known key, pass string) opened {
	o := opened{rows: rows, read: true, values: make(map[string]string), broken: make(map[string]error)}
	raw, ok := rows[headerName]
	if !ok {
		if len(rows) > 0 {
			o.err = fault.New(fault.Internal, "The vault has lost its header; restore the database from a copy.")
		}
		return o
	}
	if o.head, o.err = readHeader(raw); o.err != nil {
		return o
	}
	if known.id == o.head.Key && o.head.proves(known) == nil {
		o.key = known
	} else if o.key, o.err = v.keyOf(o.head, pass); o.err != nil {
		return o
	}
	for name, raw := range rows {
		if name == headerName {
			continue
		}
		value, err := unseal(o.key, name, raw)
		if err != nil {
			o.broken[name] = err
			continue
		}
		o.values[name] = value
	}
	return o
}

// Look sees what other daemons have changed. Only a store that cannot be read is an error.
func (v *Vault) Look(ctx context.Context) error {
	_, err := v.load(ctx)
	return err
}

// Secret returns the value of a name. Nobody is given what the daemon keeps for itself.
func (v *Vault) Secret(ctx context.Context, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	o, err := v.load(ctx)
	if err != nil {
		return "", err
	}
	if err := cmpErr(o.err, o.broken[name]); err != nil {
		return "", err
	}
	value, ok := o.values[name]
	if !ok {
		return "", fault.New(fault.NotFound, "The vault holds no %s; `chela vault set %s` puts it there.", name, name)
	}
	return value, nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// An Entry is what may be shown of a secret.
type Entry struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	At      time.Time `json:"set_at"`
	By      string    `json:"set_by"`
	Broken  string    `json:"broken,omitempty"` // why it cannot be opened
}

// A State says how the vault stands.
type State struct {
	Source  Source  `json:"key"` // "" while the vault is empty
	Refusal string  `json:"refusal,omitempty"`
	Locked  bool    `json:"locked"` // it waits for its passphrase
	Note    string  `json:"note,omitempty"`
	Entries []Entry `json:"entries"`
}

// State returns the names and how the vault stands.
func (v *Vault) State(ctx context.Context) (State, error) {
	o, err := v.load(ctx)
	if err != nil {
		return State{}, err
	}
	s := State{Source: o.head.Source, Entries: []Entry{}}
	if o.err != nil {
		s.Refusal, s.Locked = fault.TextOf(o.err), errors.Is(o.err, errLocked)
	}
	s.Note = v.note(o.head.Source)
	for _, name := range slices.Sorted(maps.Keys(o.rows)) {
		if name == headerName {
			continue
		}
		e := Entry{Name: name}
		if r, err := readEntry(o.rows[name]); err == nil {
			e.Version, e.At, e.By = r.Version, r.At, r.By
		}
		if err := o.broken[name]; err != nil {
			e.Broken = fault.TextOf(err)
		}
		s.Entries = append(s.Entries, e)
	}
	return s, nil
}

// Set keeps a value under a name.
func (v *Vault) Set(ctx context.Context, by event.Party, name, value string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := checkValue(value); err != nil {
		return err
	}
	return v.put(ctx, by, name, value)
}

// Keep keeps a value of the daemon's own, under a name that no call can ask for; an empty
// value forgets it. drafts are recorded with it.
func (v *Vault) Keep(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error {
	return v.put(ctx, by, ownPrefix+name, value, drafts...)
}

// Kept returns a value of the daemon's own, "" when there is none.
func (v *Vault) Kept(ctx context.Context, name string) (string, error) {
	o, err := v.load(ctx)
	if err != nil {
		return "", err
	}
	return o.values[ownPrefix+name], cmpErr(o.err, o.broken[ownPrefix+name])
}

// put seals a value, with the key of the vault or, in an empty one, with a new one.
func (v *Vault) put(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error {
	v.change.Lock()
	defer v.change.Unlock()
	defer v.stale()
	o, err := v.fresh(ctx)
	if err != nil {
		return err
	}
	made := o.head.Key == ""
	if made {
		if o.head, o.key, err = v.makeKey(v.source(), ""); err != nil {
			return err
		}
	}
	if v.opts.Changed != nil { // it is hidden before anybody may use it; when it cannot be sealed, it stays hidden until the vault is read again
		values := maps.Clone(o.values)
		if values == nil {
			values = make(map[string]string)
		}
		values[name] = value
		v.opts.Changed(values)
	}
	return v.store.Seal(ctx, func(have map[string]string) (map[string]string, []event.Draft, error) {
		if err := expect(have, o.rows[headerName]); err != nil {
			return nil, nil, err
		}
		e, sealed, err := seal(o.key, name, value, entry{Version: versionOf(have[name]) + 1, At: v.store.Mint().Now().UTC(), By: by.AgentID})
		if err != nil {
			return nil, nil, err
		}
		out := map[string]string{name: sealed}
		if made {
			if out[headerName], err = o.head.text(); err != nil {
				return nil, nil, err
			}
		}
		at := v.opts.Place(by)
		return out, append([]event.Draft{SetKind.Draft(at, Named{Name: name, Version: e.Version})}, drafts...), nil
	})
}

// Remove forgets a name.
func (v *Vault) Remove(ctx context.Context, by event.Party, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	v.change.Lock()
	defer v.change.Unlock()
	defer v.stale()
	return v.store.Seal(ctx, func(have map[string]string) (map[string]string, []event.Draft, error) {
		if have[name] == "" {
			return nil, nil, fault.New(fault.NotFound, "The vault holds no %s.", name)
		}
		return map[string]string{name: ""}, []event.Draft{RemovedKind.Draft(v.opts.Place(by), Named{Name: name, Version: versionOf(have[name])})}, nil
	})
}

// fresh reads the store again and refuses when what is there cannot be opened.
func (v *Vault) fresh(ctx context.Context) (opened, error) {
	v.stale()
	o, err := v.load(ctx)
	if err != nil {
		return o, err
	}
	return o, o.err
}

// expect refuses when another daemon has changed the key meanwhile.
func expect(have map[string]string, head string) error {
	if have[headerName] != head {
		return fault.New(fault.Conflict, "The key of the vault has just been changed; try again.")
	}
	return nil
}

// Rotate seals everything anew under a new key. Whenever it is cut off, the vault opens:
// the new key is kept before the entries that need it, and the one before it is forgotten
// after them.
func (v *Vault) Rotate(ctx context.Context, by event.Party, to Source, passphrase string) error {
	v.change.Lock()
	defer v.change.Unlock()
	defer v.stale()
	o, err := v.fresh(ctx)
	if err != nil {
		return err
	}
	switch {
	case o.head.Key == "":
		return fault.New(fault.Conflict, "The vault is empty; its key is made with its first secret.")
	case len(o.broken) > 0:
		return fault.New(fault.Conflict, "%s cannot be opened and would be lost; set or remove it first.", slices.Sorted(maps.Keys(o.broken))[0])
	case to == "":
		to = o.head.Source
	}
	head, key, err := v.makeKey(to, passphrase)
	if err != nil {
		return err
	}
	fault.Point("vault has a new key")
	err = v.store.Seal(ctx, func(have map[string]string) (map[string]string, []event.Draft, error) {
		if err := expect(have, o.rows[headerName]); err != nil {
			return nil, nil, err
		}
		out := make(map[string]string, len(have))
		names := []string{}
		if out[headerName], err = head.text(); err != nil {
			return nil, nil, err
		}
		for name, raw := range have {
			if name == headerName {
				continue
			}
			value, err := unseal(o.key, name, raw)
			if err != nil {
				return nil, nil, err
			}
			e, err := readEntry(raw)
			if err != nil {
				return nil, nil, err
			}
			if _, out[name], err = seal(key, name, value, e); err != nil {
				return nil, nil, err
			}
			names = append(names, name)
		}
		slices.Sort(names)
		return out, []event.Draft{RotatedKind.Draft(v.opts.Place(by), Rotated{Key: head.Source, Names: names})}, nil
	})
	if err != nil {
		return fmt.Errorf("seal the vault anew: %w", err)
	}
	fault.Point("vault is sealed anew")
	if passphrase != "" {
		v.mu.Lock()
		v.pass = passphrase
		v.mu.Unlock()
	}
	return v.forgetKeys(o.head, head.Key)
}

// Unlock opens a vault whose passphrase lies nowhere.
func (v *Vault) Unlock(ctx context.Context, passphrase string) error {
	v.mu.Lock()
	v.pass, v.now.until = passphrase, time.Time{}
	v.now.key = key{}
	v.now.read = false
	v.mu.Unlock()
	o, err := v.load(ctx)
	if err != nil {
		return err
	}
	if o.err == nil && o.head.Key == "" {
		return fault.New(fault.Conflict, "The vault is empty; there is nothing to unlock.")
	}
	return o.err
}

// The facts of this package. They hold names only.
var (
	SetKind     = event.Kind[Named]{Name: "vault.set", PayloadType: "vault.set.v1"}
	RemovedKind = event.Kind[Named]{Name: "vault.removed", PayloadType: "vault.removed.v1"}
	RotatedKind = event.Kind[Rotated]{Name: "vault.rotated", PayloadType: "vault.rotated.v1"}
)

// Named is the payload of vault.set and vault.removed.
type Named struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// Rotated is the payload of vault.rotated.
type Rotated struct {
	Key   Source   `json:"key"` // where the new one lies
	Names []string `json:"names"`
}
