package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/org"
)

func (a *app) channels() *cobra.Command {
	c := &cobra.Command{Use: "channel", Short: "Set up chat platforms, accept pairing requests, list deliveries"}
	c.AddCommand(a.channelKinds(), a.channelAdd(), a.channelLink(), a.channelList(), a.channelChats(), a.channelTest(), a.channelPair(), a.channelRemove(), a.deliveries(), a.resend())
	return c
}

func (a *app) channelKinds() *cobra.Command {
	return a.asked("kinds", "List chat platforms and the settings of each", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ChannelKinds(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, k := range out {
				a.printf("%s\n", k.Kind)
				for _, n := range k.Secrets {
					a.printf("  --secret %s  %s%s\n", n.Name, n.Help, optional(n))
				}
				for _, n := range k.Settings {
					a.printf("  --set %s=…  %s%s\n", n.Name, n.Help, optional(n))
				}
			}
		})
	})
}

func (a *app) channelChats() *cobra.Command {
	return a.asked("chats", "List the chats that may be written to", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListChats(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, p := range out {
				a.printf("%s  %s\n", deliveryOf(&client.DeliverTo{To: "CHAT", Channel: &p.Channel, Chat: &p.Chat, Branch: &p.Branch}), p.Title)
			}
			if len(out) == 0 {
				a.printf("There is none yet. A channel knows a chat once somebody has written there, or when its settings name it.\n")
			}
		})
	})
}

func optional(n channel.Need) string {
	if n.Optional {
		return " (may be left out)"
	}
	return ""
}

func (a *app) channelAdd() *cobra.Command {
	var in channelFlags
	c := a.asked("add KIND NAME", "Create or edit a channel", cobra.ExactArgs(2), nil)
	c.RunE = func(_ *cobra.Command, args []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		ctx := c.Context()
		body, err := a.channelBody(ctx, cl, c.Flags().Changed, in, args[0], args[1])
		if err != nil {
			return err
		}
		who, err := cl.PutChannel(ctx, args[1], body)
		if err != nil {
			return err
		}
		return a.print(who, func() {
			switch {
			case client.Value(body.Off):
				a.printf("The channel %s is kept, and switched off; --off=false switches it on.\n", args[1])
			case who.ID == "":
				a.printf("The channel %s is kept. Who we are there is not known yet; `chela channel list` shows how it does.\n", args[1])
			default:
				a.printf("The channel %s is kept; we are %s there.\n", args[1], cmp.Or(who.Name, who.ID))
			}
		})
	}
	c.Long = "Adds a channel, or changes what is named of the one of that name; what is not named stays. `chela channel kinds` shows what each platform needs. Secrets are asked for, or come from the standard input, each on a line of its own when there are several, and are kept in the vault."
	c.Example = "  chela channel add telegram team --secret token\n  chela channel add webhook portal --secret secret --set url=https://chat.example.com/hook\n  chela channel add telegram team --off"
	f := c.Flags()
	f.StringArrayVar(&in.secrets, "secret", nil, "a secret to ask for, by its name")
	f.StringVar(&in.queue, "queue", "", "what becomes of messages that come while an agent works: steer, collect, followup or interrupt")
	f.StringArrayVar(&in.sets, "set", nil, "a setting, NAME=VALUE; one without a value goes")
	f.StringVar(&in.base, "base-url", "", "of the platform's interface, when it is not the platform's own")
	f.StringVar(&in.agent, "agent", "", "the agent that is spoken to directly")
	f.StringVar(&in.groups, "groups", "", "which messages of groups are for us: mention, always or never")
	f.StringArrayVar(&in.chats, "chat", nil, "the platform's id of a chat; when any is given, no other is listened to; an empty one listens to all")
	f.BoolVar(&in.off, "off", false, "neither receive nor send")
	a.projectFlag(c)
	return c
}

// channelFlags are what is said of a channel on the command line.
type channelFlags struct {
	queue, base, agent, groups string
	chats, secrets, sets       []string
	off                        bool
}

