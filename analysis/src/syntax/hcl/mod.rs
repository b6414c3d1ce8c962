//! hcl
