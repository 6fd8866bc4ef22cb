package dingtalk

import (
	"context"
	"io"
	"net/http"

	"chela/internal/fault"
)

// fetchTimes is how many times as long as for an answer is waited for a whole file.
const fetchTimes = 8

type wanted struct {
	Code  string `json:"downloadCode"`
	Robot string `json:"robotCode"`
}

// opener returns what fetches a file of a message. The address that DingTalk names for it is
// one at which anybody could fetch it for a while; our token is not sent there.
func (a *Adapter) opener(code string) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		var got struct {
			URL word `json:"downloadUrl"`
		}
		if err := a.api.call(ctx, http.MethodPost, "/v1.0/robot/messageFiles/download", wanted{code, a.robot}, &got); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "DingTalk does not give a file: %s", failureOf(err).Text)
		}
		u, err := a.api.hosts.at(string(got.URL))
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "DingTalk names no address of its own for a file.")
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTimes*a.api.answer)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			cancel()
			return nil, err
		}
		resp, err := a.api.http.Do(req)
		if err != nil {
			cancel()
			return nil, a.api.failed(err, true)
		}
		if resp.StatusCode != http.StatusOK {
			_ = resp.Body.Close() // not read
			cancel()
			return nil, fault.New(fault.Unavailable, "DingTalk does not give a file: its store answers with status %d.", resp.StatusCode)
		}
		return &fetched{ReadCloser: resp.Body, cancel: cancel}, nil
	}
}

// fetched is a file on its way.
type fetched struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements [io.Closer].
func (f *fetched) Close() error {
	defer f.cancel()
	return f.ReadCloser.Close()
}
