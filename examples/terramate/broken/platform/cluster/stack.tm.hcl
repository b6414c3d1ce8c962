stack {
  id    = "cluster"
  tags  = ["platform"]
  after = ["tag:network"]
}
