package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// remedies has what to do, by the status of the server's answer.
var remedies = map[int]string{
	http.StatusUnauthorized:       "give a valid key as api_key of the provider, or in PACKHOUSE_API_KEY",
	http.StatusForbidden:          "`packhouse whoami` shows the role and teams of the key",
	http.StatusPreconditionFailed: "it was changed by another caller: plan again",
}

// report adds a diagnostic for each field that the server refuses, at its attribute, or one for the whole request.
// Bare is the attribute that was the body of the request.
func (k *kind) report(diagnostics *diag.Diagnostics, err error, bare string) {
	var refused *problem
	if !errors.As(err, &refused) {
		diagnostics.AddError(k.title(), err.Error())
		return
	}
	if deleted, ok := refused.Details["deletions"].(document); ok {
		k.reportDeletions(diagnostics, deleted)
		return
	}
	for _, each := range refused.Errors {
		k.reportField(diagnostics, each, bare)
	}
	if len(refused.Errors) == 0 {
		diagnostics.AddError(k.title(), withRemedy(refused.Detail, remedies[refused.Status]))
	}
}

// existing adds the remedy to the refusal of a creation because the object is there.
func (k *kind) existing(err error) error {
	if !isOfExisting(err) {
		return err
	}
	remedy := fmt.Sprintf("if it is the same, import it by its %s", k.identity())
	return &problem{Status: http.StatusConflict, Detail: withRemedy(err.Error(), remedy)}
}

// isOfExisting returns whether a creation is refused because an object has the same name or place.
func isOfExisting(err error) bool {
	var refused *problem
	if !errors.As(err, &refused) {
		return false
	}
	constraint, _ := refused.Details["constraint"].(string)
	isKey := strings.HasPrefix(constraint, "pk_") || strings.HasPrefix(constraint, "uq_")
	return refused.Status == http.StatusPreconditionFailed || isKey || refused.Details["policy"] != nil
}

// notes adds what the server remarks on a change that it has made.
func (k *kind) notes(diagnostics *diag.Diagnostics, answer document) {
	found, _ := answer["notes"].([]any)
	for _, each := range found {
		diagnostics.AddWarning(fmt.Sprintf("packhouse_%s: note of the server", k.name), fmt.Sprint(each))
	}
}

func (k *kind) title() string { return fmt.Sprintf("packhouse_%s is refused", k.name) }

func withRemedy(message, remedy string) string {
	if remedy == "" {
		return message
	}
	return message + "\n→ " + remedy
}

func (k *kind) reportField(diagnostics *diag.Diagnostics, found fieldProblem, bare string) {
	steps := pointer(found.Pointer)
	if parameter, ok := strings.CutPrefix(found.Pointer, "query:"); ok {
		steps = []string{parameter}
	} else if bare != "" {
		steps = append([]string{bare}, steps...)
	}
	message := fmt.Sprintf("%s: %s", strings.Join(steps, "."), found.Message)
	if found.Value != nil {
		message += fmt.Sprintf(" (given: %s)", text(found.Value))
	}
	message = withRemedy(message, found.Hint)
	if len(steps) > 0 {
		if _, ok := k.field(steps[0]); ok { // a longer path would lose the line of the configuration
			diagnostics.AddAttributeError(path.Root(steps[0]), k.title(), message)
			return
		}
	}
	diagnostics.AddError(k.title(), message)
}

// pointer returns the steps of a JSON pointer (RFC 6901).
func pointer(text string) []string {
	steps := []string{}
	for _, each := range strings.Split(strings.TrimLeft(text, "#/"), "/") {
		if each != "" {
			steps = append(steps, strings.NewReplacer("~1", "/", "~0", "~").Replace(each))
		}
	}
	return steps
}

// reportDeletions adds an error: the change deletes files or history, and has no acknowledgement.
func (k *kind) reportDeletions(diagnostics *diag.Diagnostics, found document) {
	remedy := "give the most that may be deleted: acknowledge = \"up_to:bytes=50GB,files=10000\""
	diagnostics.AddAttributeError(path.Root("acknowledge"), k.title(), withRemedy(deletions(found), remedy))
}

// deletions returns in words what a change deletes.
func deletions(found document) string {
	tables, _ := found["by_table"].([]any)
	lines := []string{fmt.Sprintf("tables whose files or history the change deletes: %v; %s", found["table_count"], amounts(found))}
	for _, each := range tables {
		if table, ok := each.(document); ok {
			lines = append(lines, fmt.Sprintf("%v: %s", table["address"], amounts(table)))
		}
	}
	return strings.Join(lines, "\n")
}

func amounts(found document) string {
	parts := []string{}
	for _, name := range []string{"snapshots", "files", "bytes"} {
		if found[name] != nil {
			parts = append(parts, fmt.Sprintf("%v %s", found[name], name))
		}
	}
	if found["complete"] != true {
		parts = append(parts, "an unknown amount more")
	}
	return strings.Join(parts, ", ") + ", and more as history gets older"
}
