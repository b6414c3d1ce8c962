stack {
  id    = "database"
  tags  = ["platform"]
  after = ["../clutser", "tag:netwrok"]
}
