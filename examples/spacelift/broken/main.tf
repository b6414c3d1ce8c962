resource "spacelift_stack" "network" {
  name       = "Network"
  repository = "platform"
  branch     = "main"
}

resource "spacelift_stack" "database" {
  name       = "Database"
  repository = "platform"
  branch     = "main"
}

resource "spacelift_stack" "app" {
  name       = "App"
  repository = "platform"
  branch     = "main"
}

# Terraform accepts this ring: only the API refuses it, half way through the apply.
resource "spacelift_stack_dependency" "app_on_database" {
  stack_id            = spacelift_stack.app.id
  depends_on_stack_id = spacelift_stack.database.id
}

resource "spacelift_stack_dependency" "database_on_network" {
  stack_id            = spacelift_stack.database.id
  depends_on_stack_id = spacelift_stack.network.id
}

resource "spacelift_stack_dependency" "network_on_app" {
  stack_id            = spacelift_stack.network.id
  depends_on_stack_id = spacelift_stack.app.id
}

# The same two stacks again, by the id that Spacelift probably makes of the name.
resource "spacelift_stack_dependency" "by_slug" {
  stack_id            = spacelift_stack.app.id
  depends_on_stack_id = "database"
}

# Nothing is declared under this name.
resource "spacelift_stack_dependency_reference" "cidr" {
  stack_dependency_id = spacelift_stack_dependency.database_on_netwrk.id
  output_name         = "cidr"
  input_name          = "TF_VAR_cidr"
}
