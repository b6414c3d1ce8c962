//! `initialized`: the client is ready; [`State::begin`] has scanned the folders by now.

use crate::params::Ignored;
use crate::state::State;

pub(crate) fn handle(state: &mut State, _: Ignored) {
    // Other clients would not know the notification.
    if state.supports().commands {
        state.tell_status();
    }
}
