//! Starts `applyorder server` in Zed, with the settings under `lsp.applyorder`.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json, Command, LanguageServerId, Result, Worktree};

struct Applyorder;

impl zed::Extension for Applyorder {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let (path, arguments) = binary.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path
            .or_else(|| worktree.which("applyorder"))
            .ok_or("applyorder is neither on the PATH nor in the settings: `lsp.applyorder.binary.path`")?;
        Ok(Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["server".to_owned()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?.settings;
        Ok(settings.map(|settings| serde_json::json!({ "applyorder": settings })))
    }
}

zed::register_extension!(Applyorder);
