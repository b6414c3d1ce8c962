stack {
  name = "network"
  id   = "network"
  tags = ["network"]
}
