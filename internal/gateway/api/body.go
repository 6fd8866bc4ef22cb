package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/event"
	"chela/internal/fault"
)

// bodyKey is where an operation's metadata has what its body may be.
const bodyKey = "body"

// A bodyKind says what the body of an operation may be. The zero value takes none.
type bodyKind struct {
	json  bool
	form  bool         // multipart, files as they are
	large bool         // decoded by a [Large], without the copies that huma makes
	keys  reflect.Type // of the JSON; nil where the domain decodes it strictly
}

// bodyKindOf reads it off the input of an operation.
func bodyKindOf(in reflect.Type) bodyKind {
	if f, ok := in.FieldByName("RawBody"); ok {
		form := strings.HasPrefix(f.Type.Name(), "MultipartFormFiles")
		return bodyKind{json: !form, form: form}
	}
	if f, ok := in.FieldByName("Body"); ok {
		return bodyKind{json: true, keys: f.Type}
	}
	return bodyKind{}
}

// maxSmall is the size up to which a body stays in memory while it comes, in bytes.
const maxSmall = 256 << 10

// A received is a body that has come to its end. What is no small one lies in a file.
type received struct {
	io.Reader // the whole body, once
	size      int64
	file      *os.File // nil for a small one
	leave     []func() // gives back what the body holds
}

// close gives back what the body holds, once.
func (b *received) close() {
	if b.file != nil {
		_ = b.file.Close() // it has no name any more
	}
	leave := b.leave
	b.Reader, b.file, b.leave = nil, nil, nil
	for _, f := range leave {
		f()
	}
}

type bodyInHand struct{}

// decoded gives back what the body of a request holds, now that huma has decoded it: what the
// operation waits for may take minutes.
func decoded(ctx context.Context) {
	if b, ok := ctx.Value(bodyInHand{}).(*received); ok {
		b.close()
	}
}

// bytes returns the whole body.
func (b *received) bytes() ([]byte, error) {
	raw := make([]byte, b.size)
	_, err := io.ReadFull(b.Reader, raw)
	return raw, err
}

// operationContext has a name that no method of it has.
type operationContext = huma.Context

// withBody gives an operation the body that has come.
type withBody struct {
	operationContext
	body *received
}

// BodyReader implements [huma.Context].
func (c withBody) BodyReader() io.Reader { return c.body }

// errMediaType is that a body is not what the operation takes.
var errMediaType = errors.New("the media type is not taken")

// takeBody lets an operation begin when its body has come, and is one that it takes: the one
// place where bodies of the API are read.
func (a *api) takeBody(c huma.Context, next func(huma.Context)) {
	kind, _ := c.Operation().Metadata[bodyKey].(bodyKind) // set by register
	sent, ok := c.BodyReader().(*paced)
	if !ok || !kind.json && !kind.form {
		next(c)
		return
	}
	if err := checkMedia(c, kind); err != nil {
		a.refuse(c, err)
		return
	}
	most := c.Operation().MaxBodyBytes
	length := sent.length
	if length > most { // before it is read
		a.refuse(c, tooLarge(c.Operation().Path, length, most))
		return
	}
	if length < 0 {
		length = most
	}
	if kind.form {
		a.takeForm(c, length, next)
		return
	}
	b, err := a.receive(c, sent, length)
	if err == nil {
		defer b.close()
		err = a.admit(c, b, kind)
	}
	if err != nil {
		a.refuse(c, err)
		return
	}
	c = withBody{c, b}
	if !kind.large { // which its operation decodes itself
		c = huma.WithValue(c, bodyInHand{}, b)
	}
	next(c)
}

func tooLarge(path string, length, most int64) error {
	return fault.New(fault.TooLarge, "The request has %d MB, and %s takes up to %d. Split the file, or hand in fewer at a time.", length>>20, path, most>>20)
}

