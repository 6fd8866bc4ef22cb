package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/api"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/store"
	"chela/internal/vault"
)

// The store keeps the vault.
var _ vault.Store = store.Vault{}

// openVault makes the vault and seals what was kept in clear before there was one. A vault
// that cannot be opened keeps nobody from starting: `chela doctor` says why, and what
// needs a secret fails by itself.
func (d *Daemon) openVault(ctx context.Context) error {
	d.vault = d.newVault()
	if err := d.vault.Look(ctx); err != nil {
		return err
	}
	plain, err := d.db.Vault.Unsealed(ctx)
	if err != nil || len(plain) == 0 {
		return err
	}
	for name, value := range plain {
		kept, err := d.vault.Kept(ctx, name)
		if err == nil && kept == "" {
			err = d.vault.Keep(ctx, run.Chela(), name, value)
		}
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The API keys that lie in the database in clear cannot be moved into the vault. %s", fault.TextOf(err))
		}
	}
	return d.db.Vault.DropUnsealed(ctx)
}

func (d *Daemon) newVault() *vault.Vault {
	return vault.New(d.db.Vault, vault.Options{
		Data: d.cfg.Data, Passphrase: d.cfg.Vault.PassphraseFile, Source: vault.Source(d.cfg.Vault.Key), Place: d.ownPlace, Log: d.log,
		Changed: d.hideStored,
	})
}

// providersSecret is where the vault keeps the providers with their keys.
const providersSecret = "providers"

// secretProvider is a provider with its key, as the vault keeps it.
type secretProvider struct {
	model.Provider
	Key string `json:"key"`
}

// keptProviders are those set while running.
func (d *Daemon) keptProviders(ctx context.Context) ([]secretProvider, error) {
	raw, err := d.vault.Kept(ctx, providersSecret)
	if err != nil || raw == "" {
		return nil, err
	}
	var out []secretProvider
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return nil, fmt.Errorf("read the kept providers: %w", err)
	}
	return out, nil
}

// given are the providers of the file and the environment.
func (d *Daemon) given() []model.Provider {
	of := slices.Clone(d.cfg.Providers)
	for i := range of {
		of[i].From = "file"
	}
	return append(of, model.FromEnvironment(os.Getenv)...)
}

// loadModels sets the providers: those set while running, else, also when all of these were taken out again, those of the file and
// the environment.
func (d *Daemon) loadModels(ctx context.Context) error {
	list := d.given()
	kept, err := d.keptProviders(ctx)
	if err != nil {
		d.log.Warn("the vault cannot be opened; models set while running are not asked", "err", fault.TextOf(err))
	}
	if len(kept) > 0 {
		list = nil
		for _, p := range kept {
			p.Provider.Key, p.Provider.From = p.Key, "settings"
			list = append(list, p.Provider)
		}
		list = d.withScripts(list)
	}
	d.hideKeys(list)
	if err := d.models.Set(list); err != nil {
		return err
	}
	return d.loadChoice(ctx)
}

// loadChoice has those models be asked that were chosen last while running. When one of them
// cannot be asked any more, what the file says holds.
func (d *Daemon) loadChoice(ctx context.Context) error {
	found, _, err := d.db.Log.Events(ctx, 0, event.Filter{Type: model.ChosenKind.Name, Newest: true, Limit: 1})
	if err != nil || len(found) == 0 {
		return err
	}
	c, _, err := model.ChosenKind.Open(found[0].Event)
	if err != nil {
		return fmt.Errorf("read which models were chosen: %w", err)
	}
	c.Settings = true
	if err := d.models.Choose(c); err != nil {
		d.log.Warn("the models that were chosen on the page are not asked; those of chela.yaml are", "err", fault.TextOf(err))
	}
	return nil
}

// choose says which models are asked from now on, before what the file says.
func (d *Daemon) choose(ctx context.Context, by event.Party, c model.Chosen) error {
	c.Settings = true
	if err := d.models.May(c); err != nil {
		return err
	}
	if _, err := d.db.Log.Append(ctx, model.ChosenKind.Draft(d.ownPlace(by), c)); err != nil {
		return err
	}
	defer d.vectors.Soon()
	return d.models.Choose(c)
}

