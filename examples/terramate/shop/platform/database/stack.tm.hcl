stack {
  name  = "database"
  id    = "database"
  tags  = ["platform", "data"]
  after = ["/network"]
  watch = ["/config/database.json"]
}
