terramate {
  required_version                   = "> 0.0.1"
  required_version_allow_prereleases = true
}
