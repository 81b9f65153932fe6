package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const races = 3 // how often a change is tried again when another one came between reading and writing

// errGone is the end of a change of an object that another caller has deleted.
var errGone = errors.New("another caller has deleted it")

// read returns the object and its ETag; errGone without it.
func (k *kind) read(ctx context.Context, c *client, object document) (document, string, error) {
	answer, etag, err := c.send(ctx, call{method: http.MethodGet, path: at(k.path, object)})
	if hasStatus(err, http.StatusNotFound) || (err == nil && k.ended != "" && answer[k.ended] != nil) {
		return nil, "", errGone
	}
	return answer, etag, err
}

func (k *kind) query(c *client, object document) url.Values {
	found := url.Values{}
	if slices.Contains(k.parameters, "message") && c.message != "" {
		found.Set("message", c.message)
	}
	if asked, ok := object["acknowledge"].(string); ok {
		found.Set("acknowledge", asked)
	}
	return found
}

// create makes the object; it takes over no existing one.
func (k *kind) create(ctx context.Context, c *client, wanted document) (document, error) {
	sent := call{method: http.MethodPut, path: at(k.path, wanted), query: k.query(c, wanted), body: k.body(wanted, true)}
	switch {
	case k.always != "":
		current, etag, err := k.read(ctx, c, wanted)
		if err != nil {
			return nil, err
		}
		if !k.isEmpty(current) {
			return nil, &problem{
				Status: http.StatusConflict, Detail: "it is set already", Details: document{"constraint": "pk_" + k.name},
			}
		}
		sent.match = etag
	case k.collection != "":
		sent.method, sent.path = http.MethodPost, k.collection
		if k.repeatable {
			sent.idempotency = rand.Text()
		}
	default:
		sent.isNew = true
	}
	answer, _, err := c.send(ctx, sent)
	return answer, err
}

// isEmpty returns whether an object that is always there has no value that was set.
func (k *kind) isEmpty(current document) bool {
	for _, each := range k.fields {
		if each.isSent() && !each.has(addressed) && !isNothing(current[each.name]) {
			return false
		}
	}
	return true
}

func isNothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case []any:
		return len(value) == 0
	case document:
		return len(value) == 0
	}
	return false
}

// replace changes the object to the wanted one; `known` are its values as they were read last.
func (k *kind) replace(ctx context.Context, c *client, before, wanted, known document) (document, error) {
	sent := call{method: http.MethodPut, path: at(k.path, before), query: k.query(c, wanted), body: k.body(wanted, false)}
	if k.patches {
		sent.method, sent.body = http.MethodPatch, k.patch(before, wanted)
	}
	return k.guarded(ctx, c, before, known, sent)
}

// remove deletes or ends the object, or empties one that is always there.
func (k *kind) remove(ctx context.Context, c *client, before, known document) error {
	sent := call{method: http.MethodDelete, path: at(k.path, before), query: k.query(c, before)}
	switch {
	case k.always == "*":
		sent.method, sent.body = http.MethodPut, document{}
	case k.always != "":
		sent.method, sent.body = http.MethodPut, document{k.always: []any{}}
	case k.revoke != "":
		sent.method, sent.path = http.MethodPost, at(k.revoke, before)
	}
	_, err := k.guarded(ctx, c, before, known, sent)
	if errors.Is(err, errGone) || hasStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// guarded sends a change of an object unless its values differ from the known ones. A change of something else in it,
// as by a pause or by the resource of its grants, is no reason to refuse.
func (k *kind) guarded(ctx context.Context, c *client, object, known document, sent call) (document, error) {
	for race := 1; ; race++ {
		current, etag, err := k.read(ctx, c, object)
		if err != nil {
			return nil, err
		}
		if found := k.differences(known, k.values(current)); len(found) > 0 {
			return nil, &problem{
				Status: http.StatusPreconditionFailed, Detail: "changed since it was read: " + strings.Join(found, "; "),
			}
		}
		sent.match = etag
		answer, _, err := c.send(ctx, sent)
		if race == races || !hasStatus(err, http.StatusPreconditionFailed) {
			return answer, err
		}
	}
}

// values returns the values of an answer that a configuration can set, as the server compares them.
func (k *kind) values(answer document) document {
	found := document{}
	for _, each := range k.fields {
		if each.isSent() && answer[each.name] != nil {
			found[each.name] = answer[each.name]
		}
	}
	return found
}

// differences returns one text for each attribute whose value is another one; none if nothing is known.
func (k *kind) differences(known, current document) []string {
	found := []string{}
	if known == nil {
		return found
	}
	for _, each := range k.fields {
		if !each.isEqual(known[each.name], current[each.name]) {
			found = append(found, fmt.Sprintf("%s was %s and is %s", each.name, text(known[each.name]), text(current[each.name])))
		}
	}
	return found
}
