package model_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/model/openai"
)

// post sends a call to url and returns the error that comes of it.
func post(ctx context.Context, t *testing.T, c *http.Client, url string) *model.Error {
	t.Helper()
	body, err := model.Post(ctx, c, model.Provider{Name: "acme"}, "m-1", url, http.Header{}, []byte("{}"), 0)
	if err == nil {
		_ = body.Close()
		return nil
	}
	var e *model.Error
	if !errors.As(err, &e) || e.Provider != "acme" || e.Model != "m-1" {
		t.Fatalf("%v is not an error of the model", err)
	}
	return e
}

// TestError_Refusals holds recorded refusals of providers.
func TestError_Refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		want   model.Reason
		retry  bool
		says   string
	}{
		"OpenAI, key":           {401, `{"error":{"message":"Incorrect API key provided: sk-12. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, model.Auth, false, "acme does not accept the key"},
		"OpenAI, quota":         {429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, model.Billing, false, "billing"},
		"OpenAI, limit":         {429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, model.RateLimit, true, "limiting our calls"},
		"OpenAI, limit, free":   {429, `{"error":{"message":"Rate limit reached for gpt-4o on requests per min (RPM): Limit 3. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, model.RateLimit, true, "limiting our calls"},
		"OpenAI, model":         {404, `{"error":{"message":"The model gpt-9 does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, model.ModelNotFound, false, "acme has no model m-1"},
		"OpenAI, context":       {400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, model.ContextOverflow, false, "too long for the model m-1"},
		"OpenAI, parameter":     {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, model.Format, false, "Unsupported parameter"},
		"OpenAI, failure":       {500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`, model.Server, true, "try again later"},
		"Anthropic, key":        {401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}`, model.Auth, false, "chela setup"},
		"Anthropic, credit":     {400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, model.Billing, false, "credit"},
		"Anthropic, permission": {403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, model.Auth, false, "key"},
		"Anthropic, model":      {404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`, model.ModelNotFound, false, "m-1"},
		"Anthropic, context":    {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, model.ContextOverflow, false, "too long"},
		"Anthropic, size":       {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, model.ContextOverflow, false, "too long"},
		"Anthropic, limit":      {429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}`, model.RateLimit, true, "in a minute"},
		"Anthropic, overloaded": {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Server, true, "try again later"},
		"Anthropic, timeout":    {504, `{"type":"error","error":{"type":"timeout_error","message":"Request timed out"}}`, model.TimedOut, true, "in time"},
		"vLLM, context":         {400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}`, model.ContextOverflow, false, "too long"},
		"llama.cpp, context":    {400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, model.ContextOverflow, false, "too long"},
		"llama.cpp, loading":    {503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, model.Server, true, "try again later"},
		"Ollama, model":         {404, `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, model.ModelNotFound, false, "m-1"},
		"OpenRouter, credits":   {402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`, model.Billing, false, "credit"},
		"Gemini, key":           {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, model.Auth, false, "acme does not accept the key"},
		"Gemini, limit":         {429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"35s"}]}}`, model.RateLimit, true, "limiting our calls"},
		"Gemini, model":         {404, `{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}`, model.ModelNotFound, false, "acme has no model m-1"},
		"Gemini, context":       {400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, model.ContextOverflow, false, "too long"},
		"Gemini, a list":        {503, `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`, model.Server, true, "try again later"},
		"Gemini, late":          {504, `{"error":{"code":504,"message":"Deadline expired before operation could complete.","status":"DEADLINE_EXCEEDED"}}`, model.TimedOut, true, "in time"},
		"Gemini, permission":    {403, `{"error":{"code":403,"message":"Method doesn't allow unregistered callers.","status":"PERMISSION_DENIED"}}`, model.Auth, false, "key"},
		"Gemini, schema":        {400, `{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"additionalProperties\"","status":"INVALID_ARGUMENT"}}`, model.Format, false, "Invalid JSON payload"},
		"Z.AI, balance":         {429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, model.Billing, false, "billing"},
		"Z.AI, limit":           {429, `{"error":{"code":"1302","message":"Rate limit reached for requests"}}`, model.RateLimit, true, "limiting our calls"},
		"Z.AI, context":         {400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, model.ContextOverflow, false, "too long"},
		"a proxy's page":        {502, "<html>\n<h1>502 Bad Gateway</h1>", model.Server, true, "try again later"},
		"a slow proxy":          {408, "", model.TimedOut, true, "in time"},
		"nothing":               {500, "", model.Server, true, "try again later"},
		"nothing of ours":       {418, "", model.Format, false, "did not understand"},
		"no answer at all":      {204, "", model.Format, false, "did not understand"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			e := post(t.Context(), t, s.Client(), s.URL)
			if e == nil || e.Reason != c.want || e.Reason.Retryable() != c.retry || e.Status != c.status {
				t.Fatalf("%+v", e)
			}
			if text := fault.TextOf(e); !strings.Contains(text, c.says) {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// A trip answers calls without a network.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestError_NoAnswer(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	never := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer never.Close()
	defer close(over)
	hangsUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = c.Close()
	}))
	defer hangsUp.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancelLate()
	fails := func(err error) *http.Client {
		return &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) { return nil, err })}
	}
	plain := model.NewHTTPClient()
	for name, c := range map[string]struct {
		ctx    context.Context
		client *http.Client
		url    string
		want   model.Reason
		retry  bool
	}{
		"nobody listens":       {t.Context(), plain, gone.URL, model.Server, true},
		"it hangs up":          {t.Context(), plain, hangsUp.URL, model.Server, true},
		"it speaks no TLS":     {t.Context(), plain, strings.Replace(never.URL, "http:", "https:", 1), model.Server, true},
		"the name is unknown":  {t.Context(), fails(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}), "http://acme.test", model.Server, true},
		"the name takes long":  {t.Context(), fails(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), "http://acme.test", model.TimedOut, true},
		"a reset":              {t.Context(), fails(&net.OpError{Op: "read", Err: errors.New("connection reset by peer")}), "http://acme.test", model.Server, true},
		"the client's limit":   {t.Context(), &http.Client{Timeout: time.Millisecond}, never.URL, model.TimedOut, true},
		"the call's limit":     {late, plain, never.URL, model.TimedOut, true},
		"the call is given up": {cancelled, plain, never.URL, model.Canceled, false},
		"no host":              {t.Context(), plain, "localhost:8000/v1", model.Format, false},
		"no address":           {t.Context(), plain, "http://[::1", model.Format, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := post(c.ctx, t, c.client, c.url)
			if e == nil || e.Reason != c.want || e.Reason.Retryable() != c.retry || e.Status != 0 || c.want != model.Format && e.Cause == nil {
				t.Errorf("%+v", e)
			}
			if text := fault.TextOf(e); !strings.Contains(text, "acme") || !strings.HasSuffix(text, ".") || strings.Contains(text, "dial") {
				t.Errorf("it says %q", text)
			}
		})
	}
}

func TestError_RetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"":                              0,
		"7":                             7 * time.Second,
		"0.25":                          250 * time.Millisecond,
		"3600":                          time.Hour,
		"86400":                         time.Hour,
		"1e300":                         time.Hour,
		"0":                             0,
		"-5":                            0,
		"NaN":                           0,
		"soon":                          0,
		"Fri, 31 Dec 1999 23:59:59 GMT": 0,
		"Fri, 31 Dec 2999 23:59:59 GMT": time.Hour,
	} {
		c := &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {value}}, Body: io.NopCloser(strings.NewReader(""))}, nil
		})}
		if e := post(t.Context(), t, c, "http://acme.test"); e == nil || e.RetryAfter != want {
			t.Errorf("%q: %+v", value, e)
		}
	}
}

// TestError_AnAnswerThatCannotBeRead is one whose status was good.
func TestError_AnAnswerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  io.Reader
		want  model.Reason
		retry bool
	}{
		"a page":                {strings.NewReader("<html>Welcome to the hotel's network"), model.Server, true},
		"nothing":               {strings.NewReader(""), model.Server, true},
		"half":                  {io.MultiReader(strings.NewReader(`{"choices":[{"mess`), iotest.ErrReader(io.ErrUnexpectedEOF)), model.Server, true},
		"an error with status":  {strings.NewReader(`{"error":{"message":"Rate limit exceeded","code":429}}`), model.RateLimit, true},
		"an error with a word":  {strings.NewReader(`{"error":{"message":"x","type":"exceed_context_size_error","code":400}}`), model.ContextOverflow, false},
		"an error without both": {strings.NewReader(`{"error":{"message":"Provider returned error"}}`), model.Server, true},
	} {
		t.Run(name, func(t *testing.T) {
			http := &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(c.body)}, nil
			})}
			m, err := openai.Open(model.Provider{Name: "acme", BaseURL: "http://acme.test"}, http)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Reason != c.want || e.Reason.Retryable() != c.retry || a.Text != "" {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
}

func TestError_EveryReasonIsASentence(t *testing.T) {
	t.Parallel()
	for _, r := range []model.Reason{model.Billing, model.RateLimit, model.Auth, model.TimedOut, model.Server, model.Format, model.ModelNotFound, model.ContextOverflow, model.Canceled, model.NoneConfigured, "new"} {
		cause := errors.New("dial tcp: secret")
		e := &model.Error{Reason: r, Provider: "acme", Model: "m-1", Status: 418, Detail: "its words.", Cause: cause}
		text := fault.TextOf(e)
		if !strings.HasSuffix(text, ".") || strings.Contains(text, "secret") || !strings.Contains(text, "acme") && !strings.Contains(text, "m-1") && r != model.NoneConfigured {
			t.Errorf("%s says %q", r, text)
		}
		if !errors.Is(e, cause) || !strings.Contains(e.Error(), "secret") || !strings.Contains(e.Error(), "its words") || !strings.Contains(e.Error(), "418") {
			t.Errorf("for the log it says %q", e)
		}
	}
}

func TestError_ALongRefusalIsCutBetweenLetters(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		e := model.Classify("acme", "m", 400, "", "", strings.Repeat("x", 497+n)+strings.Repeat("é", 100))
		if !utf8.ValidString(e.Detail) || len(e.Detail) > 503 || !strings.HasSuffix(e.Detail, "…") {
			t.Errorf("%d bytes: %q", len(e.Detail), e.Detail[490:])
		}
	}
}

func FuzzReadRefusal(f *testing.F) {
	f.Add([]byte(`{"error":{"type":"t","code":429,"message":"m"}}`))
	f.Add([]byte("<html>"))
	f.Add([]byte(`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"35s"}]}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := model.ReadRefusal(raw)
		if r.RetryAfter() < 0 {
			t.Errorf("%+v", r)
		}
		if e := model.Classify("p", "m", 400, r.Type+" "+r.Status, string(r.Code), r.Message); e.Reason == "" || !utf8.ValidString(e.Detail) {
			t.Errorf("%+v", e)
		}
	})
}
