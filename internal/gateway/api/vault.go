package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/org"
)

// A Vault keeps secrets by name. It gives no values.
type Vault interface {
	State(ctx context.Context) (VaultState, error)
	Set(ctx context.Context, by event.Party, name, value string) error
	Remove(ctx context.Context, by event.Party, name string) error
	Rotate(ctx context.Context, by event.Party, to, passphrase string) error
	Unlock(ctx context.Context, passphrase string) error
}

func vaultRoutes(a *api) {
	route(a, http.MethodGet, "/api/vault", "vault", "List the names of secrets and who may use them", org.Admin, func(ctx context.Context, _ *struct{}) (*Body[VaultState], error) {
		return body(a.Vault.State(ctx))
	})
	route(a, http.MethodPut, "/api/vault/secrets/{name}", "set-secret", "Save a secret; its value is never shown again", org.Admin, func(ctx context.Context, in *SecretIn) (*struct{}, error) {
		return nil, a.Vault.Set(ctx, party(ctx), in.Name, in.Body.Value)
	})
	route(a, http.MethodDelete, "/api/vault/secrets/{name}", "remove-secret", "Delete a secret", org.Admin, func(ctx context.Context, in *SecretPath) (*struct{}, error) {
		return nil, a.Vault.Remove(ctx, party(ctx), in.Name)
	})
	route(a, http.MethodPost, "/api/vault/rotate", "rotate-vault", "Encrypt all secrets again under a new key", org.Owner, func(ctx context.Context, in *struct{ Body VaultRotation }) (*struct{}, error) {
		return nil, a.Vault.Rotate(ctx, party(ctx), in.Body.Key, in.Body.Passphrase)
	})
	route(a, http.MethodPost, "/api/vault/unlock", "unlock-vault", "Unlock a vault with its passphrase", org.Admin, func(ctx context.Context, in *struct{ Body VaultPassphrase }) (*struct{}, error) {
		return nil, a.Vault.Unlock(ctx, in.Body.Passphrase)
	})
}

// VaultState is what may be shown of the vault.
type VaultState struct {
	Key     string        `json:"key" doc:"where its key lies: passphrase, keyring or file; empty while there is no secret"`
	Locked  bool          `json:"locked" doc:"it waits for its passphrase"`
	Refusal string        `json:"refusal,omitempty" doc:"why it cannot be opened, and the way out"`
	Note    string        `json:"note,omitempty" doc:"what to know of where the key lies"`
	Secrets []SecretEntry `json:"secrets"`
	Missing []string      `json:"missing,omitempty" doc:"names that the policy grants and the vault does not hold"`
}

// SecretEntry is one secret without its value.
type SecretEntry struct {
	Name    string              `json:"name"`
	Version int                 `json:"version"`
	At      time.Time           `json:"set_at"`
	By      string              `json:"set_by"`
	Own     bool                `json:"own,omitempty" doc:"the daemon keeps it for itself; no tool is given it"`
	Broken  string              `json:"broken,omitempty" doc:"why it cannot be opened"`
	Grants  []guard.SecretGrant `json:"grants,omitempty" doc:"who may use it"`
}

// SecretPath names a secret.
type SecretPath struct {
	Name string `path:"name"`
}

// SecretIn is a secret with its value.
type SecretIn struct {
	Name string `path:"name"`
	Body struct {
		Value string `json:"value" doc:"8 characters to 32 KB" writeOnly:"true"`
	}
}

// VaultRotation says where the new key comes from.
type VaultRotation struct {
	Key        string `json:"key,omitempty" enum:"passphrase,keyring,file" doc:"as before when empty"`
	Passphrase string `json:"passphrase,omitempty" writeOnly:"true" doc:"kept in memory only; when empty, that of the passphrase file"`
}

// VaultPassphrase opens a vault.
type VaultPassphrase struct {
	Passphrase string `json:"passphrase" writeOnly:"true"`
}
