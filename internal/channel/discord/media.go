package discord

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

const (
	// mostFiles is how many files a message of Discord has.
	mostFiles = 10
	// fetchTimes is how many times as long as for an answer is waited for a whole file.
	fetchTimes = 6
)

// media returns the files of a message.
func (a *Adapter) media(list []attachment) []channel.Media {
	var out []channel.Media
	for _, f := range list[:min(len(list), mostFiles)] {
		name := path.Base(path.Clean("/" + strings.ReplaceAll(f.Name.V, `\`, "/")))
		if name == "/" {
			name = "file-" + f.ID
		}
		kind, _, err := mime.ParseMediaType(f.Type.V)
		if err != nil {
			kind = ""
		}
		out = append(out, channel.Media{Name: name, Type: kind, Size: max(f.Size.V, 0), Open: func(ctx context.Context) (io.ReadCloser, error) {
			return a.fetch(ctx, name, f.URL)
		}})
	}
	return out
}

// sources are where Discord keeps files (discord.com/developers/docs/reference#image-formatting,
// …/resources/message#attachment-object). No token goes there: the addresses are signed.
var sources = []string{"cdn.discordapp.com", "media.discordapp.net"}

// ourSource reports whether a file may be fetched from an address.
func (a *Adapter) ourSource(at string) bool {
	u, err := url.Parse(at)
	base, baseErr := url.Parse(a.api.base)
	if err != nil || baseErr != nil || u.User != nil {
		return false
	}
	return u.Scheme == "https" && slices.Contains(sources, u.Host) || u.Scheme == base.Scheme && u.Host == base.Host
}

func (a *Adapter) fetch(ctx context.Context, name, at string) (io.ReadCloser, error) {
	if !a.ourSource(at) {
		return nil, fault.New(fault.Denied, "The file %s does not lie with Discord and is not fetched.", name)
	}
	resp, err := a.api.http.Open(ctx, httpcall.Request{
		Method: http.MethodGet, Address: at, Header: http.Header{"User-Agent": {userAgent}}, Within: fetchTimes * a.answer,
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from Discord: %s", name, failureOf(err).Text)
	}
	return resp.Body, nil
}
