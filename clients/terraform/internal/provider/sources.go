package provider

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// sources are the data sources; `table` is the id or the address of a table.
var sources = []*kind{
	{
		name: "table", path: "/v1/tables/{table}", about: "A registered table.",
		fields: []field{
			given("id", "Id of the table."), given("catalog", "Name of the catalog."),
			{name: "namespace", of: levels, about: "Levels of the namespace."}, given("name", "Name of the table."),
			given("owner_team", "Team that owns it."), {name: "labels", of: texts, about: "Its labels."},
			given("uuid", "Id that the table's metadata has."), given("location", "Address of the table's folder."),
		},
	},
	{
		name: "effective_policy", path: "/v1/tables/{table}/effective-policy",
		about: "The settings that apply to a table, each with its value and the policy that it comes from.",
		fields: []field{
			given("table_id", "Id of the table."),
			{name: "settings", of: types.DynamicType, about: "By dotted name: `value` and `origin`."},
		},
	},
}

// source is a data source: one answer of the API.
type source struct {
	found  *kind
	client *client
}

func (s *source) Metadata(
	_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse,
) {
	response.TypeName = request.ProviderTypeName + "_" + s.found.name
}

func (s *source) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"table": schema.StringAttribute{Required: true, Description: "Id or address (`lake.shop.orders`) of the table."},
	}
	for _, each := range s.found.fields {
		switch each.of {
		case levels:
			attributes[each.name] = schema.ListAttribute{
				Computed: true, ElementType: types.StringType, Description: each.about,
			}
		case texts:
			attributes[each.name] = schema.MapAttribute{
				Computed: true, ElementType: types.StringType, Description: each.about,
			}
		case types.DynamicType:
			attributes[each.name] = schema.DynamicAttribute{Computed: true, Description: each.about}
		default:
			attributes[each.name] = schema.StringAttribute{Computed: true, Description: each.about}
		}
	}
	response.Schema = schema.Schema{Description: s.found.about, Attributes: attributes}
}

func (s *source) Configure(
	_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	s.client, _ = request.ProviderData.(*client)
}

func (s *source) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	wanted := call{method: http.MethodGet, path: at(s.found.path, toObject(request.Config.Raw))}
	answer, _, err := s.client.send(ctx, wanted)
	if err != nil {
		s.found.report(&response.Diagnostics, err, "")
		return
	}
	values := as[map[string]tftypes.Value](request.Config.Raw)
	for _, each := range s.found.fields {
		values[each.name], err = toValue(answer[each.name], request.Config.Raw.Type().(tftypes.Object).AttributeTypes[each.name])
		if err != nil {
			s.found.report(&response.Diagnostics, err, "")
			return
		}
	}
	response.State.Raw = tftypes.NewValue(request.Config.Raw.Type(), values)
}
