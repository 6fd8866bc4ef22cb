package daemon

import (
	"context"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/channel"
	"chela/internal/channel/webhook"
	"chela/internal/org"
)

// platforms are those that a channel can be of.
func (d *Daemon) platforms() []channel.Platform {
	return []channel.Platform{webhook.Platform(d.db.Mint().Now)}
}

// decide records a member's answer from a channel, with what they may decide.
func (d *Daemon) decide(ctx context.Context, by org.Person, a approval.Answer) error {
	return approval.Decide(ctx, d.db, d.runs, approval.Judge{Party: by.Party(), Role: by.Role}, a, agent.Always)
}
