package daemon

import (
	"context"
	"net/http"

	"chela/internal/artifact"
	"chela/internal/intake"
	"chela/internal/tracker"
	"chela/internal/tracker/github"
	"chela/internal/tracker/gitlab"
	"chela/internal/tracker/jira"
	"chela/internal/tracker/linear"
)

// makeTrackers makes what reads trackers live.
func (d *Daemon) makeTrackers(arts *artifact.Files, in *intake.Intake, out *http.Client) *tracker.Syncer {
	return tracker.New(tracker.Parts{
		Records: d.db.Trackers, Runs: d.runs, Past: d.db.Runs.RunList, Intake: news{in}, Files: arts, Secret: d.vault.Secret, Out: out, Client: &http.Client{}, Redact: d.redacted, Log: d.log,
		Openers: map[tracker.Kind]tracker.Opener{tracker.GitHub: github.Open, tracker.Jira: jira.Open, tracker.GitLab: gitlab.Open, tracker.Linear: linear.Open},
	})
}

// news hands the intake what had changed in a tracker.
type news struct{ *intake.Intake }

func (n news) Submit(ctx context.Context, of tracker.News) (tracker.Receipt, error) {
	r, err := n.Intake.Submit(ctx, intake.Submission{Project: of.Project, By: of.By, Live: of.Address, Files: []intake.File{{Name: of.Name, Data: of.Data}}})
	return tracker.Receipt{Intake: r.Intake, Again: r.Again}, err
}
