package document

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"chela/internal/pattern"
)

// A pdf file can be made so that its readers never end: streams that unpack to
// terabytes, tables of billions of entries, objects that lie in themselves. rebuildPDF
// therefore finds the objects by looking for them, unpacks what matters within bounds,
// and writes a plain file: every object at the top, no compression, a short table. The
// table of the original, which is often what a cut file lacks, is not needed.

// Bounds of a pdf file.
const (
	maxObjects     = 500_000
	maxPDFBytes    = 256 << 20 // of all unpacked streams
	maxPDFStream   = 16 << 20  // of one
	maxPDFCharsets = 1 << 20   // of the table of a font's characters
)

var (
	errLocked   = errors.New("the file is encrypted")
	errNoObject = errors.New("the file has no catalog")

	pdfObject  = pattern.New(`(\d{1,7})[ \t\r\n\f]+\d{1,5}[ \t\r\n\f]+obj\b`)
	pdfLocked  = pattern.New(`/Encrypt\s*(\d+\s+\d+\s+R|<<)`)
	pdfRoot    = pattern.New(`/Root\s+(\d{1,7})\s+\d{1,5}\s+R`)
	pdfCatalog = pattern.New(`/Type\s*/Catalog\b`)
	pdfPacked  = pattern.New(`/Type\s*/ObjStm\b`)
	pdfTable   = pattern.New(`/Type\s*/XRef\b`)
	pdfLength  = pattern.New(`/Length\s+(\d{1,9})\b`)
	pdfFilter  = pattern.New(`/(?:Filter|F)\s*(\[[^\]]*\]|/\w+)`)
	pdfName    = pattern.New(`/\w+`)
	pdfCount   = pattern.New(`/N\s+(\d{1,7})\b`)
	pdfFirst   = pattern.New(`/First\s+(\d{1,9})\b`)
	pdfComment = pattern.New(`%[^\r\n]*`)
	pdfMapSize = pattern.New(`(\S+)\s+begin(?:bfchar|bfrange|codespacerange)\b`)
	pdfLong    = pattern.New(`<[^<>]{300}|\([^)]{300}`)
	pdfSmall   = pattern.New(`^\d{1,4}$`)
)

// pdfObjects are the objects of a file: number → what stands between obj and endobj,
// with streams unpacked.
type pdfObjects struct {
	body map[int][]byte
	root int
	left int  // bytes that streams may still unpack to
	cut  bool // a stream was left out, or the file ends inside an object
	// The places of the next "endobj" and "stream", so that each is looked for once.
	nextEnd, nextStream int
}

// search returns how far behind at the word is, or -1. known is where it was found last,
// or the end of the file when there is none.
func search(raw []byte, word string, at int, known *int) int {
	if *known < at {
		*known = len(raw)
		if i := bytes.Index(raw[at:], []byte(word)); i >= 0 {
			*known = at + i
		}
	}
	if *known == len(raw) {
		return -1
	}
	return *known - at
}

// rebuildPDF returns a plain file with the same pages. cut says that something of the
// original could not be read.
func rebuildPDF(raw []byte) (plain []byte, cut bool, err error) {
	o := pdfObjects{body: make(map[int][]byte), left: maxPDFBytes}
	if err := o.find(raw); err != nil {
		return nil, false, err
	}
	if _, ok := o.body[o.root]; !ok {
		o.root = 0
		for n, body := range o.body {
			if pdfCatalog.Match(body) {
				o.root = max(o.root, n)
			}
		}
	}
	if o.root == 0 {
		return nil, false, errNoObject
	}
	return o.write(), o.cut || !bytes.Contains(raw[max(0, len(raw)-2048):], []byte("%%EOF")), nil
}

// find goes through the file from object to object. The last object of a number counts,
// as in files that were changed by appending.
func (o *pdfObjects) find(raw []byte) error {
	for at := 0; ; {
		m := pdfObject.FindSubmatchIndex(raw[at:])
		tail := raw[at:]
		if m != nil {
			tail = raw[at : at+m[0]]
		}
		if err := o.trailer(tail); err != nil || m == nil {
			return err
		}
		n, err := strconv.Atoi(string(raw[at+m[2] : at+m[3]]))
		if err != nil || len(o.body) >= maxObjects {
			o.cut = true
			return nil //nolint:nilerr // seven digits are a number
		}
		start := at + m[1]
		end, next := o.object(n, raw, start)
		if end < 0 {
			o.cut = true
			return nil
		}
		at = next
	}
}

// trailer looks for the catalog and for encryption in what stands between objects, or
// in the head of a table of objects.
func (o *pdfObjects) trailer(text []byte) error {
	if pdfLocked.Match(text) {
		return errLocked
	}
	if all := pdfRoot.FindAllSubmatch(text, -1); all != nil {
		if n, err := strconv.Atoi(string(all[len(all)-1][1])); err == nil {
			o.root = n
		}
	}
	return nil
}

