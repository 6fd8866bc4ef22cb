package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// Kinds are the platforms that a channel can be of.
func (c *Channels) Kinds() []Platform { return c.Platforms }

// List returns how every channel does, by name.
func (c *Channels) List(ctx context.Context) ([]Status, error) {
	list, err := c.Store.Channels(ctx)
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
		}
		secrets, err := c.secrets(ctx, o.Name)
		if err != nil {
			s.Problem = fault.TextOf(err)
		}
		s.Secrets = slices.Sorted(maps.Keys(secrets))
		open, err := c.Store.Deliveries(ctx, Filter{Channel: o.Name, Open: true, Limit: 1000})
		if err != nil {
			return nil, err
		}
		failed, err := c.Store.Deliveries(ctx, Filter{Channel: o.Name, State: Failed, Limit: 1000})
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
				return Account{}, fault.BadField("secrets", fmt.Sprintf("A channel of the kind %s has no secret %q.", string(o.Kind), name))
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
	return account, c.Vault.Keep(ctx, by, secretOf(o.Name), string(raw), ConfiguredKind.Draft(c.orgPlace(by), o))
}

// Remove forgets a channel and its secrets. Its conversations and deliveries stay.
func (c *Channels) Remove(ctx context.Context, by event.Party, name string) error {
	if _, err := c.options(ctx, name); err != nil {
		return err
	}
	return c.Vault.Keep(ctx, by, secretOf(name), "", RemovedKind.Draft(c.orgPlace(by), Removed{Name: name}))
}

func (c *Channels) options(ctx context.Context, name string) (Options, error) {
	list, err := c.Store.Channels(ctx)
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

// Knocks are the strangers who wait to be let in.
func (c *Channels) Knocks(ctx context.Context) ([]Knock, error) {
	return c.Store.Knocks(ctx, c.Store.Mint().Now())
}

// Pair lets the stranger with a code in: from now on the channel knows them as the person.
func (c *Channels) Pair(ctx context.Context, by event.Party, code, person string) (Knock, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	all, err := c.Knocks(ctx)
	if err != nil {
		return Knock{}, err
	}
	i := slices.IndexFunc(all, func(k Knock) bool { return k.Code == code })
	if i < 0 {
		return Knock{}, fault.New(fault.NotFound, "No code %q counts. A code counts for ten minutes; whoever writes to the channel then gets a new one.", code)
	}
	k := all[i]
	members, err := c.Store.Persons(ctx)
	if err != nil {
		return k, err
	}
	link := org.Identity{Person: person, Identity: k.Identity()}
	if err := org.CheckLink(members, link); err != nil {
		return k, err
	}
	_, err = c.Store.Append(ctx, org.LinkedKind.Draft(c.orgPlace(by), link))
	return k, err
}

// Deliveries lists what was sent and what waits, the newest first.
func (c *Channels) Deliveries(ctx context.Context, f Filter) ([]Delivery, error) {
	return c.Store.Deliveries(ctx, f)
}

// Resend has a delivery that failed be tried again.
func (c *Channels) Resend(ctx context.Context, by event.Party, id string) (Delivery, error) {
	d, err := c.Store.Delivery(ctx, id)
	if err != nil {
		return d, err
	}
	if d.State != Failed {
		return d, fault.New(fault.Conflict, "The delivery %s is %s; only one that failed is sent again.", id, string(d.State))
	}
	b := outbox{store: c.Store}
	at := b.place(d, "")
	at.From, at.Key = by, ""
	if _, err := c.Store.Append(ctx, AgainKind.Draft(at, Again{Delivery: id})); err != nil {
		return d, err
	}
	return c.Store.Delivery(ctx, id)
}

// ServeHTTP hands what a platform sends to the address of a channel to that channel.
func (c *Channels) ServeHTTP(name string, w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	l := c.open[name]
	c.mu.Unlock()
	var a Adapter
	if l != nil {
		l.mu.Lock()
		a = l.adapter
		l.mu.Unlock()
	}
	listener, ok := a.(Listener)
	if !ok {
		http.NotFound(w, r)
		return
	}
	listener.Listen(w, r, l)
}
