package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"chela/internal/fault"
)

// maxSmall is the size up to which a body stays in memory while it arrives, in bytes.
const maxSmall = 256 << 10

// MaxRequest bounds the body of any request, in bytes: one that carries files as they are.
const MaxRequest = 512 << 20

// A Body is a request's body that has arrived whole. A large one lies in a file.
type Body struct {
	io.Reader // the whole body, once
	Size      int64
	file      *os.File // nil for a small one
	leave     []func() // gives back what the body holds
}

// Close gives back what the body holds, once.
func (b *Body) Close() {
	if b.file != nil {
		_ = b.file.Close() // it has no name any more
	}
	leave := b.leave
	b.Reader, b.file, b.leave = nil, nil, nil
	for _, f := range leave {
		f()
	}
}

// Bytes reads the whole body into memory. It can be read again afterwards.
func (b *Body) Bytes() ([]byte, error) {
	raw := make([]byte, b.Size)
	if _, err := io.ReadFull(b.Reader, raw); err != nil {
		return nil, Unfinished(err)
	}
	b.Reader = bytes.NewReader(raw)
	return raw, nil
}

// hold takes a share of a pool for as long as the body is there.
func (b *Body) hold(pool *semaphore.Weighted, n int64) error {
	if !pool.TryAcquire(n) {
		return busy()
	}
	b.leave = append(b.leave, func() { pool.Release(n) })
	return nil
}

// Hold waits until a large body may be decoded, which takes weight times its size of memory. The
// body gives the memory back when it is closed.
func (h *Hall) Hold(ctx context.Context, b *Body, weight int64) error {
	if b.file == nil {
		return nil
	}
	leave, err := h.Memory(ctx, weight*b.Size)
	if err == nil {
		b.leave = append(b.leave, leave)
	}
	return err
}

// Memory waits until n bytes of memory may be used for what a request carries.
func (h *Hall) Memory(ctx context.Context, n int64) (leave func(), err error) {
	return h.load.wait(ctx, n)
}

func tooLarge(path string, length, most int64) error {
	return fault.New(fault.TooLarge, "The request has %.1f MB, and %s takes up to %d. Split the file, or hand in fewer at a time.", math.Ceil(float64(length)*10/(1<<20))/10, path, most>>20)
}

// lengthOf is how long a body may become, in bytes.
func lengthOf(sent *Paced, path string, most int64) (int64, error) {
	switch {
	case sent.length > most: // before it is read
		return 0, tooLarge(path, sent.length, most)
	case sent.length < 0:
		return most, nil
	}
	return sent.length, nil
}

// Reserve takes room on the disk for a body that somebody else reads.
func (h *Hall) Reserve(sent *Paced, path string, most int64) (leave func(), err error) {
	length, err := lengthOf(sent, path, most)
	if err != nil {
		return nil, err
	}
	if !h.load.disk.TryAcquire(length) {
		return nil, busy()
	}
	return func() { h.load.disk.Release(length) }, nil
}

// Receive reads a body of at most so many bytes to its end: into memory when it is small, else into
// a file. path names the route in errors. The caller closes the body.
func (h *Hall) Receive(sent *Paced, path string, most int64) (_ *Body, err error) {
	b := new(Body)
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	length, err := lengthOf(sent, path, most)
	if err != nil {
		return b, err
	}
	small := min(length, maxSmall)
	if err := b.hold(h.load.small, smallWeight*small); err != nil {
		return b, err
	}
	in := io.LimitReader(sent, most+1)
	head := make([]byte, small)
	n, err := io.ReadFull(in, head)
	if b.Size = int64(n); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		b.Reader = bytes.NewReader(head[:n])
		return b, nil
	}
	if err != nil {
		return b, Unfinished(err)
	}
	if length <= small { // net/http ends it there
		b.Reader, sent.ended = bytes.NewReader(head), true
		return b, nil
	}
	return b, h.receiveLarge(b, in, head, length, path, most)
}

func (h *Hall) receiveLarge(b *Body, in io.Reader, head []byte, length int64, path string, most int64) (err error) {
	if err := b.hold(h.load.disk, length); err != nil {
		return err
	}
	if b.file, err = h.load.file(); err != nil {
		return err
	}
	if _, err = b.file.Write(head); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The body cannot be kept on the disk while it comes.")
	}
	rest, err := io.Copy(b.file, in)
	if err != nil {
		return Unfinished(err)
	}
	if b.Size += rest; b.Size > most {
		return tooLarge(path, b.Size, most)
	}
	b.Reader = b.file
	_, err = b.file.Seek(0, io.SeekStart)
	return err
}

// Unfinished says why a body did not come to its end.
func Unfinished(err error) error {
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

// CheckMedia refuses a body that a browser sends to another origin without asking first: it has to be
// JSON, or a form with files where form says so.
func CheckMedia(contentType string, form bool) error {
	media, _, err := mime.ParseMediaType(contentType)
	want := "application/json"
	switch {
	case form:
		want = "multipart/form-data"
	case err == nil && strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return nil
	}
	if err == nil && media == want {
		return nil
	}
	return WithStatus(http.StatusUnsupportedMediaType, fault.New(fault.Invalid, "The body is sent as %q; send it as %s, and say so in Content-Type.", contentType, want))
}

// paceOf is how much of a body has to come in the time that it may stand still, in bytes.
const paceOf = 4 << 10

// A Paced is the body of a request, as long as it goes on. One of somebody who is not known yet
// has to come whole in the time in which another has to go on.
type Paced struct {
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
func (p *Paced) Read(b []byte) (int, error) {
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

// What is left of a body that nobody has read: so much is read after all, for so long. Else the server would
// read it after the deadline has been set, find that it has passed, and take the next request on the
// connection for one whose client has gone.
const (
	mostLeft = 64 << 10
	leftTime = 100 * time.Millisecond
)

// leave ends a body that was not read to its end: a short one is read, of another the connection is closed.
func (p *Paced) leave() {
	if p.ended {
		return
	}
	if p.length > 0 && p.length <= mostLeft && p.deadline(time.Now().Add(leftTime)) == nil {
		if _, err := io.Copy(io.Discard, p.ReadCloser); err == nil {
			_ = p.deadline(time.Time{}) // the next request has its own
			return
		}
	}
	_ = p.deadline(time.Now()) // one without deadlines is read by the server
}

// paced bounds how long a body is waited for and how much of it is read, on every route. What
// nobody has read is not waited for.
func (h *Hall) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		p := &Paced{ReadCloser: http.MaxBytesReader(w, r.Body, MaxRequest), length: r.ContentLength, stall: h.opts.Stall, deadline: http.NewResponseController(w).SetReadDeadline}
		r.Body = p
		defer p.leave()
		next.ServeHTTP(w, r)
	})
}
