package api

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	files "chela/internal/document"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/intake"
	"chela/internal/org"
)

func uploadRoutes(a *api) {
	route(a, http.MethodPost, "/api/intake/upload", "upload", "Upload files, to be imported by their ids", org.Editor, a.upload, status(http.StatusCreated), func(op *huma.Operation) {
		op.MaxBodyBytes = gateway.MaxRequest // they lie on the disk until they are kept
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
			return nil, fileTooLarge(f.Filename, f.Size)
		}
		kept, err := a.keepUpload(ctx, form.Project, f)
		if err != nil {
			return nil, err
		}
		out = append(out, kept)
	}
	return body(out, nil)
}

// keepUpload keeps one file, which is in memory only meanwhile.
func (a *api) keepUpload(ctx context.Context, project string, f huma.FormFile) (Uploaded, error) {
	leave, err := a.hall.Memory(ctx, weightOfLarge*f.Size)
	if err != nil {
		return Uploaded{}, err
	}
	defer leave()
	raw := make([]byte, f.Size)
	if _, err := io.ReadFull(f, raw); err != nil {
		return Uploaded{}, fault.Wrap(err, fault.Invalid, "%s was not sent to its end.", f.Filename)
	}
	r, isNew, err := a.Intake.Keep(ctx, a.place(ctx), project, intake.File{Name: f.Filename, Data: raw}, a.commit(ctx))
	return Uploaded{r.ID, f.Filename, r.ID, len(raw), !isNew}, err
}
