terramate {
  required_version = ">= 0.14.0"
}