// configure replaces the providers while running. A key that is left out stays.
func (d *Daemon) configure(ctx context.Context, by event.Party, list []model.Provider) error {
	old, err := d.keptProviders(ctx)
	if err != nil {
		return err
	}
	for _, p := range d.given() {
		old = append(old, secretProvider{p, p.Key})
	}
	now := d.models.List()
	kept := make([]secretProvider, len(list))
	for i := range list {
		list[i].Inside = list[i].Inside || slices.ContainsFunc(now, func(o model.Provider) bool { // it was granted before
			return o.Name == list[i].Name && o.BaseURL == list[i].BaseURL && (o.From != "settings" || o.Inside)
		})
		list[i].Reserved = slices.ContainsFunc(now, func(o model.Provider) bool { return o.Name == list[i].Name && o.Reserved })
		if list[i].Key, err = keyFor(list[i], old); err != nil {
			return err
		}
		kept[i] = secretProvider{list[i], list[i].Key}
	}
	asked := d.withScripts(list)
	if len(list) == 0 {
		asked = d.given()
	}
	d.hideKeys(asked)
	if err := d.models.Set(asked); err != nil {
		return err
	}
	encoded, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode the providers: %w", err)
	}
	return d.vault.Keep(ctx, by, providersSecret, string(encoded), model.ConfiguredKind.Draft(d.ownPlace(by), model.Configured{Providers: d.models.List()}))
}

// withScripts are the providers that were set while running, and the file's that play from a script for those alone that
// name them: no setting can have these, so they stay.
func (d *Daemon) withScripts(set []model.Provider) []model.Provider {
	out := slices.Clone(set)
	for _, p := range d.cfg.Providers {
		if p.Kind == model.KindScripted && p.Reserved && !slices.ContainsFunc(set, func(o model.Provider) bool { return o.Name == p.Name }) {
			out = append(out, p)
		}
	}
	return out
}

// keyFor is the key of a provider that is set without one: that which it had, unless its kind
// or address is another one now, to which nobody gave that key.
func keyFor(p model.Provider, old []secretProvider) (string, error) {
	moved := false
	for _, o := range old {
		switch {
		case p.Key != "" || o.Key == "" || o.Name != p.Name:
		case o.Kind == p.Kind && o.BaseURL == p.BaseURL:
			return o.Key, nil
		default:
			moved = true
		}
	}
	if moved {
		return "", fault.BadField("key", fmt.Sprintf("%s has another kind or address than the one that its key was given for: give the key again, or the provider another name.", p.Name))
	}
	return p.Key, nil
}

// vaultPart is the vault as the API sees it.
type vaultPart struct {
	d       *Daemon
	permits *permissions
}

// State implements [api.Vault].
func (v vaultPart) State(ctx context.Context) (api.VaultState, error) {
	s, err := v.d.vault.State(ctx)
	if err != nil {
		return api.VaultState{}, err
	}
	out := api.VaultState{Key: string(s.Source), Refusal: s.Refusal, Locked: s.Locked, Note: s.Note, Secrets: []api.SecretEntry{}}
	policy, err := v.permits.Policy(ctx)
	if err != nil {
		policy.Secrets = nil // nobody may use any while the policy cannot be read
	}
	for _, e := range s.Entries {
		entry := api.SecretEntry{Name: e.Name, Version: e.Version, At: e.At, By: e.By, Broken: e.Broken, Own: vault.Own(e.Name)}
		for _, g := range policy.Secrets {
			if g.Name == e.Name {
				entry.Grants = append(entry.Grants, g)
			}
		}
		out.Secrets = append(out.Secrets, entry)
	}
	for _, g := range policy.Secrets {
		if !slices.ContainsFunc(s.Entries, func(e vault.Entry) bool { return e.Name == g.Name }) {
			out.Missing = append(out.Missing, g.Name)
		}
	}
	return out, nil
}

// Set implements [api.Vault].
func (v vaultPart) Set(ctx context.Context, by event.Party, name, value string) error {
	return v.d.vault.Set(ctx, by, name, value)
}

// Remove implements [api.Vault].
func (v vaultPart) Remove(ctx context.Context, by event.Party, name string) error {
	return v.d.vault.Remove(ctx, by, name)
}

// Rotate implements [api.Vault].
func (v vaultPart) Rotate(ctx context.Context, by event.Party, to, passphrase string) error {
	return v.d.vault.Rotate(ctx, by, vault.Source(to), passphrase)
}

// Unlock implements [api.Vault]. The models whose keys were locked in are there again.
func (v vaultPart) Unlock(ctx context.Context, passphrase string) error {
	if err := v.d.vault.Unlock(ctx, passphrase); err != nil {
		return err
	}
	return v.d.loadModels(ctx)
}
