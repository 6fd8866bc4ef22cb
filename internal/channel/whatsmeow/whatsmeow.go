//go:build whatsmeow

package whatsmeow

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	lib "go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/markup"
)

// Kind is this platform's.
const Kind channel.Kind = "whatsapp-app"

// settingFile is the name of the only setting.
const settingFile = "file"

// Platform says what a channel by the app's protocol needs. In folder it keeps its keys, a file for each channel.
func Platform(folder string) channel.Platform {
	store.DeviceProps.Os = proto.String("Chela") // what the phone shows under Linked devices
	all := channel.NewByName(newMemory)
	return channel.Platform{
		Kind: Kind,
		Settings: []channel.Need{
			{Name: settingFile, Help: "The file in which the keys of the linked device are kept, NAME.db in the folder whatsapp-app of the data folder if not given. Who has it reads and writes as the number.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) { return open(c, folder, all.Of(c.Name)) },
	}
}

// An Adapter is one number.
type Adapter struct {
	name   string // of the channel
	file   string // of the keys
	http   *http.Client
	log    *slog.Logger
	memory *memory
	live   atomic.Pointer[lib.Client] // while it is connected
}

// A memory is what outlives a connection, and is needed by the next.
type memory struct {
	heard *channel.Kept[heard]          // by id: what came
	chats *channel.Kept[string]         // by id of a message of ours: the chat that it was sent to
	sent  *channel.Kept[*waE2E.Message] // by id: what a device may ask for once more
}

// heard is a message that came, as far as it is needed to answer it.
type heard struct {
	chat, sender types.JID
	words        string
}

func newMemory() *memory {
	return &memory{channel.NewKept[heard](5000), channel.NewKept[string](5000), channel.NewKept[*waE2E.Message](500)}
}

var (
	_ channel.Adapter = (*Adapter)(nil)
	_ channel.Linker  = (*Adapter)(nil)
	_ channel.Editor  = (*Adapter)(nil)
	_ channel.Typer   = (*Adapter)(nil)
	_ channel.Reader  = (*Adapter)(nil)
)

// open returns the number of a configuration. It does not connect.
func open(c channel.Config, folder string, m *memory) (*Adapter, error) {
	file := cmp.Or(c.Settings[settingFile], filepath.Join(folder, string(Kind), c.Name+".db"))
	if !filepath.IsAbs(file) || strings.ContainsRune(file, 0) {
		return nil, fault.BadField(settingFile, "It is the whole path of a file, such as /var/lib/chela/support.db.")
	}
	var base *url.URL
	if c.BaseURL != "" {
		var err error
		if base, err = url.Parse(strings.TrimRight(c.BaseURL, "/")); err != nil || base.Host == "" {
			return nil, fault.BadField("base_url", "It is an address such as https://proxy.example.com.")
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Adapter{name: c.Name, file: file, http: over(c.Client, base), log: c.Log, memory: m}, nil
}

// Shape is what a text message takes. Nobody knows what of a person's number is too much; it is much less than a
// business may send. An edit goes as a message to every device, and the apps pass over one that comes later than a
// quarter of an hour after what it edits.
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{
		Form: markup.WhatsApp, Limits: markup.WhatsAppText(), Chat: time.Second, All: 200 * time.Millisecond,
		Edit: 3 * time.Second, Editable: 14 * time.Minute, Tells: true,
	}
}

// Check says which number we are linked to.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	d, err := a.device(ctx)
	if err != nil {
		return channel.Account{}, err
	}
	defer d.close()
	if d.ID == nil {
		return channel.Account{}, a.unlinked()
	}
	return channel.Account{ID: idOf(d.ID.ToNonAD()), Name: cmp.Or(d.PushName, "+"+d.ID.User)}, nil
}

func (a *Adapter) unlinked() error {
	return fault.New(fault.Unavailable, "The channel %s is not linked to a number yet. `chela channel link %s` shows the code that the phone takes under Settings, Linked devices.", a.name, a.name)
}

// client returns a connection to come with the keys of a device.
func (a *Adapter) client(d *device) *lib.Client {
	c := lib.NewClient(d.Device, d.log)
	c.EnableAutoReconnect, c.DisableLoginAutoReconnect = false, true
	c.SynchronousAck, c.EnableDecryptedEventBuffer = true, true
	c.SetWebsocketHTTPClient(a.http)
	c.SetPreLoginHTTPClient(a.http)
	c.SetMediaHTTPClient(a.http)
	c.SetForceActiveDeliveryReceipts(true)
	c.GetMessageForRetry = func(_, _ types.JID, id types.MessageID) *waE2E.Message {
		m, _ := a.memory.sent.Get(id)
		return m
	}
	return c
}

// settles is how long WhatsApp is given to end the connection over which a device was linked.
const settles = 10 * time.Second

// Link shows codes until the phone has taken one. They come from WhatsApp, six at most, which count for 60 seconds
// the first and 20 seconds each other.
func (a *Adapter) Link(ctx context.Context, show func(code string)) error {
	d, err := a.device(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if d.ID != nil {
		return nil
	}
	c := a.client(d)
	again := make(chan struct{}, 1)
	c.AddEventHandler(func(e any) {
		if _, is := e.(*events.ManualLoginReconnect); is {
			again <- struct{}{} // it comes once in a connection
		}
	})
	codes, err := c.GetQRChannel(ctx)
	if err != nil {
		return a.trouble(err)
	}
	if err := c.ConnectContext(ctx); err != nil {
		return a.trouble(err)
	}
	defer c.Disconnect()
	if err := a.awaitLink(ctx, codes, show); err != nil {
		return err
	}
	if err := d.prepare(ctx); err != nil {
		return a.unreadable(err)
	}
	last := time.NewTimer(settles)
	defer last.Stop()
	select {
	case <-again:
	case <-last.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (a *Adapter) awaitLink(ctx context.Context, codes <-chan lib.QRChannelItem, show func(code string)) error {
	for {
		var item lib.QRChannelItem
		select {
		case <-ctx.Done():
			return ctx.Err()
		case item = <-codes:
		}
		switch item.Event {
		case lib.QRChannelEventCode:
			show(item.Code)
		case lib.QRChannelSuccess.Event:
			return nil
		case lib.QRChannelScannedWithoutMultidevice.Event: // the same code may be shown once more
			a.log.WarnContext(ctx, "the phone is too old to link a device", "channel", a.name)
		case lib.QRChannelClientOutdated.Event:
			return a.outdated(ctx)
		case lib.QRChannelTimeout.Event:
			return fault.New(fault.Unavailable, "The channel %s is not linked: no phone took the code in time. Another one comes in a moment; `chela channel link %s` shows it.", a.name, a.name)
		case lib.QRChannelEventError:
			return a.trouble(cmp.Or(item.Error, errors.New("it does not say why")))
		default:
			return a.trouble(errors.New("it ended the linking"))
		}
	}
}

// outdated looks which version of the app WhatsApp has by now, and says that it is tried with that.
func (a *Adapter) outdated(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, 20*time.Second)
	defer end()
	newest, err := lib.GetLatestVersion(ctx, a.http)
	if err != nil || !store.GetWAVersion().LessThan(*newest) {
		return fault.Wrap(err, fault.Unavailable, "WhatsApp does not serve the channel %s any more, because the version of its protocol is too old. A newer version of Chela is needed.", a.name)
	}
	store.SetWAVersion(*newest)
	store.BaseClientPayload.UserAgent.AppVersion = newest.ProtoAppVersion()
	return fault.New(fault.Unavailable, "WhatsApp wants a newer version of the app from the channel %s. It is tried with %s.", a.name, newest.String())
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with WhatsApp: %s", a.name, oneLine(err.Error()))
}
