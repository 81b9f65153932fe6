package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attempts         = 5
	firstWait        = 250 * time.Millisecond
	longestWait      = 30 * time.Second
	answerWithin     = 60 * time.Second
	longestAnswer    = 16 << 20
	shownOfAnyAnswer = 200
)

// document is a JSON object of the API.
type document = map[string]any

// client sends requests to a Packhouse server. It repeats those that can't take effect twice.
type client struct {
	url     string
	key     string
	message string
	http    http.Client
}

func newClient(address, key, message string) (*client, error) {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" || parsed.User != nil {
		return nil, errors.New("it is not an address: write https://host, without user and password")
	}
	found := &client{url: strings.TrimRight(address, "/"), key: key, message: message}
	found.http.Timeout = answerWithin
	found.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return found, nil
}

// call is one request of the API. The key of a repeatable creation makes the server execute it once.
type call struct {
	method, path string
	query        url.Values
	body         any
	match        string // If-Match: the ETag of the object that it replaces
	isNew        bool   // If-None-Match: *
	idempotency  string
}

func (r call) isRepeatable() bool {
	return r.method == http.MethodGet || r.match != "" || r.isNew || r.idempotency != ""
}

// send returns the answer's JSON object and ETag; the error is a problem if the server refused.
func (c *client) send(ctx context.Context, r call) (document, string, error) {
	if c == nil {
		return nil, "", errors.New("url or api_key of the provider is known after apply only: apply what they depend on first")
	}
	for attempt := 1; ; attempt++ {
		answer, etag, after, err := c.sendOnce(ctx, r)
		wait := max(after, time.Duration(float64(firstWait<<attempt)*(0.5+rand.Float64()/2)))
		if err == nil || attempt == attempts || after > longestWait || !mayRepeat(r, err) {
			return answer, etag, err
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(wait):
		}
	}
}

func mayRepeat(r call, err error) bool {
	var refused *problem
	if !errors.As(err, &refused) {
		return r.isRepeatable()
	}
	switch refused.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.isRepeatable()
	case http.StatusConflict: // an earlier sending of this request was refused in between
		return r.idempotency != "" && refused.Details["constraint"] == "superseded"
	}
	return false
}

func (c *client) sendOnce(ctx context.Context, r call) (document, string, time.Duration, error) {
	built, err := c.build(ctx, r)
	if err != nil {
		return nil, "", 0, err
	}
	answer, err := c.http.Do(built)
	if err != nil {
		return nil, "", 0, fmt.Errorf("no answer from %s: %w", c.url, errors.Unwrap(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer+1))
	if err == nil && len(text) > longestAnswer {
		err = fmt.Errorf("it is longer than %d bytes", longestAnswer)
	}
	if err != nil {
		return nil, "", 0, fmt.Errorf("the answer of %s can't be read: %w", c.url, err)
	}
	if answer.StatusCode >= 300 {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return nil, "", time.Duration(seconds) * time.Second, readProblem(answer.StatusCode, text)
	}
	found := document{}
	if len(text) == 0 {
		return found, "", 0, nil
	}
	if err := decode(text, &found); err != nil || found == nil {
		return nil, "", 0, fmt.Errorf("the answer of %s is not a JSON object: is it a Packhouse server?", c.url)
	}
	return found, answer.Header.Get("ETag"), 0, nil
}

func (c *client) build(ctx context.Context, r call) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	address := c.url + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	built, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	built.Header.Set("Authorization", "Bearer "+c.key)
	built.Header.Set("User-Agent", "terraform-provider-packhouse")
	headers := map[string]string{"If-Match": r.match, "Idempotency-Key": r.idempotency}
	if r.isNew {
		headers["If-None-Match"] = "*"
	}
	if r.body != nil {
		headers["Content-Type"] = "application/json"
	}
	for name, value := range headers {
		if value != "" {
			built.Header.Set(name, value)
		}
	}
	return built, nil
}

// problem is an answer by which the server refuses a request (RFC 9457).
type problem struct {
	Status  int
	Code    string
	Detail  string
	Errors  []fieldProblem
	Details document
}

type fieldProblem struct {
	Pointer string
	Message string
	Value   any
	Hint    string
}

func (p *problem) Error() string { return p.Detail }

func readProblem(status int, text []byte) *problem {
	var found problem
	if err := decode(text, &found); err != nil || found.Detail == "" {
		shown := string(text[:min(len(text), shownOfAnyAnswer)])
		found.Detail = fmt.Sprintf("status %d without a problem document: is it a Packhouse server? %q", status, shown)
	}
	found.Status = status
	return &found
}

func hasStatus(err error, status int) bool {
	var refused *problem
	return errors.As(err, &refused) && refused.Status == status
}

// decode reads JSON; numbers keep their digits.
func decode(text []byte, into any) error {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	return reader.Decode(into)
}
