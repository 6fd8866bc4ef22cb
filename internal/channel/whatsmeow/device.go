//go:build whatsmeow

package whatsmeow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	waLog "go.mau.fi/whatsmeow/util/log"
	_ "modernc.org/sqlite" // the driver that sqlstore is told to use

	"chela/internal/fault"
)

// A device is the linked device of a number: its keys, and what it must not forget between connections.
type device struct {
	*store.Device
	log  waLog.Logger
	kept *sqlstore.Container
	me   types.JID // as the file had it; none is not linked
}

// mark is by what a database is known as one of ours, at markAt in its first bytes (sqlite.org/fileformat2.html).
const (
	mark   = 0x43686C41
	markAt = 68
)

// device opens the file of the keys, and makes it when there is none.
func (a *Adapter) device(ctx context.Context) (*device, error) {
	fresh, err := a.own()
	if err != nil {
		return nil, err
	}
	pragmas := []string{"busy_timeout(10000)", "foreign_keys(1)"}
	if fresh {
		pragmas = append(pragmas, fmt.Sprintf("application_id(%d)", mark)) // before there is a WAL, so that it is in the file
	}
	pragmas = append(pragmas, "journal_mode(WAL)", "synchronous(FULL)")
	at := "file:" + (&url.URL{Path: a.file}).EscapedPath() + "?" + url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}.Encode()
	d := &device{log: words{a.log.With("channel", a.name)}}
	if d.kept, err = sqlstore.New(ctx, "sqlite", at, d.log); err != nil {
		return nil, a.unreadable(err)
	}
	if d.Device, err = d.kept.GetFirstDevice(ctx); err != nil {
		d.close()
		return nil, a.unreadable(err)
	}
	d.me = d.GetJID()
	return d, nil
}

// forget takes a device out of the file. The library, which does so too, may be at it.
func (d *device) forget(ctx context.Context) error {
	return d.kept.DeleteDevice(ctx, &store.Device{ID: &d.me})
}

func (a *Adapter) unreadable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The file %s, in which the channel %s keeps its keys, cannot be used: %s", a.file, a.name, oneLine(err.Error()))
}

// own makes sure that the file is ours and nobody else may read it, and reports whether there is nothing in it yet.
func (a *Adapter) own() (fresh bool, err error) {
	if err := os.MkdirAll(filepath.Dir(a.file), 0o700); err != nil {
		return false, a.unreadable(err)
	}
	f, err := os.OpenFile(a.file, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the place is an admin's, and what is there is looked at
	if err != nil {
		return false, a.unreadable(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	head := make([]byte, markAt+4)
	n, err := io.ReadFull(f, head)
	switch {
	case errors.Is(err, io.EOF):
		fresh = true
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return false, a.unreadable(err)
	case n < len(head) || binary.BigEndian.Uint32(head[markAt:]) != mark:
		return false, fault.New(fault.Denied, "The file %s is there and is not one in which a channel of the kind %s keeps its keys. Choose another with the setting %s.", a.file, Kind, settingFile)
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm()&^fs.FileMode(0o600) != 0 {
		if err := f.Chmod(0o600); err != nil {
			return false, a.unreadable(err)
		}
	}
	return fresh, nil
}

// firstKeys is how many keys for new conversations WhatsApp is given at first, as the library has it.
const firstKeys = 812

// prepare makes the first keys at once. The library would write each for itself, which takes long.
func (d *device) prepare(ctx context.Context) error {
	return d.EventBuffer.DoDecryptionTxn(ctx, func(ctx context.Context) error {
		_, err := d.PreKeys.GetOrGenPreKeys(ctx, firstKeys)
		return err
	})
}

func (d *device) close() {
	if err := d.kept.Close(); err != nil {
		d.log.Warnf("close the keys: %v", err)
	}
}

// words writes what the library logs. Its Debugf has codes and whole messages, which nobody is to find in a log.
type words struct{ log *slog.Logger }

func (w words) Errorf(format string, args ...any) {
	w.log.Warn("whatsmeow: " + fmt.Sprintf(format, args...))
}

func (w words) Warnf(format string, args ...any) {
	w.log.Info("whatsmeow: " + fmt.Sprintf(format, args...))
}

func (w words) Infof(format string, args ...any) {
	w.log.Debug("whatsmeow: " + fmt.Sprintf(format, args...))
}
func (w words) Debugf(string, ...any)   {}
func (w words) Sub(string) waLog.Logger { return w }
