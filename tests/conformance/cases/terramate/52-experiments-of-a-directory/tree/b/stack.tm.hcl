stack {
  after = ["/a"]
}
