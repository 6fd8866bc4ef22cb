package daemon

import (
	"context"

	"chela/internal/channel"
	"chela/internal/model"
	"chela/internal/redact"
	"chela/internal/vault"
)

// hideStored has what the vault holds hidden: the entries, and the secrets in those of channels.
func (d *Daemon) hideStored(stored map[string]string) {
	var all []redact.Value
	for name, value := range stored {
		if !vault.Own(name) {
			all = append(all, redact.Value{Name: name, Text: value})
		}
		if own, ok := vault.OwnName(name); ok {
			secrets, _ := channel.SecretsIn(own, value) // none of other entries
			for what, secret := range secrets {
				all = append(all, redact.Value{Name: own + "." + what, Text: secret})
			}
		}
	}
	d.secrets.Set("vault", all)
}

// hideKeys has the keys of models hidden.
func (d *Daemon) hideKeys(list []model.Provider) {
	var all []redact.Value
	for _, p := range list {
		all = append(all, redact.Value{Name: "key of " + p.Name, Text: p.Key})
	}
	d.secrets.Set("models", all)
}

// redacted hides what is known, also what another daemon has put into the vault by now.
func (d *Daemon) redacted(ctx context.Context, s string) string {
	if err := d.vault.Look(ctx); err != nil && ctx.Err() == nil {
		return "[The vault could not be asked what to hide, so this is not shown.]"
	}
	return d.secrets.Text(s)
}
