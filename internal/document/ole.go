package document

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/richardlehane/mscfb"

	"chela/internal/fault"
)

// oleMark begins the compound files of old Office formats and of encrypted new ones.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

var errCompound = errors.New("the compound file is malformed")

// readOLE reads a compound file by the streams that it holds.
func readOLE(d Doc, raw []byte, lim Limits) (Doc, error) {
	d.Kind = XLS
	streams, err := oleStreams(raw)
	if err != nil {
		return d, damaged(err, d.Name, XLS)
	}
	has := func(name string) bool { _, ok := streams[name]; return ok }
	switch {
	case has("EncryptedPackage"):
		return d, fault.New(fault.Invalid, "%s is protected by a password. Save it without one.", d.Name)
	case has("Workbook"):
		return readXLS(d, streams["Workbook"], lim)
	case has("Book"):
		return d, fault.New(fault.Invalid, "%s is of a version before Excel 97. Save it as xlsx or csv.", d.Name)
	case has("WordDocument"):
		return d, fault.New(fault.Invalid, "%s is of an old version of Word. Save it as docx or pdf.", d.Name)
	case has("__properties_version1.0"):
		return d, fault.New(fault.Invalid, "%s is a mail of Outlook. Save it as eml.", d.Name)
	}
	return d, fault.New(fault.Invalid, "%s is an Office file that Chela does not read; save it as xlsx, docx, csv or pdf.", d.Name)
}

// oleStreams returns the streams of a compound file by name; of those that are not a
// workbook only the name is kept. A stream is no larger than the file.
func oleStreams(raw []byte) (streams map[string][]byte, err error) {
	defer func() {
		if r := recover(); r != nil { // a malformed file must not end the daemon
			err = errCompound
		}
	}()
	f, err := mscfb.New(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	streams = make(map[string][]byte)
	for entry, err := f.Next(); err == nil; entry, err = f.Next() {
		name := strings.TrimSpace(entry.Name)
		streams[name] = nil
		if name == "Workbook" {
			data, err := io.ReadAll(io.LimitReader(entry, int64(len(raw))))
			if err != nil && len(data) == 0 {
				return nil, err
			}
			streams[name] = data // what is missing of a cut one is told by its records
		}
	}
	return streams, nil
}
