-- applyorder for Neovim 0.11 and later: copy to ~/.config/nvim/lsp/ and call
-- vim.lsp.enable('applyorder'). The server is `applyorder` on the PATH. For `.tm` files see ../plugin/applyorder.lua.

-- The directory whose projects are analyzed: the repository, so that one server sees projects that affect each other;
-- else the directory of the nearest configuration or root.
local function workspace(buffer)
  for _, markers in ipairs({ { '.git' }, { 'applyorder.toml', '.applyorder.toml' }, { 'tazuna.yaml', 'terramate.tm.hcl', 'terramate.tm' } }) do
    local dir = vim.fs.root(buffer, markers)
    if dir then
      return dir
    end
  end
end

---@type vim.lsp.Config
return {
  cmd = { 'applyorder', 'server' },
  -- A `.tf` that is still empty is of type `tf`.
  filetypes = { 'yaml', 'terraform', 'tf', 'hcl', 'toml' },
  root_dir = function(buffer, on_dir)
    local dir = workspace(buffer)
    -- Among TOML files, only the configuration is handled.
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
    if vim.bo[buffer].filetype == 'toml' and not name:match('^%.?applyorder%.toml$') then
      return
    end
    if dir then
      on_dir(dir)
    end
  end,
}
