package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
)

// Kinds are the platforms that a channel can be of.
func (c *Channels) Kinds() []Platform { return c.Platforms }

// List returns how every channel does, by name.
func (c *Channels) List(ctx context.Context) ([]Status, error) {
	list, err := c.Store.Platforms.Channels(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Status, 0, len(list))
	for _, o := range list {
		s := Status{Options: o, State: Elsewhere}
		if o.Off {
			s.State = Off
		}
		c.mu.Lock()
		l := c.open[o.Name]
		c.mu.Unlock()
		if l != nil {
			l.mu.Lock()
			s = l.status
			l.mu.Unlock()
			s.Options = o // the line may not have been opened anew yet
		}
		secrets, err := c.secrets(ctx, o.Name)
		if err != nil {
			s.Problem = fault.TextOf(err)
		}
		s.Secrets = slices.Sorted(maps.Keys(secrets))
		open, err := c.Store.Outbox.Deliveries(ctx, Filter{Channel: o.Name, Open: true, Limit: 1000})
		if err != nil {
			return nil, err
		}
		failed, err := c.Store.Outbox.Deliveries(ctx, Filter{Channel: o.Name, State: Failed, Limit: 1000})
		if err != nil {
			return nil, err
		}
		s.Waiting, s.Failed = len(open), len(failed)
		out = append(out, s)
	}
	return out, nil
}

// Configure adds or changes a channel. A secret that is left out stays, an empty one goes. It
// is refused when the platform does not know the credentials.
func (c *Channels) Configure(ctx context.Context, by event.Party, o Options, secrets map[string]string) (Account, error) {
	p, ok := c.platform(o.Kind)
	if ok {
		for name := range secrets {
			if !slices.ContainsFunc(p.Secrets, func(n Need) bool { return n.Name == name }) {
				return Account{}, fault.BadField("secrets", fmt.Sprintf("A channel of the kind %s has no secret %q.", o.Kind, name))
			}
		}
	}
	a, err := c.adapter(ctx, o, secrets)
	if err != nil {
		return Account{}, err
	}
	account, err := a.Check(ctx)
	if fault.KindOf(err) == fault.Denied && err != nil {
		return account, err
	}
	if err != nil {
		account = Account{} // it cannot be reached now; that is shown, and tried again
	}
	all, err := c.secrets(ctx, o.Name)
	if err != nil {
		return account, err
	}
	maps.Copy(all, secrets)
	maps.DeleteFunc(all, func(_, v string) bool { return v == "" })
	raw, err := json.Marshal(all)
	if err != nil {
		return account, err
	}
	defer poke(c.changed)
	return account, c.Vault.Keep(ctx, by, secretOf(o.Name), string(raw), ConfiguredKind.Draft(placeOn(c.Store.Log.Mint(), event.OrgStream, by), o))
}

// Remove forgets a channel and its secrets. Its conversations and deliveries stay.
func (c *Channels) Remove(ctx context.Context, by event.Party, name string) error {
	if _, err := c.options(ctx, name); err != nil {
		return err
	}
	defer poke(c.changed)
	return c.Vault.Keep(ctx, by, secretOf(name), "", RemovedKind.Draft(placeOn(c.Store.Log.Mint(), event.OrgStream, by), Removed{Name: name}))
}

func (c *Channels) options(ctx context.Context, name string) (Options, error) {
	list, err := c.Store.Platforms.Channels(ctx)
	if err != nil {
		return Options{}, err
	}
	i := slices.IndexFunc(list, func(o Options) bool { return o.Name == name })
	if i < 0 {
		return Options{}, fault.New(fault.NotFound, "There is no channel named %q. `chela channel list` shows those there are.", name)
	}
	return list[i], nil
}

// Test asks the platform who we are there.
func (c *Channels) Test(ctx context.Context, name string) (Account, error) {
	o, err := c.options(ctx, name)
	if err != nil {
		return Account{}, err
	}
	a, err := c.adapter(ctx, o, nil)
	if err != nil {
		return Account{}, err
	}
	return a.Check(ctx)
}
