resource "spacelift_stack" "z" {
  name       = "z"
  repository = "r"
  branch     = "main"
}
