//! Lists of a configuration whose entries have names that tell them apart.

use serde::{Deserialize, Deserializer};

/// An entry with a name.
pub trait Named {
    /// The name; empty where none is written.
    fn name(&self) -> &str;
}

/// Reads a list in which each name may occur once.
///
/// # Errors
/// When the list cannot be read, or two entries have the same name.
pub fn named_once<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Named,
{
    let all = Vec::<T>::deserialize(from)?;
    let mut names: Vec<&str> = all.iter().map(Named::name).filter(|n| !n.is_empty()).collect();
    names.sort_unstable();
    let twice = names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b);
    match twice {
        Some((name, _)) => Err(serde::de::Error::custom(format!("duplicate name `{name}`"))),
        None => Ok(all),
    }
}
