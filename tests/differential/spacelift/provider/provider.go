package main

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Terraform requires no more of a provider of these resources than this.
type provider struct {
	tfprotov6.ProviderServer
	tables  map[string]*table
	account *account
}

func (p *provider) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return &tfprotov6.GetMetadataResponse{}, nil
}

func (p *provider) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	own := &tfprotov6.SchemaBlock{}
	for _, name := range []string{"api_key_endpoint", "api_key_id", "api_key_secret", "api_token"} {
		argument := &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Optional: true}
		own.Attributes = append(own.Attributes, argument)
	}
	response := &tfprotov6.GetProviderSchemaResponse{
		Provider:          &tfprotov6.Schema{Block: own},
		ResourceSchemas:   map[string]*tfprotov6.Schema{},
		DataSourceSchemas: map[string]*tfprotov6.Schema{},
	}
	for name, table := range p.tables {
		word, ty, _ := strings.Cut(name, " ")
		if word == "data" {
			response.DataSourceSchemas[ty] = &tfprotov6.Schema{Block: table.schema}
		} else {
			response.ResourceSchemas[ty] = &tfprotov6.Schema{Block: table.schema}
		}
	}
	return response, nil
}

func (p *provider) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (p *provider) ValidateProviderConfig(_ context.Context, r *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (p *provider) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (p *provider) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (p *provider) ValidateResourceConfig(_ context.Context, r *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: p.wrong("resource "+r.TypeName, r.Config)}, nil
}

func (p *provider) ValidateDataResourceConfig(_ context.Context, r *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: p.wrong("data "+r.TypeName, r.Config)}, nil
}

func (p *provider) wrong(name string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	table := p.tables[name]
	value, err := config.Unmarshal(table.schema.ValueType())
	if err != nil {
		return diagnostics(err.Error())
	}
	var found []string
	table.check(value, &found)
	return diagnostics(found...)
}

func diagnostics(texts ...string) []*tfprotov6.Diagnostic {
	var found []*tfprotov6.Diagnostic
	for _, text := range texts {
		found = append(found, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: text})
	}
	return found
}

func (p *provider) UpgradeResourceState(_ context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	ty := p.tables["resource "+r.TypeName].schema.ValueType()
	value, err := r.RawState.Unmarshal(ty)
	if err != nil {
		return nil, err
	}
	state, err := tfprotov6.NewDynamicValue(ty, value)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &state}, err
}

func (p *provider) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState}, nil
}

func (p *provider) ImportResourceState(_ context.Context, r *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	ty := p.tables["resource "+r.TypeName].schema.ValueType()
	all := map[string]tftypes.Value{}
	for name, field := range ty.(tftypes.Object).AttributeTypes {
		all[name] = tftypes.NewValue(field, nil)
		if p.tables["resource "+r.TypeName].blocks[name] != nil {
			all[name] = tftypes.NewValue(field, []tftypes.Value{})
		}
	}
	all["id"] = tftypes.NewValue(tftypes.String, r.ID)
	state, err := tfprotov6.NewDynamicValue(ty, tftypes.NewValue(ty, all))
	imported := []*tfprotov6.ImportedResource{{TypeName: r.TypeName, State: &state}}
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: imported}, err
}

func (p *provider) PlanResourceChange(_ context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	table := p.tables["resource "+r.TypeName]
	planned, err := table.filled(r.ProposedNewState, func(_ string, ty tftypes.Type) tftypes.Value {
		return tftypes.NewValue(ty, tftypes.UnknownValue)
	})
	// Terraform takes defaults only of providers that are built with the older library, as most resources of Spacelift's are.
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, UnsafeToUseLegacyTypeSystem: true}, err
}

