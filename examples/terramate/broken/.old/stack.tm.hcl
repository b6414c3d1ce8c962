stack {
  id = "old"
}
