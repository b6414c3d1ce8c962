//! Spacelift: stacks that depend on each other, declared in Terraform's or OpenTofu's HCL.
#![allow(dead_code)]

mod discover;
mod invocation;
mod load;
mod model;
mod read;
mod schema;
