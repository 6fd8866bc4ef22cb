package channel

import (
	"context"
	"errors"
	"testing"
	"time"

	"chela/internal/event"
)

// A door is a platform that is joined by a code.
type door struct {
	Adapter
	codes []string
	then  error
	shown func(code string)
}

func (d *door) Link(_ context.Context, show func(code string)) error {
	for _, c := range d.codes {
		show(c)
		d.shown(c)
	}
	return d.then
}

type minted struct {
	Log
	mint *event.Mint
}

func (m minted) Mint() *event.Mint { return m.mint }

func TestLink_ACodeIsShownWhileAChannelIsUnlinked(t *testing.T) {
	t.Parallel()
	lost := errors.New("nobody took it")
	for name, c := range map[string]struct {
		codes []string
		then  error
	}{
		"linked before": {}, "linked now": {codes: []string{"a", "b"}}, "not linked": {codes: []string{"a"}, then: lost},
	} {
		l := &line{c: &Channels{Parts: Parts{Store: Store{Log: minted{mint: event.NewMint(time.Now())}}}}, status: Status{State: Connecting, Account: &Account{ID: "before"}}}
		d := &door{codes: c.codes, then: c.then, shown: func(code string) {
			if l.status.Link != code || l.status.State != Unlinked || l.status.Account != nil {
				t.Errorf("%s: with the code %s it is %+v", name, code, l.status)
			}
		}}
		if err := l.link(t.Context(), d); !errors.Is(err, c.then) {
			t.Errorf("%s: %v", name, err)
		}
		if l.status.Link != "" || l.status.State != Connecting || (l.status.Account == nil) != (c.codes != nil) {
			t.Errorf("%s: afterwards it is %+v", name, l.status)
		}
	}
}
