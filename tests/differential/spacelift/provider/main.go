// A Terraform provider with the schemas of Spacelift's, and those parts of its API's behavior that affect the order.
//
// APPLYORDER_SCHEMA names the table of its resources, APPLYORDER_WORLD a file that represents the account.
package main

import (
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	tables, err := readTables(os.Getenv("APPLYORDER_SCHEMA"))
	if err != nil {
		log.Fatal(err)
	}
	provider := &provider{tables: tables, account: &account{path: os.Getenv("APPLYORDER_WORLD")}}
	server := func() tfprotov6.ProviderServer { return provider }
	if err := tf6server.Serve("registry.terraform.io/spacelift-io/spacelift", server); err != nil {
		log.Fatal(err)
	}
}
