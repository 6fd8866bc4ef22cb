// Package backup is one file that holds all that an organization is: its log as it was recorded, the rows that are no projection of it,
// the artifacts that it names, and the files of the data folder. The file is a tar in gzip, whose entries come in one order: what it is
// ([Header]), files, tables, the log, artifacts, and last what it held ([Manifest]). Without the last it is no backup. [Writer] writes one
// and [Read] reads one; neither holds more of it than one portion of rows.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path"
	"regexp"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// Format is the number of the form that this program writes. It reads those up to it.
const Format = 1

// The names of entries.
const (
	headerName   = "backup.json"
	manifestName = "manifest.json"
	filesDir     = "files/"
	tablesDir    = "tables/"
	logDir       = "log/"
	artifactsDir = "artifacts/"
)

// Limits of what is read. What is larger no program of ours wrote.
const (
	mostText     = 1 << 20   // bytes of the header, and of the manifest
	mostFile     = 64 << 20  // bytes of one file
	mostFiles    = 100_000   // files of the data folder
	mostLine     = 256 << 20 // bytes of one row
	mostPortion  = 512 << 20 // bytes of one portion of rows
	portionBytes = 4 << 20   // a portion ends with the row that makes it so large
)

// A Header is the first of a backup: what it is.
type Header struct {
	Format   int       `json:"format"`
	Schema   int64     `json:"schema"` // of the database, the number of its last step
	Version  string    `json:"version"`
	Database string    `json:"database"`
	Node     string    `json:"node"`
	At       time.Time `json:"at"`
	VaultKey bool      `json:"vault_key"` // the key of the vault is among the files
}

// A Manifest is the last of a backup: what it held.
type Manifest struct {
	Events    int64     `json:"events"`
	Streams   int64     `json:"streams"`
	End       event.Seq `json:"end"`  // the position of its last event
	Rows      int64     `json:"rows"` // of tables beside the log
	Files     int64     `json:"files"`
	Artifacts int64     `json:"artifacts"`
	Missing   int64     `json:"missing_artifacts"` // artifacts that the log names and that were gone or damaged
	Bytes     int64     `json:"bytes"`             // of all entries before this one
	Entries   int64     `json:"entries"`
	Digest    string    `json:"sha256"` // of all entries before this one, see [digest]
}

// Made is what the log says of a backup.
type Made struct {
	Events    int64     `json:"events"`
	End       event.Seq `json:"end"` // the position of the last event in it
	Artifacts int64     `json:"artifacts"`
	Missing   int64     `json:"missing_artifacts,omitempty"`
	Digest    string    `json:"sha256"`
	VaultKey  bool      `json:"vault_key,omitempty"` // the key of the vault is in it
}

// MadeKind records that a backup was written to its end. Whether it was kept, the log does not know.
var MadeKind = event.Kind[Made]{Name: "log.backed_up", PayloadType: "log.backed_up.v1"}

// digest is what tells the contents of a backup: over the name, the length and the SHA-256 of each entry.
type digest struct {
	all            hash.Hash
	bytes, entries int64
}

func newDigest() *digest { return &digest{all: sha256.New()} }

func (d *digest) add(name string, size int64, sum []byte) {
	_, _ = fmt.Fprintf(d.all, "%s\n%d\n%x\n", name, size, sum) // never fails
	d.bytes, d.entries = d.bytes+size, d.entries+1
}

func (d *digest) sum() string { return hex.EncodeToString(d.all.Sum(nil)) }

// A File is a file of the data folder.
type File struct {
	Name string // below the folder, with slashes
	Exec bool   // it is a program
}

// Files of the data folder that are looked at when a backup is written or comes back.
const (
	SettingsFile = "chela.yaml"
	NodeKeyFile  = "node.key"
	VaultKeyFile = "vault.key"
)

// own are names in the data folder that are the daemon's: none is brought back from a file, nor anything below.
var own = map[string]bool{ //nolint:gochecknoglobals // a table
	"address": true, "artifacts": true, "chela.db": true, "chela.db-journal": true, "chela.db-shm": true, "chela.db-wal": true, "chela.db.migrate": true,
	"daemon.lock": true, "stash": true, "token": true, "workspace": true, Unfinished: true,
}

// Unfinished is the file that a data folder has while a backup is brought back into it.
const Unfinished = "restore.unfinished"

var partOfName = regexp.MustCompile(`^[^/\\\x00-\x1f\x7f:*?"<>|]{1,200}$`)

// CheckName refuses the name of a file that leads out of the data folder, or to what the daemon keeps there itself.
func CheckName(name string) error {
	bad := len(name) > 1000 || name != path.Clean(name) || strings.HasPrefix(name, "/")
	parts := strings.Split(name, "/")
	for _, p := range parts {
		bad = bad || p == "." || p == ".." || !partOfName.MatchString(p)
	}
	if bad {
		return fault.New(fault.Invalid, "The backup holds a file with the name %q, which no file of a data folder has.", short(name))
	}
	if own[strings.ToLower(parts[0])] {
		return fault.New(fault.Invalid, "The backup holds a file with the name %q, which the daemon keeps itself.", short(name))
	}
	return nil
}

// short is a name as a sentence shows it.
func short(name string) string {
	if len(name) > 100 {
		return strings.ToValidUTF8(name[:100], "") + "…"
	}
	return name
}
