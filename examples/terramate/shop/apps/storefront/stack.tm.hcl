stack {
  name  = "storefront"
  id    = "storefront"
  tags  = ["app"]
  after = ["tag:platform"]
}
