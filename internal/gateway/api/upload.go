package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	files "chela/internal/document"
	"chela/internal/fault"
	"chela/internal/intake"
	"chela/internal/org"
)

// maxUpload bounds a request that carries files as they are; they lie on the disk until
// they are kept.
const maxUpload = 512 << 20

func uploadRoutes(a *api) {
	route(a, http.MethodPost, "/api/intake/upload", "upload", "Keep files as uploads, to be taken in by their ids", org.Editor, a.upload, status(http.StatusCreated), func(op *huma.Operation) {
		op.MaxBodyBytes = maxUpload
		op.BodyReadTimeout = 10 * time.Minute
	})
}

// bounded stops reading a request that does not say how long it is and does not end.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
		next.ServeHTTP(w, r)
	})
}

// UploadForm is a form with files.
type UploadForm struct {
	Project string          `form:"projectId" required:"true"`
	Files   []huma.FormFile `form:"files" required:"true"`
}

// Uploaded is a file that is kept.
type Uploaded struct {
	ID    string `json:"uploadId"`
	Name  string `json:"fileName"`
	Path  string `json:"filePath" doc:"by which filePaths of POST /api/intake/pipeline names it: the id"`
	Bytes int    `json:"bytes"`
	Again bool   `json:"again,omitempty" doc:"it was there before"`
}

func (a *api) upload(ctx context.Context, in *struct {
	RawBody huma.MultipartFormFiles[UploadForm]
},
) (*Body[[]Uploaded], error) {
	form := in.RawBody.Data()
	defer func() { _ = in.RawBody.Form.RemoveAll() }() // files of this request alone
	if len(form.Files) > intake.MaxFiles {
		return nil, fault.New(fault.TooLarge, "These are %d files; one request takes up to %d.", len(form.Files), intake.MaxFiles)
	}
	out := []Uploaded{}
	for _, f := range form.Files {
		if f.Size > files.MaxBytes {
			return nil, fault.New(fault.TooLarge, "%s has %d MB; a file may have %d. Split it, or export fewer columns.", f.Filename, f.Size>>20, files.MaxBytes>>20)
		}
		raw, err := io.ReadAll(f)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "%s was not sent to its end.", f.Filename)
		}
		r, isNew, err := a.Intake.Keep(ctx, a.place(ctx), form.Project, intake.File{Name: f.Filename, Data: raw}, a.commit(ctx))
		if err != nil {
			return nil, err
		}
		out = append(out, Uploaded{r.ID, f.Filename, r.ID, len(raw), !isNew})
	}
	return body(out, nil)
}
