terramate {
  required_version = ">= 0.14.0"

  config {
    experiments = ["outputs-sharing"]
  }
}

sharing_backend "default" {
  type     = terraform
  filename = "shared.tf"
  command  = ["terraform", "output", "-json"]
}
