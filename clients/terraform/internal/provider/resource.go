package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// known is the key of the private state with the values that the server answered last. The state has them as they were
// written: a value of the server is drift if it differs from this answer, and not because it is written in another unit.
const known = "known"

// object is the resource of a kind.
type object struct {
	kind   *kind
	client *client
}

// private is the private state of a request or a response.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func (o *object) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + o.kind.name
}

func (o *object) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = schema.Schema{Description: o.kind.about, Attributes: attributes(o.kind.fields)}
}

func (o *object) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	o.client, _ = request.ProviderData.(*client)
}

func (o *object) ImportState(
	ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse,
) {
	resource.ImportStatePassthroughID(ctx, path.Root(o.kind.identity()), request, response)
}

func (o *object) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	wanted := toObject(request.Plan.Raw)
	answer, err := o.kind.create(ctx, o.client, wanted)
	if err != nil {
		bare := ""
		if o.kind.collection == "" {
			bare = o.kind.bare
		}
		o.kind.report(&response.Diagnostics, o.kind.existing(err), bare)
		return
	}
	o.kind.notes(&response.Diagnostics, answer)
	response.State.Raw = o.planned(&response.Diagnostics, request.Plan.Raw, answer)
	o.remember(ctx, response.Private, &response.Diagnostics, o.kind.values(answer))
}

func (o *object) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	answer, _, err := o.kind.read(ctx, o.client, toObject(request.State.Raw))
	if errors.Is(err, errGone) {
		response.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		o.kind.report(&response.Diagnostics, err, "")
		return
	}
	before, current := o.known(ctx, request.Private), o.kind.values(answer)
	values := as[map[string]tftypes.Value](request.State.Raw)
	for _, each := range o.kind.fields {
		switch {
		case each.has(local | secret):
		case each.isSent() && before != nil &&
			(each.isHidden(answer) || each.isEqual(before[each.name], current[each.name])):
			if value, ok := before[each.name]; ok {
				current[each.name] = value
			}
		default:
			values[each.name] = o.value(&response.Diagnostics, each, answer, request.State.Raw)
		}
	}
	response.State.Raw = tftypes.NewValue(request.State.Raw.Type(), values)
	o.remember(ctx, response.Private, &response.Diagnostics, current)
}

func (o *object) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	before, wanted := toObject(request.State.Raw), toObject(request.Plan.Raw)
	var answer document
	var err error
	if !equal(o.kind.body(before, false), o.kind.body(wanted, false)) {
		answer, err = o.kind.replace(ctx, o.client, before, wanted, o.known(ctx, request.Private))
	} else {
		answer, _, err = o.kind.read(ctx, o.client, before)
	}
	if err == nil && o.kind.rotate != "" && !equal(before["rotation"], wanted["rotation"]) {
		answer, _, err = o.client.send(ctx, call{method: http.MethodPost, path: at(o.kind.rotate, before)})
	}
	if err != nil {
		o.kind.report(&response.Diagnostics, err, o.kind.bare)
		return
	}
	o.kind.notes(&response.Diagnostics, answer)
	response.State.Raw = o.planned(&response.Diagnostics, request.Plan.Raw, answer)
	o.remember(ctx, response.Private, &response.Diagnostics, o.kind.values(answer))
}

func (o *object) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	err := o.kind.remove(ctx, o.client, toObject(request.State.Raw), o.known(ctx, request.Private))
	if err != nil {
		o.kind.report(&response.Diagnostics, err, "")
	}
}

// planned returns the planned state with the server's values where they were unknown.
func (o *object) planned(diagnostics *diag.Diagnostics, plan tftypes.Value, answer document) tftypes.Value {
	values := as[map[string]tftypes.Value](plan)
	for _, each := range o.kind.fields {
		if !values[each.name].IsFullyKnown() {
			values[each.name] = o.value(diagnostics, each, answer, plan)
		}
	}
	return tftypes.NewValue(plan.Type(), values)
}

// value returns the value that an attribute of a state or plan has in an answer.
func (o *object) value(diagnostics *diag.Diagnostics, of field, answer document, within tftypes.Value) tftypes.Value {
	if of.name == "id" && answer["id"] == nil {
		answer["id"] = o.kind.name
	}
	kind := within.Type().(tftypes.Object).AttributeTypes[of.name]
	found, err := toValue(answer[of.source()], kind)
	if err != nil {
		diagnostics.AddAttributeError(path.Root(of.name), o.kind.title(), err.Error())
		return tftypes.NewValue(kind, nil)
	}
	return found
}

func (o *object) known(ctx context.Context, state private) document {
	stored, _ := state.GetKey(ctx, known)
	var found document
	if stored == nil || decode(stored, &found) != nil {
		return nil
	}
	return found
}

func (o *object) remember(ctx context.Context, state private, diagnostics *diag.Diagnostics, values document) {
	stored, err := json.Marshal(values)
	if err != nil {
		diagnostics.AddError(o.kind.title(), err.Error())
		return
	}
	diagnostics.Append(state.SetKey(ctx, known, stored)...)
}
