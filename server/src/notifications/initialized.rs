//! `initialized`: the client is ready; [`State::begin`] has scanned the folders by now.

use crate::params::Ignored;
use crate::state::State;

pub(crate) fn handle(_: &mut State, _: Ignored) {}
