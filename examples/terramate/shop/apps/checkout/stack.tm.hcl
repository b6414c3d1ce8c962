stack {
  name  = "checkout"
  id    = "checkout"
  tags  = ["app"]
  after = ["tag:platform", "../storefront"]
}
