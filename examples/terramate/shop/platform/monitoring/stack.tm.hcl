stack {
  name      = "monitoring"
  id        = "monitoring"
  tags      = ["platform"]
  after     = ["../cluster"]
  wanted_by = ["/apps"] # whoever runs an application runs this as well
}
