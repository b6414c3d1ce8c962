stack {
}

terramate {
  config {
    experiments = ["scripts"]
  }
}

script "plan" {
  job {
    command = ["true"]
  }
}
