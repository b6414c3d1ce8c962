stack {
  id     = "dns"
  before = ["/network"] # what lies above runs first anyway
}
