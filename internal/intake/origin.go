package intake

import (
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/extract"
)

// classify says by rule what a document is, and how sure that is.
func (r *recorder) classify() (sourceType string, confidence float64) {
	sheet := r.src.Kind == document.XLSX || r.src.Kind == document.XLS
	switch {
	case len(r.tables) == 0 && r.src.Text == "" && sheet && len(r.src.Tables) > 0:
		return "EXCEL_UPLOAD", 0.8
	case len(r.tables) == 0 && r.src.Text == "":
		return "UNKNOWN", 0
	}
	sourceType, confidence = extract.Classify(r.src.Text, len(r.tables) > 0)
	if sourceType == "FREE_TEXT" && (len(r.m.Attendees) > 0 || len(r.m.Actions)+len(r.m.Decisions) > 1) {
		return "MEETING_NOTES", 0.8
	}
	return sourceType, confidence
}

// origin notes on the upload, and on the intake, what a document turned out to be.
func (r *recorder) origin() error {
	class, confidence := r.classify()
	if r.p.body.SourceType == "UNKNOWN" || r.p.body.SourceType == "" {
		r.p.body.SourceType, r.p.body.ClassifiedAs = class, class
	}
	up, ok, err := r.w.Find(desk.Upload, desk.Identity(&desk.UploadBody{Artifact: r.src.doc.Artifact}))
	if err != nil || !ok {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Upload, up.ID, func(b *desk.UploadBody) {
		if b.Class == "" { // of an archive, what its first document is
			b.ContentType, b.Class, b.Confidence = string(r.src.Kind), class, confidence
		}
		for _, a := range r.m.Attendees {
			b.People = union(b.People, []string{a.Name})
		}
		for _, k := range r.m.Keys {
			system, _, _ := strings.Cut(k.Key, "-")
			b.Systems = union(b.Systems, []string{system})
		}
		for _, t := range r.tables {
			b.Systems = union(b.Systems, systems(t.Tickets))
		}
		if b.Dated == "" {
			b.Dated = day(r.m.Date)
		}
		if b.ThreadID == "" {
			b.ThreadID = r.meeting
		}
		if b.Status == "INBOX" && (r.meeting != "" || len(r.tables) > 0) {
			b.Status = "THREADED"
		}
	})
	return err
}

// systems are the trackers' projects that keys name, each once.
func systems(rows []extract.TicketRow) (out []string) {
	for _, row := range rows {
		system, number, ok := strings.Cut(row.Ref, "-")
		if ok && number != "" && system != "" && !slices.Contains(out, system) && len(out) < 20 {
			out = append(out, system)
		}
	}
	return out
}
