package provider

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRepeats(t *testing.T) {
	for _, each := range []struct {
		name   string
		sent   call
		status int
		after  string
		times  int
	}{
		{"a read", call{method: "GET"}, 503, "0", 2},
		{"too many creations", call{method: "POST"}, 429, "0", 2},
		{"a creation without a key", call{method: "POST"}, 503, "0", 1},
		{"a creation with a key", call{method: "POST", idempotency: "a"}, 503, "0", 2},
		{"a guarded replacement", call{method: "PUT", match: `"1"`}, 502, "0", 2},
		{"a wait that is too long", call{method: "GET"}, 429, "31", 1},
		{"a refusal", call{method: "GET"}, 422, "0", 1},
	} {
		times := 0
		server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			if times++; times == 1 {
				answer.Header().Set("Retry-After", each.after)
				answer.WriteHeader(each.status)
			}
			_, _ = answer.Write([]byte(`{}`))
		}))
		made, err := newClient(server.URL, "pkh_1", "")
		if err != nil {
			t.Fatal(err)
		}
		each.sent.path = "/v1/x"
		_, _, err = made.send(context.Background(), each.sent)
		if times != each.times || (err == nil) != (times == 2) {
			t.Errorf("%s: sent %d times, %v", each.name, times, err)
		}
		server.Close()
	}
}

func TestAnswersOfOthers(t *testing.T) {
	for _, each := range []struct{ answer, wanted string }{
		{"<html>", "is it a Packhouse server?"},
		{"null", "is it a Packhouse server?"},
		{"[]", "is it a Packhouse server?"},
		{strings.Repeat(" ", longestAnswer+1), "it is longer than"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			_, _ = answer.Write([]byte(each.answer))
		}))
		made, _ := newClient(server.URL, "pkh_1", "")
		if _, _, err := made.send(context.Background(), call{method: "POST"}); err == nil || !strings.Contains(err.Error(), each.wanted) {
			t.Errorf("%v lacks %q", err, each.wanted)
		}
		server.Close()
	}
}

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://packhouse.example": true, "http://127.0.0.1:8080/": true,
		"": false, "packhouse.example": false, "ftp://a": false, "https://user:word@a": false, "https://": false,
	} {
		if _, err := newClient(address, "pkh_1", ""); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