// checkMedia refuses a body that a browser sends to another origin without asking first.
func checkMedia(c huma.Context, kind bodyKind) error {
	media, _, err := mime.ParseMediaType(c.Header("Content-Type"))
	switch {
	case err != nil:
	case kind.form && media == "multipart/form-data":
		return nil
	case kind.json && (media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")):
		return nil
	}
	want := "application/json"
	if kind.form {
		want = "multipart/form-data"
	}
	return fault.Wrap(errMediaType, fault.Invalid, "The body is sent as %q; send it as %s, and say so in Content-Type.", c.Header("Content-Type"), want)
}

// takeForm lets a form with files be read, which go to the disk as they come.
func (a *api) takeForm(c huma.Context, length int64, next func(huma.Context)) {
	if !a.load.disk.TryAcquire(length) {
		a.refuse(c, busy())
		return
	}
	defer a.load.disk.Release(length)
	next(c)
}

// receive reads a body to its end: into memory when it is small, else into a file.
func (a *api) receive(c huma.Context, sent *paced, length int64) (_ *received, err error) {
	b := new(received)
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	small := min(length, maxSmall)
	if err := b.hold(a.load.small, smallWeight*small); err != nil {
		return b, err
	}
	in := io.LimitReader(sent, c.Operation().MaxBodyBytes+1)
	head := make([]byte, small)
	n, err := io.ReadFull(in, head)
	if b.size = int64(n); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		b.Reader = newBytes(head[:n])
		return b, nil
	}
	if err != nil {
		return b, unfinished(err)
	}
	if length <= small { // net/http ends it there
		b.Reader, sent.ended = newBytes(head), true
		return b, nil
	}
	if err := b.hold(a.load.disk, length); err != nil {
		return b, err
	}
	if b.file, err = a.load.file(); err != nil {
		return b, err
	}
	if _, err = b.file.Write(head); err != nil {
		return b, fault.Wrap(err, fault.Unavailable, "The body cannot be kept on the disk while it comes.")
	}
	rest, err := io.Copy(b.file, in)
	if err != nil {
		return b, unfinished(err)
	}
	if b.size += rest; b.size > c.Operation().MaxBodyBytes {
		return b, tooLarge(c.Operation().Path, b.size, c.Operation().MaxBodyBytes)
	}
	b.Reader = b.file
	_, err = b.file.Seek(0, io.SeekStart)
	return b, err
}

// admit refuses a body that two readers may take for two things, by the keys of its JSON.
func (a *api) admit(c huma.Context, b *received, kind bodyKind) error {
	if b.file != nil {
		weight := int64(weightOf)
		if kind.large {
			weight = weightOfLarge
		}
		leave, err := a.load.wait(c.Context(), weight*b.size)
		if err != nil {
			return err
		}
		b.leave = append(b.leave, leave)
	}
	if kind.large || b.size == 0 {
		return nil // it is checked where it is decoded
	}
	raw, err := b.bytes()
	if err != nil {
		return unfinished(err)
	}
	b.Reader = newBytes(raw)
	return event.CheckKeys(raw, kind.keys)
}

// unfinished says why a body did not come to its end.
func unfinished(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.Wrap(err, fault.Invalid, "The body came too slowly and was not waited for.")
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.Wrap(err, fault.TooLarge, "The request is longer than any that is taken.")
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Wrap(err, fault.Invalid, "The body was not sent to its end.")
}

// paceOf is how much of a body has to come in the time that it may stand still, in bytes.
const paceOf = 4 << 10

// A paced is the body of a request, as long as it goes on. One of somebody who is not known yet
// has to come whole in the time in which another has to go on.
type paced struct {
	io.ReadCloser
	length   int64 // as the request says; -1 when it does not
	known    bool  // whose it is
	stall    time.Duration
	deadline func(time.Time) error
	came     int64 // since the deadline was set
	set      bool
	ended    bool // there is nothing more to wait for
}

// Read implements [io.Reader].
func (p *paced) Read(b []byte) (int, error) {
	if !p.set || p.known && p.came >= paceOf {
		_ = p.deadline(time.Now().Add(p.stall)) // a connection without deadlines is a test's
		p.set, p.came = true, 0
	}
	n, err := p.ReadCloser.Read(b)
	p.came += int64(n)
	if err != nil {
		p.ended = errors.Is(err, io.EOF)
		_ = p.deadline(time.Time{})
	}
	return n, err
}

// pacing bounds how long a body is waited for and how much of it is read, on every route. What
// nobody has read is not waited for.
func (a *api) pacing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		p := &paced{ReadCloser: http.MaxBytesReader(w, r.Body, maxUpload), length: r.ContentLength, stall: a.Stall, deadline: http.NewResponseController(w).SetReadDeadline}
		r.Body = p
		defer func() {
			if !p.ended {
				_ = p.deadline(time.Now())
			}
		}()
		next.ServeHTTP(w, r)
	})
}
