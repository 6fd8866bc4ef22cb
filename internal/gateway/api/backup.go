package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"chela/internal/backup"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
)

// Backs writes a backup of the organization.
type Backs func(ctx context.Context, by event.Party, vaultKey bool, w io.Writer) (backup.Manifest, error)

// backup writes a backup. It is for owners: it holds the key by which the node signs, the settings, and what everybody said.
func (a *api) backup(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	withKey := r.URL.Query().Get("vaultKey")
	if withKey != "" && withKey != "true" && withKey != "false" {
		a.hall.Fail(w, r, fault.BadField("vaultKey", "It is true or false.", "true", "false"))
		return
	}
	out := &begins{to: w}
	_, err := a.Backup(ctx, gateway.CallerOf(ctx).Person.Party(), withKey == "true", out)
	switch {
	case err == nil:
	case !out.begun:
		a.hall.Fail(w, r, err)
	default:
		a.Log.Error("write a backup", "err", err)
		panic(http.ErrAbortHandler) // the client must not take a cut file for a whole one
	}
}

// begins says what follows before the first byte of it.
type begins struct {
	to    http.ResponseWriter
	begun bool
}

func (b *begins) Write(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.to.Header().Set("Content-Type", "application/gzip")
		b.to.Header().Set("Content-Disposition", `attachment; filename="chela-backup.tar.gz"`)
	}
	return b.to.Write(p)
}

// A MadeBackup says that a backup was made.
type MadeBackup struct {
	At        time.Time `json:"at"`
	By        string    `json:"by"`
	Events    int64     `json:"events" doc:"of the log that are in it"`
	Artifacts int64     `json:"artifacts"`
	Missing   int64     `json:"missing_artifacts" doc:"that the log names, and that were gone or damaged"`
	Digest    string    `json:"sha256" doc:"of what it holds, as its manifest has it"`
	VaultKey  bool      `json:"vault_key" doc:"the key of the vault is in it"`
}

// Backups lists backups.
type Backups struct {
	Backups []MadeBackup `json:"backups"`
}

func backupRoutes(a *api) {
	route(a, http.MethodGet, "/api/backups", "list-backups", "List the latest backups that were made, newest first", org.Admin, a.backups)
}

// latestBackups is how many backups are listed.
const latestBackups = 20

func (a *api) backups(ctx context.Context, _ *struct{}) (*Body[Backups], error) {
	found, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Type: backup.MadeKind.Name, Newest: true, Limit: latestBackups})
	out := Backups{Backups: []MadeBackup{}}
	for _, e := range found {
		p, ok, err := backup.MadeKind.Open(e.Event)
		if err != nil || !ok {
			continue // of another program
		}
		out.Backups = append(out.Backups, MadeBackup{At: e.At, By: e.Message.From.AgentID, Events: p.Events, Artifacts: p.Artifacts, Missing: p.Missing, Digest: p.Digest, VaultKey: p.VaultKey})
	}
	return body(out, err)
}
