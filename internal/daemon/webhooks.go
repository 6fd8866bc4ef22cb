package daemon

import (
	"context"
	"net/http"

	"chela/internal/artifact"
	"chela/internal/webhook"
)

// makeWebhooks makes what tells systems outside and hears from them.
func (d *Daemon) makeWebhooks(arts *artifact.Files, out *http.Client) (*webhook.Editor, *webhook.Receiver) {
	e := &webhook.Editor{Records: d.db.Webhooks, Vault: d.vault, Log: d.db.Log}
	key := func(ctx context.Context, id string) error {
		_, err := d.db.Credentials.Key(ctx, id)
		return err
	}
	d.tells = webhook.NewSender(webhook.Parts{Store: d.db.Webhooks, Log: d.db.Log, Secrets: e.Secrets, Key: key, Out: out, Client: &http.Client{}, Node: d.cfg.Node, Says: d.log})
	e.Sender = d.tells
	return e, webhook.NewReceiver(webhook.Hearing{Incoming: d.db.Webhooks.Incoming, Secret: e.IncomingSecret, Key: key, Log: d.db.Log, Files: arts, Say: d.inbox.Take})
}
