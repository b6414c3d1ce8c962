stack {
  name  = "cluster"
  id    = "cluster"
  tags  = ["platform"]
  after = ["/network"] # the stacks in it, /network/dns too
}

input "vpc_id" {
  backend       = "default"
  from_stack_id = "network"
  value         = outputs.vpc_id.value
}
