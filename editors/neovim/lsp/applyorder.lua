-- applyorder for Neovim 0.11 and later: copy to ~/.config/nvim/lsp/ and call
-- vim.lsp.enable('applyorder'). The server is `applyorder` on the PATH.

--- The directory whose projects are analysed: that of the nearest configuration, else the
--- repository, so that projects that touch each other are seen together.
local function workspace(buffer)
  for _, markers in ipairs({ { 'applyorder.toml', '.applyorder.toml' }, { '.git' }, { 'tazuna.yaml' } }) do
    local dir = vim.fs.root(buffer, markers)
    if dir then
      return dir
    end
  end
end

---@type vim.lsp.Config
return {
  cmd = { 'applyorder', 'server' },
  filetypes = { 'yaml', 'terraform', 'hcl' },
  root_dir = function(buffer, on_dir)
    local dir = workspace(buffer)
    if dir then
      on_dir(dir)
    end
  end,
}
