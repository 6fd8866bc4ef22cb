package store

import (
	"slices"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/ask"
	"chela/internal/backup"
	"chela/internal/budget"
	"chela/internal/builder"
	"chela/internal/channel"
	"chela/internal/contract"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/hook"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/mcp"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/route"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/skill"
	"chela/internal/tool"
	"chela/internal/tracker"
	"chela/internal/webhook"
	"chela/internal/worker"
)

// A projector writes the rows that an event of its kind changes.
type projector = func(*Tx, event.Event) error

// projectors has one for each kind of event that changes rows. Those of records are told by their
// prefix, see [Tx.project].
var projectors = func() map[string]projector { //nolint:gochecknoglobals // a table
	out := make(map[string]projector)
	by := func(p projector, kinds ...string) {
		for _, k := range kinds {
			out[k] = p
		}
	}
	by((*Tx).projectRun, run.QueuedKind.Name, run.StartedKind.Name, run.WaitingKind.Name, run.ResumedKind.Name, run.FinishedKind.Name)
	by((*Tx).projectTask, run.RequestKind.Name, run.AcceptKind.Name, run.ResultKind.Name, run.ErrorKind.Name, run.TimeoutKind.Name, run.CancelKind.Name)
	by((*Tx).projectModel, agent.AnsweredKind.Name)
	by((*Tx).projectApproval, approval.RequestedKind.Name, approval.AnsweredKind.Name)
	by((*Tx).projectMessage, session.SaidKind.Name, session.NoticeKind.Name)
	by((*Tx).projectSession, session.OpenedKind.Name, session.ChangedKind.Name, session.ClosedKind.Name, session.ReopenedKind.Name, session.RemovedKind.Name, session.RestoredKind.Name)
	by((*Tx).projectRevised, session.EditedKind.Name, session.DeletedKind.Name, session.ReactedKind.Name)
	by((*Tx).projectCompacted, session.CompactedKind.Name)
	by((*Tx).projectTranscribed, session.TranscribedKind.Name)
	by((*Tx).projectNote, memory.NotedKind.Name, memory.ForgottenKind.Name)
	by((*Tx).projectHeld, session.HeldKind.Name, session.DroppedKind.Name)
	by((*Tx).projectRead, session.ReadKind.Name)
	by((*Tx).projectOrg, org.RegisterKind.Name, org.UpdateKind.Name, org.HeartbeatKind.Name, org.RemovedKind.Name,
		org.PersonAddedKind.Name, org.PersonChangedKind.Name, org.LinkedKind.Name, org.UnlinkedKind.Name)
	by((*Tx).projectKey, org.KeyMadeKind.Name, org.TokenRevokedKind.Name)
	by((*Tx).projectLayout, org.LayoutSavedKind.Name, org.LayoutRemovedKind.Name)
	by((*Tx).projectFontSize, org.FontSizedKind.Name)
	by((*Tx).projectTour, org.TourKind.Name)
	by((*Tx).projectNotification, notify.RaisedKind.Name, notify.SettledKind.Name, notify.ToldKind.Name, notify.PreferencesKind.Name)
	by((*Tx).projectSchedule, schedule.CreatedKind.Name, schedule.ChangedKind.Name, schedule.DeletedKind.Name,
		schedule.PlannedKind.Name, schedule.StartedKind.Name, schedule.EndedKind.Name)
	by((*Tx).projectWorkflow, library.SavedKind.Name, library.DeployedKind.Name, library.RetiredKind.Name, library.StartedKind.Name, instance.StepKind.Name, instance.ReviewedKind.Name, contract.EvidenceKind.Name)
	by((*Tx).projectTriggerFailure, library.TriggerFailedKind.Name)
	by((*Tx).projectOutside, agent.OutsideKind.Name)
	by((*Tx).projectDraft, library.EditedKind.Name, library.DiscardedKind.Name)
	by((*Tx).projectPayload, library.RegisteredKind.Name, library.UnregisteredKind.Name)
	by((*Tx).projectPlan, builder.PlannedKind.Name, builder.MovedKind.Name)
	by((*Tx).projectRouter, router.DecidedKind.Name, router.ChangedKind.Name, router.PlanMovedKind.Name)
	by((*Tx).projectPolicy, guard.AllowedKind.Name, guard.ForgottenKind.Name)
	by((*Tx).projectSkill, skill.InstalledKind.Name, skill.SetKind.Name, skill.RemovedKind.Name)
	by((*Tx).projectMCP, mcp.SetKind.Name, mcp.RemovedKind.Name, mcp.SeenKind.Name, mcp.AcceptedKind.Name)
	by((*Tx).projectFollowed, mcp.FollowedKind.Name, mcp.SettledKind.Name)
	by((*Tx).projectWorker, worker.GivenKind.Name, worker.RepliedKind.Name, worker.TakenKind.Name, worker.ProgressedKind.Name, worker.EndedKind.Name)
	by((*Tx).projectBudget, budget.SetKind.Name, budget.RemovedKind.Name)
	by((*Tx).projectChannel, channel.ConfiguredKind.Name, channel.RemovedKind.Name, channel.PairingRequestedKind.Name, channel.TriedKind.Name,
		channel.SentKind.Name, channel.ReceivedKind.Name, channel.DraftedKind.Name, channel.RefusedKind.Name, channel.AgainKind.Name)
	by((*Tx).projectWebhook, webhook.EndpointSetKind.Name, webhook.EndpointRemovedKind.Name, webhook.FailedKind.Name, webhook.SentAgainKind.Name,
		webhook.IncomingSetKind.Name, webhook.IncomingRemovedKind.Name)
	by((*Tx).projectTracker, tracker.ConfiguredKind.Name, tracker.RemovedKind.Name, tracker.SyncedKind.Name, tracker.FailedKind.Name)
	return out
}()

// fromLog are the kinds of events that change no rows: they are read from the log itself.
var fromLog = []string{ //nolint:gochecknoglobals // a table
	instance.HeardKind.Name, run.StepKind.Name, event.TaskProgress, tool.CallKind.Name, tool.ResultKind.Name, tool.ErrorKind.Name, route.DecisionKind.Name, route.FailureKind.Name,
	session.ClientCallsKind.Name, ask.AnsweredKind.Name, hook.AnsweredKind.Name, guard.ReadKind.Name, model.ChosenKind.Name, model.ConfiguredKind.Name, model.RotatedKind.Name,
	memory.ErasedKind.Name, mcp.AskedKind.Name, "vault.set", "vault.removed", "vault.rotated", webhook.ReceivedKind.Name,
	org.LoggedInKind.Name, org.LoggedOutKind.Name, org.LoginRefusedKind.Name,
	backup.MadeKind.Name,
}

// EventKinds lists the kinds of events that there are, in order.
func EventKinds() []string {
	out := append(slices.Clone(fromLog), event.LogErased)
	for k := range projectors {
		out = append(out, k)
	}
	for _, k := range desk.Kinds() {
		for _, op := range desk.Ops() {
			out = append(out, desk.EventType(k, op))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Reads reports whether the store knows what to do with events of a kind: it projects them, or leaves
// them to be read from the log. An event of another kind is in the log, and shown to nobody.
func Reads(kind string) bool {
	if projectors[kind] != nil {
		return true
	}
	for _, k := range fromLog {
		if k == kind {
			return true
		}
	}
	return false
}
