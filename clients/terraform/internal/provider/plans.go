package provider

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ModifyPlan plans only changes that mean something else, and asks the server whether it would refuse them.
func (o *object) ModifyPlan(
	ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) {
	if o.client == nil { // the provider's configuration is not known yet
		return
	}
	if request.Plan.Raw.IsNull() {
		before := toObject(request.State.Raw)
		o.try(ctx, &response.Diagnostics, before, document{"change": "delete"})
		return
	}
	planned := as[map[string]tftypes.Value](request.Plan.Raw)
	o.fillIn(&response.Diagnostics, request.Config.Raw, planned)
	changed := map[string]bool{}
	if !request.State.Raw.IsNull() {
		changed = o.keep(as[map[string]tftypes.Value](request.State.Raw), planned, response)
	}
	response.Plan.Raw = tftypes.NewValue(request.Plan.Raw.Type(), planned)
	if isNew := request.State.Raw.IsNull(); isNew || changed["policy"] {
		o.tryPolicy(ctx, &response.Diagnostics, planned, isNew)
	}
}

// fillIn sets the attributes that are not configured to the values that the server would fill in.
func (o *object) fillIn(diagnostics *diag.Diagnostics, config tftypes.Value, planned map[string]tftypes.Value) {
	configured := as[map[string]tftypes.Value](config)
	for _, each := range o.kind.fields {
		if each.def != nil && configured[each.name].IsNull() {
			planned[each.name] = o.value(diagnostics, field{name: each.name}, document{each.name: each.def}, config)
		}
	}
}

// keep plans the present value of each attribute that keeps its meaning, and returns the names of the other ones.
func (o *object) keep(
	present, planned map[string]tftypes.Value, response *resource.ModifyPlanResponse,
) map[string]bool {
	changed, replaces := map[string]bool{}, false
	for _, each := range o.kind.fields {
		if each.has(computed|secret) || each.isSame(planned[each.name], present[each.name]) {
			planned[each.name] = present[each.name]
			continue
		}
		changed[each.name] = true
		if each.has(fixed | addressed) {
			replaces = true
			response.RequiresReplace = append(response.RequiresReplace, path.Root(each.name))
		}
	}
	for _, each := range o.kind.fields {
		if (replaces && each.has(computed|secret)) || (each.has(secret) && changed["rotation"]) {
			planned[each.name] = tftypes.NewValue(present[each.name].Type(), tftypes.UnknownValue)
		}
	}
	return changed
}

func (f field) isSame(planned, present tftypes.Value) bool {
	if !planned.IsFullyKnown() || planned.IsNull() != present.IsNull() {
		return false
	}
	return f.isEqual(toJSON(planned), toJSON(present))
}

// isEqual returns whether two values of the attribute mean the same.
func (f field) isEqual(one, other any) bool {
	if f.has(measured) {
		return sameMeaning(f.name, one, other)
	}
	return equal(one, other)
}

// tryPolicy sends a planned policy to the server's preview, as far as all of it is known.
func (o *object) tryPolicy(
	ctx context.Context, diagnostics *diag.Diagnostics, planned map[string]tftypes.Value, isNew bool,
) {
	change := document{"change": "replace"}
	wanted := document{}
	for _, each := range o.kind.fields {
		if !planned[each.name].IsFullyKnown() {
			return
		}
		wanted[each.name] = toJSON(planned[each.name])
	}
	if isNew && o.kind.collection != "" {
		change = document{"change": "create", "scope": wanted["scope"]}
	}
	change["policy"] = wanted["policy"]
	o.try(ctx, diagnostics, wanted, change)
}

// try adds a diagnostic for each reason for which the server would refuse a change.
func (o *object) try(ctx context.Context, diagnostics *diag.Diagnostics, wanted, change document) {
	if o.kind.preview == "" {
		return
	}
	found, _, err := o.client.send(ctx, call{method: http.MethodPost, path: at(o.kind.preview, wanted), body: change})
	switch {
	case hasStatus(err, http.StatusNotFound) && change["change"] == "delete": // it is deleted already
		return
	case change["change"] == "create" && isOfExisting(err):
		diagnostics.AddAttributeWarning(path.Root("scope"), "packhouse_policy exists",
			withRemedy(err.Error(), "unless this plan replaces it, import it by its name"))
		o.try(ctx, diagnostics, wanted, document{"change": "replace", "policy": change["policy"]})
		return
	case isMissingCatalog(err):
		diagnostics.AddAttributeWarning(path.Root("scope"), "packhouse_policy can't be checked yet",
			err.Error()+": this plan has to create it, and the policy has to depend on it")
		return
	case err != nil:
		o.kind.report(diagnostics, err, "")
		return
	}
	contradictions, _ := found["contradictions"].([]any)
	for _, each := range contradictions {
		if each, ok := each.(document); ok {
			hint, _ := each["hint"].(string)
			diagnostics.AddWarning("packhouse_"+o.kind.name+": contradiction", withRemedy(fmt.Sprint(each["message"]), hint))
		}
	}
	deleted, ok := found["deletions"].(document)
	switch {
	case ok && wanted["acknowledge"] == nil:
		o.kind.reportDeletions(diagnostics, deleted)
	case ok:
		diagnostics.AddAttributeWarning(path.Root("policy"), "packhouse_"+o.kind.name+" deletes", deletions(deleted))
	}
}

// isMissingCatalog returns whether the only reason of a refusal is a catalog that the same plan may create.
func isMissingCatalog(err error) bool {
	refused, ok := err.(*problem)
	return ok && len(refused.Errors) == 1 && refused.Errors[0].Pointer == "/scope/catalog"
}