// channelBody is the channel of a name as it is, with what the flags say.
func (a *app) channelBody(ctx context.Context, cl *client.Client, given func(flag string) bool, in channelFlags, kind, name string) (client.ChannelBody, error) {
	body := client.ChannelBody{Kind: kind, Settings: make(map[string]string)}
	all, err := cl.ListChannels(ctx)
	if err != nil {
		return body, err
	}
	if i := slices.IndexFunc(all, func(s channel.Status) bool { return s.Name == name && string(s.Kind) == kind }); i >= 0 {
		was := all[i].Options
		body.Groups, body.Queue, body.BaseURL = client.Given(string(was.Groups)), client.Given(string(was.Queue)), client.Given(was.BaseURL)
		body.Agent, body.Project, body.Chats, body.Off = client.Given(was.Agent), client.Given(was.Project), was.Chats, client.Given(was.Off)
		maps.Copy(body.Settings, was.Settings)
	}
	for flag, of := range map[string]struct {
		into  **string
		value string
	}{"groups": {&body.Groups, in.groups}, "queue": {&body.Queue, in.queue}, "base-url": {&body.BaseURL, in.base}, "agent": {&body.Agent, in.agent}} {
		if given(flag) {
			*of.into = client.Given(of.value)
		}
	}
	if given("chat") {
		body.Chats = slices.DeleteFunc(slices.Clone(in.chats), func(id string) bool { return id == "" })
	}
	if given("off") {
		body.Off = client.Given(in.off)
	}
	for _, s := range in.sets {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return body, fault.BadField("set", fmt.Sprintf("--set has the form NAME=VALUE, not %q.", s))
		}
		if body.Settings[name] = value; value == "" {
			delete(body.Settings, name)
		}
	}
	if given("project") {
		if body.Project = nil; a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return body, err
			}
			body.Project = &project
		}
	}
	body.Secrets, err = a.secretsOf(in.secrets)
	return body, err
}

// secretsOf asks for the secrets of these names.
func (a *app) secretsOf(names []string) (map[string]string, error) {
	questions := make([]string, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usageError{fmt.Errorf("--secret %s is there twice", name)}
		}
		questions[i] = "Secret " + name
	}
	values, err := a.hushAll(questions)
	out := make(map[string]string, len(names))
	for i, value := range values {
		out[names[i]] = value
	}
	return out, err
}

func (a *app) channelList() *cobra.Command {
	return a.asked("list", "List channels with their state", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListChannels(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, s := range out {
				a.printf("%-16s %-12s %-10s waiting %d, failed %d", s.Name, s.Kind, s.State, s.Waiting, s.Failed)
				if s.Account != nil {
					a.printf("  as %s", cmp.Or(s.Account.Name, s.Account.ID))
				}
				if s.Problem != "" {
					a.printf("  %s", s.Problem)
				}
				if s.State == channel.Unlinked {
					a.printf("  `chela channel link %s` shows the code that links it.", s.Name)
				}
				a.printf("\n")
			}
			if len(out) == 0 {
				a.printf("There are none. `chela channel add` adds one.\n")
			}
		})
	})
}

func (a *app) channelTest() *cobra.Command {
	return a.asked("test NAME", "Test a channel: ask the platform for the account's name", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		who, err := cl.TestChannel(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(who, func() { a.printf("We are %s (%s) there.\n", who.Name, who.ID) })
	})
}

func (a *app) channelRemove() *cobra.Command {
	return a.asked("remove NAME", "Delete a channel and its secrets; its conversations stay", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.RemoveChannel(ctx, args[0]); err != nil {
			return err
		}
		return a.print(map[string]string{"removed": args[0]}, func() { a.printf("The channel %s is forgotten.\n", args[0]) })
	})
}

func (a *app) channelPair() *cobra.Command {
	c := a.asked("pair [CODE PERSON]", "Accept a pairing request: link its sender to a person; without a code, list the requests", cobra.MaximumNArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		if len(args) == 1 {
			return fault.BadField("person", fmt.Sprintf("Say as whom: `chela channel pair %s PERSON`. `chela person list` shows the members.", args[0]))
		}
		if len(args) == 0 {
			return a.pairingRequests(ctx, cl)
		}
		person, err := memberNamed(ctx, cl, args[1])
		if err != nil {
			return err
		}
		k, err := cl.Pair(ctx, args[0], client.PairRequest{Person: person.ID})
		if err != nil {
			return err
		}
		return a.print(k, func() {
			a.printf("%s (%s) is %s from now on. What they wrote before was not kept.\n", k.Identity(), k.Name, person.Name)
		})
	})
	c.Example = "  chela channel pair\n  chela channel pair 7KQ2M9XA ann"
	return c
}

