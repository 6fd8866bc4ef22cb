package daemon

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"time"

	"chela/internal/config"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/stash"
	"chela/internal/store"
)

// TokenFile is where the owner's token lies in the data folder.
const TokenFile = "token"

// seed makes, once, the owner with a token, the default agents and the default schedules. What people have
// changed since stays as it is.
func (d *Daemon) seed(ctx context.Context) error {
	var drafts []event.Draft
	for _, a := range prompt.Defaults(d.tools.Now().Needs) {
		at := d.ownPlace(run.Chela())
		at.Key = "seed:" + string(a.Card.AgentID)
		drafts = append(drafts, org.RegisterKind.Draft(at, org.Registration{Card: a.Card, Status: org.Online, Profile: &a.Profile}))
	}
	for _, f := range schedule.Defaults() {
		at := d.ownPlace(run.Chela())
		at.Key = "seed:schedule:" + string(f.Agent)
		drafts = append(drafts, schedule.CreatedKind.Draft(at, schedule.Made{ID: schedule.ID(d.db.Mint().ID("sch")), Version: 1, Fields: f}))
	}
	owner := org.PersonAdded{ID: d.db.Mint().ID("per"), Name: "Owner", Role: org.Owner}
	at := d.ownPlace(run.Chela())
	at.Key = "seed:owner"
	drafts = append(drafts, org.PersonAddedKind.Draft(at, owner))
	recorded, err := d.db.Log.Append(ctx, drafts...)
	if err != nil {
		return fmt.Errorf("seed the organization: %w", err)
	}
	if len(recorded) == 0 || !org.PersonAddedKind.Is(recorded[len(recorded)-1]) {
		return d.ownerToken(ctx)
	}
	return d.grantOwner(ctx, owner.ID)
}

// OrgFile is the file in the data folder that says how the agents are. What it says
// holds from the next start on; `chela org export` writes it.
const OrgFile = "org.yaml"

