stack {
  id    = "storefront"
  after = ["platform", "/platform/*"]
}