// object reads the object whose body begins at start, and says where it and its end
// mark end; -1 when it has no end.
func (o *pdfObjects) object(n int, raw []byte, start int) (end, next int) {
	end = search(raw, "endobj", start, &o.nextEnd)
	stream := search(raw, "stream", start, &o.nextStream)
	if stream < 0 || end >= 0 && end < stream {
		if end < 0 {
			return -1, len(raw)
		}
		o.body[n] = bytes.TrimSpace(raw[start : start+end])
		return start + end, start + end + len("endobj")
	}
	head := raw[start : start+stream]
	data := start + stream + len("stream")
	if bytes.HasPrefix(raw[data:], []byte("\r\n")) {
		data += 2
	} else if data < len(raw) && (raw[data] == '\n' || raw[data] == '\r') {
		data++
	}
	stop := -1
	if m := pdfLength.FindSubmatch(head); m != nil {
		if size, err := strconv.Atoi(string(m[1])); err == nil && data+size <= len(raw) && bytes.HasPrefix(bytes.TrimLeft(raw[data+size:], "\r\n \t"), []byte("endstream")) {
			stop = data + size
		}
	}
	if stop < 0 {
		if stop = bytes.Index(raw[data:], []byte("endstream")); stop < 0 {
			return -1, len(raw)
		}
		stop += data
	}
	o.stream(n, head, raw[data:stop])
	next = stop + bytes.Index(raw[stop:], []byte("endstream")) + len("endstream")
	return next, next
}

// stream keeps a stream that may be the content of a page or the characters of a font,
// and the objects of one that holds objects.
func (o *pdfObjects) stream(n int, head, packed []byte) {
	if pdfTable.Match(head) {
		if o.trailer(head) != nil {
			o.body[n] = []byte("<< /Encrypt << >> >>")
		}
		return
	}
	data, ok := o.unpack(head, packed)
	switch {
	case !ok: // a picture, a font, or too large
	case pdfPacked.Match(head):
		o.packed(head, data)
		return
	case bytes.Contains(data, []byte("begincmap")):
		data, ok = safeCharacters(data)
	}
	if !ok {
		data = nil
	}
	// A hexadecimal text that never ends would be read for ever; the sign for the end of a
	// dictionary ends it, and means nothing elsewhere.
	data = append(bytes.Clone(data), "\n>>\n"...)
	o.body[n] = fmt.Appendf(nil, "<< /Length %d >>\nstream\n%s\nendstream", len(data), data)
}

// unpack undoes Flate and ASCII85, the filters of text; ok is false for others and for
// what is too large.
func (o *pdfObjects) unpack(head, packed []byte) (data []byte, ok bool) {
	if bytes.Contains(head, []byte("/Image")) || bytes.Contains(head, []byte("/Length1")) || bytes.Contains(head, []byte("/FontFile")) {
		return nil, false
	}
	var in io.Reader = bytes.NewReader(packed)
	if m := pdfFilter.FindSubmatch(head); m != nil {
		filters := pdfName.FindAllString(string(m[1]), 4)
		for _, f := range filters {
			switch f {
			case "/FlateDecode", "/Fl":
				z, err := zlib.NewReader(in)
				if err != nil {
					o.cut = true
					return nil, false
				}
				in = z
			case "/ASCII85Decode", "/A85":
				body := bytes.TrimSuffix(bytes.TrimSpace(packed), []byte("~>"))
				if in == nil || f != filters[0] {
					return nil, false
				}
				in = ascii85.NewDecoder(bytes.NewReader(body))
			default:
				return nil, false
			}
		}
	}
	most := min(maxPDFStream, o.left)
	data, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if len(data) > most {
		o.cut = true
		return nil, false
	}
	if err != nil {
		o.cut = true
	}
	o.left -= len(data)
	return data, true
}

// packed keeps the objects that a stream holds: their numbers and places come first.
func (o *pdfObjects) packed(head, data []byte) {
	count, first := pdfCount.FindSubmatch(head), pdfFirst.FindSubmatch(head)
	if count == nil || first == nil {
		o.cut = true
		return
	}
	n, _ := strconv.Atoi(string(count[1]))    // digits, by the pattern
	base, _ := strconv.Atoi(string(first[1])) // digits, by the pattern
	if base > len(data) {
		o.cut = true
		return
	}
	words := bytes.Fields(data[:base])
	for i := 0; i < n && 2*i+1 < len(words) && len(o.body) < maxObjects; i++ {
		id, err1 := strconv.Atoi(string(words[2*i]))
		from, err2 := strconv.Atoi(string(words[2*i+1]))
		to := len(data) - base
		if 2*i+3 < len(words) {
			to, _ = strconv.Atoi(string(words[2*i+3])) // a broken one is refused below
		}
		if err1 != nil || err2 != nil || id <= 0 || id >= 10_000_000 || from < 0 || to < from || base+to > len(data) {
			o.cut = true
			continue
		}
		if body := bytes.TrimSpace(data[base+from : base+to]); !bytes.Contains(body, []byte("stream")) { // none may be one
			o.body[id] = body
		}
	}
}

// safeCharacters checks a font's table of characters: its counts and texts are short,
// as the format asks.
func safeCharacters(data []byte) ([]byte, bool) {
	if len(data) > maxPDFCharsets {
		return nil, false
	}
	data = pdfComment.ReplaceAll(data, nil)
	for _, m := range pdfMapSize.FindAllSubmatch(data, -1) {
		if !pdfSmall.Match(m[1]) {
			return nil, false
		}
	}
	return data, !pdfLong.Match(data)
}

// write writes the objects one after another, with new numbers for large ones left out.
func (o *pdfObjects) write() []byte {
	numbers := make([]int, 0, len(o.body))
	for n := range o.body {
		if n > 0 && n < 2*maxObjects {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var out, table bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	for _, n := range numbers {
		fmt.Fprintf(&table, "%d 1\n%010d 00000 n \n", n, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n, o.body[n])
	}
	at := out.Len()
	fmt.Fprintf(&out, "xref\n%strailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", table.String(), 2*maxObjects, o.root, at)
	return out.Bytes()
}
