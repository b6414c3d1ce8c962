resource "spacelift_stack" "x" {
  name       = "x"
  repository = "r"
  branch     = "main"
}
