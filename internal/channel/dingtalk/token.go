package dingtalk

import (
	"context"
	"net/http"
	"time"

	"chela/internal/channel/httpcall"
)

// early is how long before its end an access token is renewed.
const early = 5 * time.Minute

// app is what an access token is asked for with.
type app struct {
	Key    string `json:"appKey"`
	Secret string `json:"appSecret"`
}

// access returns an access token that still counts.
func (c *caller) access(ctx context.Context) (string, error) {
	if token := c.known(); token != "" {
		return token, nil
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return "", c.http.Failed(ctx.Err(), false)
	}
	if token := c.known(); token != "" {
		return token, nil // another has asked
	}
	return c.renew(ctx)
}

func (c *caller) known() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().After(c.until) {
		return ""
	}
	return c.token
}

// renew asks for an access token. DingTalk gives the same one until it nears its end.
func (c *caller) renew(ctx context.Context) (string, error) {
	body, err := encode(app{c.id, c.secret})
	if err != nil {
		return "", err
	}
	var got struct {
		Token word  `json:"accessToken"`
		For   stamp `json:"expireIn"` // seconds
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if err := c.do(ctx, http.MethodPost, c.hosts.api+"/v1.0/oauth2/accessToken", header, body, &got); err != nil {
		return "", err
	}
	if got.Token == "" {
		return "", &httpcall.Failure{Status: http.StatusOK, Text: "what answers is not DingTalk: it gives no access token; look at base_url"}
	}
	life := time.Duration(min(max(got.For, 0), 24*3600)) * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.until = string(got.Token), c.now().Add(max(life-early, life/2))
	return c.token, nil
}

// forget drops a token that is not taken any more.
func (c *caller) forget(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == token {
		c.token = ""
	}
}
