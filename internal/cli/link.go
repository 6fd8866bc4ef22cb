package cli

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

const (
	linkLook  = time.Second     // from one look to the next
	linkAtAll = 5 * time.Minute // until somebody has to ask again
)

func (a *app) channelLink() *cobra.Command {
	c := a.asked("link NAME", "Show the code that links a channel to an account, until the platform's app has scanned it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		ctx, end := context.WithTimeout(ctx, linkAtAll)
		defer end()
		s, err := a.linked(ctx, cl, args[0])
		if err != nil {
			return err
		}
		return a.print(s, func() {
			a.printf("The channel %s is linked; we are %s there.\n", s.Name, cmp.Or(s.Account.Name, s.Account.ID))
		})
	})
	c.Long = "Shows the code that joins a channel to an account, such as a QR code for the phone of a whatsapp-app channel, and the next one when it lapses, until the channel is linked. With --json nothing is drawn: the text of the code is `link` of the channel in `GET /api/channels`."
	return c
}

// linked shows the codes of a channel until it needs none.
func (a *app) linked(ctx context.Context, cl *client.Client, name string) (channel.Status, error) {
	tick := time.NewTicker(linkLook)
	defer tick.Stop()
	shown, why := "", ""
	for {
		list, err := cl.ListChannels(ctx)
		if ctx.Err() != nil {
			return channel.Status{}, fault.New(fault.Unavailable, "The channel %s is not linked. `chela channel link %s` shows another code.", name, name)
		}
		if err != nil {
			return channel.Status{}, err
		}
		i := slices.IndexFunc(list, func(s channel.Status) bool { return s.Name == name })
		if i < 0 {
			return channel.Status{}, fault.New(fault.NotFound, "There is no channel named %q. `chela channel list` shows those there are.", name)
		}
		switch s := list[i]; {
		case s.State == channel.Off, s.State == channel.Elsewhere:
			return s, fault.New(fault.Conflict, "The channel %s is %s: there is no code for it here.", name, string(s.State))
		case s.State == channel.Up && s.Account != nil:
			return s, nil
		case s.Link != shown && s.Link != "" && !a.json:
			if err := a.draw(s.Link); err != nil {
				return s, err
			}
			shown = s.Link
		case s.State == channel.Broken && s.Problem != why && !a.json:
			why = s.Problem
			a.printf("%s\n", why)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// draw shows a text as a QR code, two rows in a line, dark on light whatever the terminal's colours are.
func (a *app) draw(text string) error {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The code cannot be drawn: %s.", err.Error())
	}
	const quiet = 2 // light around it
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := -quiet; x < code.Size+quiet; x++ {
			switch upper, lower := code.Black(x, y), code.Black(x, y+1); {
			case upper && lower:
				b.WriteRune('█')
			case upper:
				b.WriteRune('▀')
			case lower:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	_, _ = io.WriteString(a.out, b.String()) // the terminal is gone
	a.printf("\nOn the phone: Settings, Linked devices, Link a device.\n")
	return nil
}