// applyOrg records what the organization's file says differently.
func (d *Daemon) applyOrg(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(d.cfg.Data, OrgFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	have, err := d.db.Roster.Agents(ctx)
	if err != nil {
		return err
	}
	want, there, err := d.readOrg(have)
	if err != nil || !there {
		return err
	}
	old := make(map[org.AgentID]org.Agent)
	for _, a := range have {
		old[a.Card.AgentID] = a
	}
	var drafts []event.Draft
	for _, a := range want.Agents {
		before, known := old[a.Card.AgentID]
		at := d.ownPlace(run.Chela())
		switch {
		case !known:
			drafts = append(drafts, org.RegisterKind.Draft(at, org.Registration{Card: a.Card, Status: org.Online, Profile: &a.Profile}))
		case !reflect.DeepEqual(before, a):
			drafts = append(drafts, org.UpdateKind.Draft(at, org.Update{AgentID: a.Card.AgentID, Card: &a.Card, Profile: &a.Profile, Reason: "the organization's file says so"}))
		}
	}
	_, err = d.db.Log.Append(ctx, drafts...)
	return err
}

// readOrg reads the organization's file over the agents there are.
func (d *Daemon) readOrg(have []org.Agent) (want config.Org, there bool, err error) {
	raw, err := os.ReadFile(filepath.Join(d.cfg.Data, OrgFile))
	if errors.Is(err, fs.ErrNotExist) {
		return want, false, nil
	}
	if err != nil {
		return want, true, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", filepath.Join(d.cfg.Data, OrgFile))
	}
	want, err = config.ReadOrg(raw, have, os.DirFS(d.cfg.Data))
	return want, true, err
}

// ownerToken makes a token when the first start died before it did.
func (d *Daemon) ownerToken(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(d.cfg.Data, TokenFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	people, err := d.db.People.Persons(ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.Role == org.Owner && p.Enabled {
			return d.grantOwner(ctx, p.ID)
		}
	}
	return nil
}

func (d *Daemon) grantOwner(ctx context.Context, owner string) error {
	token := gateway.NewToken()
	if err := d.db.Credentials.Grant(ctx, token, org.Access{Person: owner, Purpose: org.APIToken, Label: "first start"}); err != nil {
		return err
	}
	d.token = token
	return os.WriteFile(filepath.Join(d.cfg.Data, TokenFile), []byte(token+"\n"), 0o600)
}

// LoginLink makes a one-time login link of the first owner.
func (d *Daemon) LoginLink(ctx context.Context) (string, error) {
	people, err := d.db.People.Persons(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range people {
		if p.Role == org.Owner && p.Enabled {
			token := gateway.NewToken()
			err := d.db.Credentials.Grant(ctx, token, org.Access{Person: p.ID, Purpose: org.LoginToken, Label: "start", ExpiresAt: d.db.Mint().Now().Add(time.Hour)})
			return "/login?t=" + token, err
		}
	}
	return "", fault.New(fault.NotFound, "There is no owner.")
}

// Project returns the id of the project of that name, made when it is missing.
func (d *Daemon) Project(ctx context.Context, name, description string) (string, error) {
	if r, ok, err := d.db.Directory.ProjectByName(ctx, name); err != nil || ok {
		return r.ID, err
	}
	c, r, err := desk.New(d.db.Mint(), desk.Project, "", &desk.ProjectBody{Name: name, Description: description})
	if err != nil {
		return "", err
	}
	at := d.ownPlace(run.Chela())
	at.Key = "project:" + strings.ToLower(name)
	_, err = d.db.Log.Append(ctx, c.Draft(at))
	return r.ID, err
}

// NodeKeyFile is where the node's key lies in the data folder.
const NodeKeyFile = "node.key"

// NodeKey returns the key that signs the log's heads, made at the first start.
func NodeKey(data string) (ed25519.PrivateKey, error) {
	file := filepath.Join(data, NodeKeyFile)
	raw, err := os.ReadFile(file) //nolint:gosec // the operator's own folder
	if errors.Is(err, fs.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			return nil, fmt.Errorf("make the node's key: %w", err)
		}
		return key, os.WriteFile(file, []byte(hex.EncodeToString(key.Seed())+"\n"), 0o600)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The node's key %s cannot be read.", file)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fault.New(fault.Invalid, "The node's key %s is damaged; restore it, or remove it to get a new one.", file)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// nodeName is what a node is called that nobody named: a piece of its public key, the
// same over restarts.
func nodeName(key ed25519.PrivateKey) string {
	return "node-" + hex.EncodeToString(key[ed25519.SeedSize:][:4])
}

// lockFile is the file in the data folder that a daemon holds.
const lockFile = "daemon.lock"

// lockData keeps a second daemon out of the same folder.
func lockData(data string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(data, lockFile), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the operator's own folder
	if err != nil {
		return nil, fmt.Errorf("open the daemon's lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { //nolint:gosec // descriptors are small
		return nil, errors.Join(fault.Wrap(err, fault.Conflict, "Another daemon works on %s. Stop it first; several daemons share a PostgreSQL database, each with a folder of its own.", data), f.Close())
	}
	return f, nil
}

// heartbeatEvery is how often the daemon says that it is there.
const heartbeatEvery = 5 * time.Minute

// heartbeat writes agent.heartbeat of the daemon itself: at start, now and then, and
// when it stops.
func (d *Daemon) heartbeat(ctx context.Context) error {
	beat := func(s org.Status) {
		at := d.ownPlace(run.Chela())
		h := org.Heartbeat{Status: s, CurrentTasks: len(d.runs.Live())}
		if _, err := d.db.Log.Append(context.WithoutCancel(ctx), org.HeartbeatKind.Draft(at, h)); err != nil {
			d.log.Warn("write a heartbeat", "err", err)
		}
	}
	beat(org.Online)
	t := time.NewTicker(heartbeatEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			beat(org.Offline)
			return nil
		case <-t.C:
			beat(org.Online)
		}
	}
}

// Rebuild rebuilds the projections of a daemon that does not run.
func Rebuild(ctx context.Context, cfg config.Config) (store.Rebuilt, error) {
	if cfg.Postgres == "" {
		lock, err := lockData(cfg.Data)
		if err != nil {
			return store.Rebuilt{}, err
		}
		defer func() { _ = lock.Close() }() // ends with the process at the latest
	}
	db, err := OpenStore(ctx, cfg)
	if err != nil {
		return store.Rebuilt{}, err
	}
	r, err := db.Rebuild(ctx)
	return r, errors.Join(err, db.Close(), stash.At(filepath.Join(cfg.Data, stashFolder), nil).Clear())
}
