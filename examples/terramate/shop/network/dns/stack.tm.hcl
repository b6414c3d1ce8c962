# Runs after /network, because it lies below it.
stack {
  name = "dns"
  id   = "dns"
  tags = ["network"]
}