func (p *provider) ApplyResourceChange(_ context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	table := p.tables["resource "+r.TypeName]
	ty := table.schema.ValueType()
	prior, err := r.PriorState.Unmarshal(ty)
	if err != nil {
		return nil, err
	}
	planned, err := r.PlannedState.Unmarshal(ty)
	if err != nil {
		return nil, err
	}
	if r.TypeName == "spacelift_stack_dependency" {
		before, after := fields(prior), fields(planned)
		if len(before) > 0 {
			err = p.account.forget(textOf(before["stack_id"]), textOf(before["depends_on_stack_id"]))
		}
		if err == nil && len(after) > 0 {
			err = p.account.depend(textOf(after["stack_id"]), textOf(after["depends_on_stack_id"]))
		}
		if err != nil {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PriorState, Diagnostics: diagnostics(err.Error())}, nil
		}
	}
	slug := strings.ToLower(strings.ReplaceAll(textOf(fields(planned)["name"]), " ", "-"))
	if written, known := text(fields(planned)["slug"]); known {
		slug = written
	}
	if r.TypeName == "spacelift_stack_dependency" {
		slug = textOf(fields(planned)["stack_id"]) + "/" + textOf(fields(planned)["depends_on_stack_id"])
	}
	state, err := table.filled(r.PlannedState, known(slug))
	return &tfprotov6.ApplyResourceChangeResponse{NewState: state, UnsafeToUseLegacyTypeSystem: true}, err
}

func (p *provider) ReadDataSource(_ context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	table := p.tables["data "+r.TypeName]
	config, err := r.Config.Unmarshal(table.schema.ValueType())
	if err != nil {
		return nil, err
	}
	state, err := table.filled(r.Config, known(textOf(fields(config)["stack_id"])))
	return &tfprotov6.ReadDataSourceResponse{State: state}, err
}

func textOf(value tftypes.Value) string {
	found, _ := text(value)
	return found
}

// The values that the API provides: this one for an ID and a slug.
func known(id string) func(string, tftypes.Type) tftypes.Value {
	return func(name string, ty tftypes.Type) tftypes.Value {
		switch {
		case name == "id" || name == "slug":
			return tftypes.NewValue(ty, id)
		case ty.Is(tftypes.String):
			return tftypes.NewValue(ty, "given")
		case ty.Is(tftypes.Bool):
			return tftypes.NewValue(ty, false)
		case ty.Is(tftypes.Number):
			return tftypes.NewValue(ty, 0)
		case ty.Is(tftypes.Map{}):
			return tftypes.NewValue(ty, map[string]tftypes.Value{})
		default:
			return tftypes.NewValue(ty, []tftypes.Value{})
		}
	}
}

// A state with a value for each attribute that the provider computes and that has none yet.
func (t *table) filled(state *tfprotov6.DynamicValue, give func(string, tftypes.Type) tftypes.Value) (*tfprotov6.DynamicValue, error) {
	ty := t.schema.ValueType()
	value, err := state.Unmarshal(ty)
	if err != nil {
		return nil, err
	}
	value, err = t.fill(value, give)
	if err != nil {
		return nil, err
	}
	made, err := tfprotov6.NewDynamicValue(ty, value)
	return &made, err
}

func (t *table) fill(value tftypes.Value, give func(string, tftypes.Type) tftypes.Value) (tftypes.Value, error) {
	all := fields(value)
	if len(all) == 0 {
		return value, nil
	}
	for _, attribute := range t.schema.Attributes {
		field := all[attribute.Name]
		if attribute.Computed && (field.IsNull() || !field.IsKnown()) {
			all[attribute.Name] = give(attribute.Name, attribute.Type)
		}
	}
	for _, rule := range t.rules {
		if field := all[rule.name]; rule.unset != nil && field.IsNull() {
			all[rule.name] = tftypes.NewValue(field.Type(), rule.unset)
		}
	}
	for name, inner := range t.blocks {
		list := items(all[name])
		for i, item := range list {
			filled, err := inner.fill(item, give)
			if err != nil {
				return value, err
			}
			list[i] = filled
		}
		if len(list) > 0 {
			all[name] = tftypes.NewValue(all[name].Type(), list)
		}
	}
	return tftypes.NewValue(value.Type(), all), nil
}
