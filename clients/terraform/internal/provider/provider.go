// Package provider is the provider of OpenTofu and Terraform. Its resources are the objects of the HTTP API, which one
// mechanism (object) drives by a table (kinds).
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type packhouse struct{}

// New returns the provider.
func New() provider.Provider { return packhouse{} }

func (packhouse) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "packhouse"
}

func (packhouse) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = schema.Schema{
		Description: "Catalogs, policies, tables, keys, webhooks and Spark endpoints of Packhouse.",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{
				Optional: true, Description: "Address of the server; otherwise PACKHOUSE_URL.",
			},
			"api_key": schema.StringAttribute{
				Optional: true, Sensitive: true, Description: "API key; otherwise PACKHOUSE_API_KEY.",
			},
			"message": schema.StringAttribute{
				Optional: true, Description: "Message that each written version of a policy keeps.",
			},
		},
	}
}

func (packhouse) Configure(
	ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse,
) {
	var given struct {
		URL     types.String `tfsdk:"url"`
		Key     types.String `tfsdk:"api_key"`
		Message types.String `tfsdk:"message"`
	}
	response.Diagnostics.Append(request.Config.Get(ctx, &given)...)
	if given.URL.IsUnknown() || given.Key.IsUnknown() || response.Diagnostics.HasError() {
		return
	}
	address, key := or(given.URL.ValueString(), "PACKHOUSE_URL"), or(given.Key.ValueString(), "PACKHOUSE_API_KEY")
	if key == "" {
		response.Diagnostics.AddAttributeError(path.Root("api_key"), "the provider has no API key",
			"give api_key, or set PACKHOUSE_API_KEY")
	}
	made, err := newClient(address, key, given.Message.ValueString())
	if err != nil {
		response.Diagnostics.AddAttributeError(path.Root("url"), "the provider can't use its url",
			"url: "+err.Error()+", in url or PACKHOUSE_URL")
		return
	}
	response.ResourceData, response.DataSourceData = made, made
}

func or(value, variable string) string {
	if value != "" {
		return value
	}
	return os.Getenv(variable)
}

func (packhouse) Resources(context.Context) []func() resource.Resource {
	made := []func() resource.Resource{}
	for _, each := range kinds {
		made = append(made, func() resource.Resource { return &object{kind: each} })
	}
	return made
}

func (packhouse) DataSources(context.Context) []func() datasource.DataSource {
	made := []func() datasource.DataSource{}
	for _, each := range sources {
		made = append(made, func() datasource.DataSource { return &source{found: each} })
	}
	return made
}
