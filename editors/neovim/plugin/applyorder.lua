-- Neovim treats every `.tm` file as a Tcl module. Below the root of a Terramate project it belongs to Terramate. And
-- Neovim does not know `.tofu`. Copy to ~/.config/nvim/plugin/.

-- Whether a file is in a Terramate project, according to a file above it or its own text.
local function is_terramate(path, buffer)
  local markers = { 'terramate.tm', 'terramate.tm.hcl', '.tmskip', '.tmtriggers' }
  if vim.fs.root(path, markers) then
    return true
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 200, false)) do
    if line:match('^stack%s*{') or line:match('^terramate%s*{') or line:match('^globals%s.*{') then
      return true
    end
  end
  return false
end

vim.filetype.add({
  extension = {
    tm = function(path, buffer)
      return is_terramate(path, buffer) and 'hcl' or 'tcl'
    end,
    tofu = 'terraform',
  },
  pattern = { ['.*%.tm%.hcl'] = 'hcl' },
})
