locals {
  environments = toset(["dev", "prod"])
}

module "network" {
  source   = "./modules/stack"
  for_each = local.environments

  name = "network-${each.key}"
}

module "database" {
  source   = "./modules/stack"
  for_each = local.environments

  name      = "database-${each.key}"
  upstreams = { network = module.network[each.key].stack_id }
}

resource "spacelift_stack" "app" {
  for_each = local.environments

  name         = "app-${each.key}"
  repository   = "platform"
  branch       = "main"
  project_root = "app"
  autodeploy   = true
}

resource "spacelift_stack_dependency" "app_on_database" {
  for_each = local.environments

  stack_id            = spacelift_stack.app[each.key].id
  depends_on_stack_id = module.database[each.key].stack_id
}

resource "spacelift_stack_dependency_reference" "connection" {
  for_each = local.environments

  stack_dependency_id = spacelift_stack_dependency.app_on_database[each.key].id
  output_name         = "connection_string"
  input_name          = "TF_VAR_connection_string"
}
