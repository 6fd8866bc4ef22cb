package channel

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// How long a pairing code counts, and how many do at the same time in one channel.
const (
	CodeFor             = 10 * time.Minute
	mostPairingRequests = 100
)

// codeLetters cannot be taken for each other when they are read out.
const codeLetters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

// requestPairing gives a stranger a code, once as long as it counts, and only where nobody else
// reads it.
func (g *Gate) requestPairing(ctx context.Context, o Options, m Message) error {
	if m.Group || m.What != Said {
		return nil
	}
	now := g.store.Log.Mint().Now()
	k := PairingRequest{Channel: o.Name, Sender: m.Sender.ID, Name: OneLine(m.Sender.Name, 80), Address: m.Address, Code: newCode(), Until: now.Add(CodeFor)}
	if err := (org.Identity{Person: "per", Identity: k.Identity()}).Check(); err != nil {
		g.log.Warn("a sender cannot be known by this id", "channel", o.Name, "err", err)
		return nil
	}
	at := placeOn(g.store.Log.Mint(), event.ChannelStream(o.Name), run.Chela())
	at.Key = "pairing:" + o.Name + ":" + m.Chat + ":" + m.ID
	_, err := g.store.Platforms.RequestPairing(ctx, k, mostPairingRequests, PairingRequestedKind.Draft(at, k))
	return err
}

// newCode draws 8 letters: 39 bits for ten minutes.
func newCode() string {
	var b strings.Builder
	for b.Len() < 8 {
		var one [1]byte
		_, _ = rand.Read(one[:]) // never fails
		if n := int(one[0]) % 32; n < len(codeLetters) {
			b.WriteByte(codeLetters[n])
		}
	}
	return b.String()
}

// PairingRequests are the strangers who wait to be let in.
func (c *Channels) PairingRequests(ctx context.Context) ([]PairingRequest, error) {
	return c.Store.Platforms.PairingRequests(ctx, c.Store.Log.Mint().Now())
}

// Pair lets the stranger with a code in: from now on the channel knows them as the person.
func (c *Channels) Pair(ctx context.Context, by event.Party, code, person string) (PairingRequest, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	all, err := c.PairingRequests(ctx)
	if err != nil {
		return PairingRequest{}, err
	}
	i := slices.IndexFunc(all, func(k PairingRequest) bool { return k.Code == code })
	if i < 0 {
		return PairingRequest{}, fault.New(fault.NotFound, "No code %q counts. A code counts for ten minutes; whoever writes to the channel then gets a new one.", code)
	}
	k := all[i]
	members, err := c.Store.People.Persons(ctx)
	if err != nil {
		return k, err
	}
	link := org.Identity{Person: person, Identity: k.Identity()}
	if err := org.CheckLink(members, link); err != nil {
		return k, err
	}
	_, err = c.Store.Log.Append(ctx, org.LinkedKind.Draft(placeOn(c.Store.Log.Mint(), event.OrgStream, by), link))
	return k, err
}
