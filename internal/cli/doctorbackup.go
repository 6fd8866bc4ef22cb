package cli

import (
	"context"
	"fmt"
	"time"

	"chela/internal/backup"
	"chela/internal/event"
	"chela/internal/gateway/client"
	"chela/internal/store"
)

// noBackup is the hint of the doctor where none was ever made.
const noBackup = "None was made yet. `chela backup FILE` writes everything into one file."

// examineBackups says how old the last backup is.
func (a *app) examineBackups(ctx context.Context, cl *client.Client) []check {
	list, err := cl.ListBackups(ctx)
	if err != nil { // it is for admins
		return nil
	}
	if len(list.Backups) == 0 {
		return []check{{"backup", true, noBackup}}
	}
	last := list.Backups[0]
	return []check{{"backup", true, lastBackup(last.At, int64(last.Events), time.Now())}}
}

// examineBackupsUnserved is as [app.examineBackups], without a daemon.
func examineBackupsUnserved(ctx context.Context, db *store.DB) []check {
	found, _, err := db.Log.Events(ctx, 0, event.Filter{Type: backup.MadeKind.Name, Newest: true, Limit: 1})
	if err != nil {
		return nil
	}
	for _, e := range found {
		if p, ok, err := backup.MadeKind.Open(e.Event); ok && err == nil {
			return []check{{"backup", true, lastBackup(e.At, p.Events, time.Now())}}
		}
	}
	return []check{{"backup", true, noBackup}}
}

func lastBackup(at time.Time, events int64, now time.Time) string {
	age := now.Sub(at)
	ago := "less than an hour ago"
	switch hours := int(age.Hours()); {
	case hours >= 48:
		ago = plural(hours/24, "day") + " ago"
	case hours >= 1:
		ago = plural(hours, "hour") + " ago"
	}
	return fmt.Sprintf("The last was made %s, on %s, with %d events.", ago, at.Local().Format("2006-01-02 15:04"), events)
}
