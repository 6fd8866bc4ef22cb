package document

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"chela/internal/fault"
)

// Bounds of what is packed.
const (
	maxInflated = 512 << 20 // bytes that an Office file may unpack to
	maxRatio    = 300       // of unpacked to packed bytes, beyond freeRatio
	freeRatio   = 8 << 20   // bytes of a member that may be packed at any ratio
)

var (
	errBomb  = errors.New("it is packed at a ratio that no document has")
	errLarge = errors.New("it unpacks to more than the limit")
)

func isZip(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("PK\x03\x04")) || bytes.HasPrefix(raw, []byte("PK\x05\x06"))
}

// isOffice reports whether an archive is an Office file or was one before it was cut:
// its first member has one of their names.
func isOffice(raw []byte) bool {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		head := raw[:min(len(raw), 300)]
		return bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("_rels/.rels"))
	}
	return slices.ContainsFunc(z.File, func(f *zip.File) bool {
		return f.Name == "[Content_Types].xml" || f.Name == "xl/workbook.xml" || f.Name == "word/document.xml" || f.Name == "mimetype"
	})
}

// readOffice reads an xlsx or docx file by what it holds, not by its name.
func readOffice(d Doc, ext string, raw []byte, lim Limits) (Doc, error) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		kind := XLSX
		if ext == ".docx" {
			kind = DOCX
		}
		d.Kind = kind
		return d, damaged(err, d.Name, kind)
	}
	for _, f := range z.File {
		switch {
		case f.Name == "word/document.xml":
			return readDOCX(d, raw, z)
		case strings.HasPrefix(f.Name, "xl/"):
			return readXLSX(d, raw, lim)
		}
	}
	return d, fault.New(fault.Invalid, "%s is an Office file that Chela does not read; save it as xlsx, docx, csv or pdf.", d.Name)
}

// checkZip refuses an archive that says that it unpacks to too much. Its reader stops
// at what each member says.
func checkZip(name string, raw []byte) error {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return damaged(err, name, XLSX)
	}
	total := uint64(0)
	for _, f := range z.File {
		size := f.UncompressedSize64
		total += size
		if size > maxInflated || total > maxInflated || size > freeRatio && size/max(f.CompressedSize64, 1) > maxRatio {
			return bomb(name)
		}
	}
	return nil
}

func bomb(name string) error {
	return fault.Wrap(errBomb, fault.TooLarge, "%s unpacks to far more than it holds, as archives do that are made to do harm. Pack it again, or send its files one by one.", name)
}

// inflate unpacks one member up to a number of bytes, which it checks while it does.
func inflate(f *zip.File, limit int) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // read only
	most := limit
	if packed := f.CompressedSize64; packed < uint64(limit) {
		most = min(limit, max(freeRatio, int(packed)*maxRatio))
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(in, int64(most)+1))
	switch {
	case n > int64(most) && most < limit:
		return nil, errBomb
	case n > int64(most):
		return nil, errLarge
	}
	return out.Bytes(), err
}

// zip reads the members of an archive that are documents.
func (o *opener) zip(name string, raw []byte, depth int) error {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return damaged(err, name, Zip)
	}
	docs, told := len(o.docs), len(o.problems)
	locked := 0
	for _, f := range z.File {
		inner := name + "/" + strings.ToValidUTF8(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(f.Name, `\`, "/")), "/"), "_")
		if strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), ".") {
			continue
		}
		if o.members++; o.members > maxMembers {
			o.problems = append(o.problems, Problem{inner, fmt.Sprintf("%s has more than %d files; this one and those behind it were left out. Split it.", name, maxMembers)})
			break
		}
		if f.Flags&1 != 0 {
			locked++
			o.problems = append(o.problems, Problem{inner, fmt.Sprintf("%s is protected by a password. Pack it again without one.", inner)})
			continue
		}
		o.unpack(f, inner, depth)
	}
	if len(o.docs) > docs {
		return nil
	}
	problems := o.problems[told:]
	if depth > 0 && len(problems) > 0 {
		return nil // they are told one by one
	}
	switch {
	case len(problems) == 0:
		return fault.New(fault.Invalid, "%s holds no files.", name)
	case locked == len(problems):
		return fault.New(fault.Invalid, "%s is protected by a password. Pack it again without one.", name)
	case len(problems) == 1:
		return fault.New(fault.Invalid, "%s", problems[0].Text)
	}
	return fault.New(fault.Invalid, "%s holds nothing that can be read: %s And %d more.", name, problems[0].Text, len(problems)-1)
}

// unpack reads one member, within what archives may still unpack to.
func (o *opener) unpack(f *zip.File, inner string, depth int) {
	limit := min(o.lim.Bytes, o.bytes)
	raw, err := inflate(f, limit)
	o.bytes -= len(raw)
	switch {
	case errors.Is(err, errLarge):
		o.problems = append(o.problems, Problem{inner, fmt.Sprintf("%s unpacks to more than %d bytes, which is what may still be read of its archive. Split it, or send it on its own.", inner, limit)})
	case errors.Is(err, errBomb):
		o.problems = append(o.problems, Problem{inner, fault.TextOf(bomb(inner))})
	case err != nil && len(raw) == 0:
		o.problems = append(o.problems, Problem{inner, fmt.Sprintf("%s is damaged in its archive. Pack it again.", inner)})
	case err != nil:
		o.problems = append(o.problems, Problem{inner, fmt.Sprintf("%s is damaged in its archive behind byte %d; what was before it was read. Pack it again.", inner, len(raw))})
		o.member(inner, raw, depth)
	default:
		o.member(inner, raw, depth)
	}
}
