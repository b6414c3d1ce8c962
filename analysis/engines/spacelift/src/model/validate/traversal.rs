//! Whether the schema of a resource has what follows its name.

use applyorder_syntax::hcl::eval;

use super::references::Step;
use super::unknown;
use crate::schema::Block;

/// Why a block of the provider has nothing at these steps; `None` if it has something, as far as its schema
/// shows.
///
/// Source: `StaticValidateTraversal` of Terraform 1.11. A block of the provider in another one is in a list or a set.
pub(super) fn refused(schema: &Block, steps: &[Step<'_>]) -> Option<String> {
    let mut block = schema;
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        let Step::Attr(name) = step else {
            return Some("Only attribute access is allowed here, using the dot operator.".to_owned());
        };
        if let Some(attribute) = block.attributes.get(name) {
            let value = unknown(attribute.ty.clone());
            let found = steps.try_fold(value, |value, step| match step {
                Step::Attr(name) => eval::get_attr(&value, name),
                Step::Key(key) => eval::index(&value, &key.value()),
            });
            return found.err();
        }
        let Some(nested) = block.blocks.get(name) else {
            return Some(format!(
                "This object does not have an attribute named \"{name}\"."
            ));
        };
        match steps.next() {
            Some(Step::Attr(_)) => {
                return Some(format!(
                    "The blocks \"{name}\" are a list of objects, so a key is required behind the name: \
                     \"{name}[0]\"."
                ));
            }
            Some(Step::Key(_)) => block = &nested.block,
            None => {}
        }
    }
    None
}
