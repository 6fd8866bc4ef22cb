package channel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"chela/internal/fault"
	"chela/internal/session"
)

// Bounds of what files may cost.
const (
	maxImage = 20 << 20 // bytes
	maxAudio = 25 << 20 // that is transcribed
	maxFile  = 50 << 20
	maxMedia = 8 // of one message, as the API takes them
)

// media is what came with a message.
type media struct {
	images []string        // artifact references
	audio  []session.Audio // that are transcribed
	notes  []string        // lines about the rest
}

func (m *media) note(format string, args ...any) {
	m.notes = append(m.notes, "["+fmt.Sprintf(format, args...)+"]")
}

// media keeps the files of a message. Pictures are shown to the agents and audio files transcribed; of the
// rest, and of what could not be kept, a line says what there was.
func (g *Gate) media(ctx context.Context, list []Media) (out media, err error) {
	for i, f := range list {
		if i == maxMedia {
			out.note("%d more files were left out: a message has at most %d.", len(list)-i, maxMedia)
			break
		}
		if err := g.keep(ctx, f, &out); err != nil {
			return media{}, err
		}
	}
	return out, nil
}

// keep keeps one file.
func (g *Gate) keep(ctx context.Context, f Media, out *media) error {
	name := OneLine(f.Name, 120)
	most := int64(maxFile)
	sort, _, _ := strings.Cut(strings.ToLower(f.Type), "/")
	if sort == "image" {
		most = maxImage
	}
	raw, err := fetch(ctx, f, most)
	if fault.KindOf(err) == fault.TooLarge && err != nil {
		out.note("The file %s was left out: it is larger than %d MB.", name, most>>20)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // it may never be there again; the message must not hold back all others
		g.log.Warn("a file is not fetched", "file", name, "err", err)
		out.note("The file %s was left out: it could not be fetched from the platform. It can be sent again.", name)
		return nil
	}
	ref, err := g.files.Put(raw)
	if err != nil {
		return err
	}
	kept := func(why string) {
		out.note("The file %s (%s, %d bytes) came with this message and is kept as %s. %s", name, cmp.Or(OneLine(f.Type, 80), "of a type that is not told"), len(raw), ref, why)
	}
	switch {
	case sort == "image":
		out.images = append(out.images, string(ref))
	case sort != "audio":
		kept("You do not see what is in it.")
	case f.Transcribed:
		kept("What is said in it stands above, as the platform heard it.")
	case g.transcribes == nil || !g.transcribes():
		kept("Nobody here can hear it.")
	case len(raw) > maxAudio:
		kept(fmt.Sprintf("It is too large to be transcribed: %d MB at most.", maxAudio>>20))
	default:
		out.audio = append(out.audio, session.Audio{File: session.File{Ref: string(ref), Name: cmp.Or(name, "audio"), Type: OneLine(f.Type, 80), Size: len(raw)}})
	}
	return nil
}

func fetch(ctx context.Context, f Media, most int64) (_ []byte, err error) {
	tooLarge := fault.New(fault.TooLarge, "The file is larger than %d bytes.", most)
	if f.Size > most {
		return nil, tooLarge
	}
	r, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(raw)) > most {
		err = tooLarge
	}
	return raw, err
}
