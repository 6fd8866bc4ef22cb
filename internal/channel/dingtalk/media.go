package dingtalk

import (
	"context"
	"io"
	"net/http"

	"chela/internal/channel/httpcall"
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
		resp, err := a.api.http.Open(ctx, httpcall.Request{Method: http.MethodGet, Address: u.String(), Within: fetchTimes * a.api.http.Within})
		if err != nil && failureOf(err).Status != 0 {
			return nil, fault.Wrap(err, fault.Unavailable, "DingTalk does not give a file: its store answers with status %d.", failureOf(err).Status)
		}
		if err != nil {
			return nil, err
		}
		return resp.Body, nil
	}
}
