variable "name" {
  type = string
}

variable "upstreams" {
  type    = map(string)
  default = {}
}

resource "spacelift_stack" "this" {
  name         = var.name
  repository   = "platform"
  branch       = "main"
  project_root = "stacks/${var.name}"
  autodeploy   = true
}

resource "spacelift_stack_dependency" "this" {
  for_each = var.upstreams

  stack_id            = spacelift_stack.this.id
  depends_on_stack_id = each.value
}

output "stack_id" {
  value = spacelift_stack.this.id
}
