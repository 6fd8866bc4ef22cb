package client

import (
	"context"
	"net/url"
	"strconv"
	"strings"
)

// call sends in, when it is not nil, and returns the answer.
func call[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out T
	err := c.Call(ctx, method, path, in, &out)
	return out, err
}

// narrowed encodes names with their values; what is zero is left out.
func narrowed(pairs ...any) string {
	q := make(url.Values)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			continue
		}
		switch v := pairs[i+1].(type) {
		case string:
			if v != "" {
				q.Set(name, v)
			}
		case int:
			if v != 0 {
				q.Set(name, strconv.Itoa(v))
			}
		case bool:
			if v {
				q.Set(name, "true")
			}
		case []string:
			if len(v) > 0 {
				q.Set(name, strings.Join(v, ","))
			}
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// Value is what p points at; zero when it is nil, as what an answer leaves out is.
func Value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// Given points at a value, and is nil when it is zero: a request leaves it out.
func Given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
