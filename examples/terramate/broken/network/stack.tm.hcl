stack {
  id    = "network"
  tags  = ["network"]
  after = ["/platform/cluster"] # and the cluster runs after the network
}