func (a *app) pairingRequests(ctx context.Context, cl *client.Client) error {
	out, err := cl.ListPairings(ctx)
	if err != nil {
		return err
	}
	return a.print(out, func() {
		for _, k := range out {
			a.printf("%s  until %s  %s  calls themself %q\n", k.Code, k.Until.Local().Format(time.TimeOnly), k.Identity(), k.Name)
		}
		if len(out) == 0 {
			a.printf("Nobody waits.\n")
		}
	})
}

// memberNamed finds a member by id or by a name that is theirs alone.
func memberNamed(ctx context.Context, cl *client.Client, wanted string) (org.Person, error) {
	all, err := cl.ListPersons(ctx)
	if err != nil {
		return org.Person{}, err
	}
	var found []org.Person
	for _, p := range all {
		if p.ID == wanted {
			return p, nil
		}
		if strings.EqualFold(p.Name, wanted) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return org.Person{}, fault.New(fault.NotFound, "No member is called %q; `chela person list` shows them.", wanted)
	}
	if len(found) > 1 {
		return org.Person{}, fault.New(fault.NotFound, "%d members are called %q; `chela person list` shows their ids.", len(found), wanted)
	}
	return found[0], nil
}

func (a *app) deliveries() *cobra.Command {
	var q client.ListDeliveriesQuery
	c := a.asked("deliveries", "List deliveries, newest first", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListDeliveries(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, d := range out {
				a.printf("%s  %-8s %-14s chat %s  attempts %d", d.ID, d.State, d.Channel, d.Chat, d.Attempts)
				if d.Why != "" {
					a.printf("  %s", d.Why)
				}
				if d.Unknown {
					a.printf("  (it may have arrived)")
				}
				if !d.Next.IsZero() {
					a.printf("  again at %s", d.Next.Local().Format(time.TimeOnly))
				}
				a.printf("\n")
			}
			if len(out) == 0 {
				a.printf("There are none.\n")
			}
		})
	})
	c.Flags().StringVar(&q.Channel, "channel", "", "only of this channel")
	c.Flags().StringVarP(&q.Thread, "thread", "t", "", "only of this conversation")
	c.Flags().StringVar(&q.State, "state", "", "queued, sending, sent, delivered or failed")
	return c
}

func (a *app) resend() *cobra.Command {
	return a.asked("resend DELIVERY", "Retry a failed delivery", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		d, err := cl.ResendDelivery(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(d, func() { a.printf("The delivery %s is %s.\n", d.ID, d.State) })
	})
}

// examineChannels says which channels do not work.
func (a *app) examineChannels(ctx context.Context, cl *client.Client) []check {
	list, err := cl.ListChannels(ctx)
	if err != nil {
		return []check{{"channels", false, textOf(err)}}
	}
	var out []check
	for _, s := range list {
		switch {
		case s.State == channel.Broken:
			out = append(out, check{"channel " + s.Name, false, fmt.Sprintf("It is broken since %s: %s", s.Since.Local().Format(time.DateTime), s.Problem)})
		case s.State == channel.Unlinked:
			out = append(out, check{"channel " + s.Name, false, fmt.Sprintf("It is not linked to an account; `chela channel link %s` shows the code for it.", s.Name)})
		case s.Failed > 0:
			out = append(out, check{"channel " + s.Name, false, fmt.Sprintf("%d deliveries were given up; `chela channel deliveries --channel %s --state failed` says why.", s.Failed, s.Name)})
		default:
			out = append(out, check{"channel " + s.Name, true, fmt.Sprintf("It is %s; %d deliveries wait.", s.State, s.Waiting)})
		}
	}
	return out
}
