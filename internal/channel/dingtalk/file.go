package dingtalk

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// What media/upload takes (open.dingtalk.com/document/development/upload-media-files).
const maxUpload = 20 << 20

var (
	pictureTypes = []string{"jpg", "jpeg", "gif", "png", "bmp"}
	fileTypes    = []string{"doc", "docx", "xls", "xlsx", "ppt", "pptx", "zip", "pdf", "rar"}
)

// A parcel is a file in a form that DingTalk takes.
type parcel struct {
	as   string // image or file
	name string
	kind string // its ending
	raw  []byte
}

// pack makes a parcel of a file. What is of a type that DingTalk does not take goes as a zip.
func pack(f channel.File) (parcel, error) {
	name := path.Base(path.Clean("/" + strings.ReplaceAll(f.Name, `\`, "/")))
	if name == "/" {
		name = "file"
	}
	p := parcel{as: "file", name: name, kind: strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")), raw: f.Raw}
	switch {
	case slices.Contains(pictureTypes, p.kind) && strings.HasPrefix(f.Type, "image/"):
		p.as = "image"
	case !slices.Contains(fileTypes, p.kind):
		raw, err := zipped(name, f.Raw)
		if err != nil {
			return p, err
		}
		p.name, p.kind, p.raw = name+".zip", "zip", raw
	}
	if len(p.raw) > maxUpload {
		return p, &channel.Refusal{Text: "DingTalk takes files of up to 20 MB", Final: true}
	}
	return p, nil
}

func zipped(name string, raw []byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(raw)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// hand sends the file of a part, unless an attempt at the same part has done so.
func (a *Adapter) hand(ctx context.Context, o channel.Out) (string, error) {
	if id, ok := a.files.done(o.Key); ok {
		return id, nil
	}
	to := placeOf(o.Chat)
	if to.session != "" {
		return "", &channel.Refusal{Text: "DingTalk takes no files for somebody outside the organization", Final: true}
	}
	p, err := pack(*o.File)
	if err != nil {
		return "", err
	}
	media, err := a.upload(ctx, p)
	if err != nil {
		return "", failureOf(unsent(err)).verdict() // nobody sees what was only uploaded
	}
	var id string
	if p.as == "image" {
		id, err = a.post(ctx, to, formPicture, picture{media})
	} else {
		id, err = a.post(ctx, to, formFile, file{Media: media, Name: p.name, Type: p.kind})
	}
	if err == nil {
		a.files.note(o.Key, id)
	}
	return id, err
}

// upload puts a parcel where messages can name it.
func (a *Adapter) upload(ctx context.Context, p parcel) (string, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	w, err := form.CreateFormFile("media", p.name)
	if err == nil {
		_, err = w.Write(p.raw)
	}
	if err := errors.Join(err, form.WriteField("type", p.as), form.Close()); err != nil {
		return "", err
	}
	var got struct {
		ID word `json:"media_id"`
	}
	err = a.api.signed(ctx, func(token string) error {
		q := url.Values{"access_token": {token}, "type": {p.as}}
		header := http.Header{"Content-Type": {form.FormDataContentType()}}
		return a.api.do(ctx, http.MethodPost, a.api.hosts.old+"/media/upload?"+q.Encode(), header, b.Bytes(), &got)
	})
	if err == nil && got.ID == "" {
		err = &httpcall.Failure{Status: http.StatusOK, Text: "DingTalk does not say what it calls the file"}
	}
	return string(got.ID), err
}

// mostDelivered is how many files are remembered.
const mostDelivered = 256

// delivered are files that arrived before the text that belongs to them did, by the key of
// their part.
type delivered struct {
	mu    sync.Mutex // guards the rest
	ids   map[string]string
	order []string
}

func newDelivered() *delivered { return &delivered{ids: make(map[string]string)} }

func (d *delivered) done(key string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.ids[key]
	return id, ok
}

func (d *delivered) note(key, id string) {
	if key == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids[key] = id
	if d.order = append(d.order, key); len(d.order) > mostDelivered {
		delete(d.ids, d.order[0])
		d.order = d.order[1:]
	}
}
