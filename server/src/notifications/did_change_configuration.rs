//! `workspace/didChangeConfiguration`: the client's settings are others.

use crate::params::Configuration;
use crate::settings::Settings;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: Configuration) {
    // Clients that keep their settings to themselves send null.
    if !params.settings.is_null() {
        let settings = Settings::read(state.engines, &params.settings);
        if settings != state.settings {
            let limited_otherwise = settings.run_options() != state.settings.run_options();
            if limited_otherwise {
                state.workspace.set_options(settings.run_options());
            }
            let shown_otherwise = settings.shows() != state.settings.shows();
            state.settings = settings;
            if shown_otherwise {
                state.refresh_shown();
            }
            if limited_otherwise && state.supports().commands {
                state.tell_status();
            }
        }
    }
    state.reload_configs();
}
