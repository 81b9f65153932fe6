// Command terraform-provider-packhouse is the provider of OpenTofu and Terraform for Packhouse.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"packhouse/terraform-provider-packhouse/internal/provider"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.opentofu.org/packhouse/packhouse"}
	if err := providerserver.Serve(context.Background(), provider.New, options); err != nil {
		log.Fatal(err)
	}
}
