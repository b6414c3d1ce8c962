-- Checks `applyorder server` inside a real Neovim with the setup that editors/neovim ships:
--   WORKSPACE=DIR nvim --headless --clean -n --cmd 'set rtp^=editors/neovim' -l tests/e2e/nvim.lua
-- WORKSPACE holds copies of examples/tazuna/broken and shop; `applyorder` is on the PATH.
-- Ends with "N passed, N failed" and exits non-zero if a check failed.
local workspace = assert(os.getenv('WORKSPACE'), 'set WORKSPACE')
local passed, failed = 0, 0

local function check(name, ok, detail)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
  end
  local shown = detail ~= nil and ': ' .. (type(detail) == 'string' and detail or vim.inspect(detail)):gsub('%s+', ' ') or ''
  io.stdout:write(string.format('%s %s%s\n', ok and 'ok  ' or 'FAIL', name, shown:sub(1, 600)))
  io.stdout:flush()
end

local function eventually(what)
  return (vim.wait(10000, what, 20))
end

-- Neovim before 0.11 has no `vim.lsp.config`: the same setup, started by hand.
local function start_by_hand(buffer)
  local setup = dofile(vim.api.nvim_get_runtime_file('lsp/applyorder.lua', false)[1])
  setup.root_dir(buffer, function(dir)
    vim.lsp.start({ name = 'applyorder', cmd = setup.cmd, root_dir = dir }, { bufnr = buffer })
  end)
end

vim.cmd.runtime('plugin/applyorder.lua') -- which a bare Neovim does not do either
local declarative = vim.lsp.config ~= nil and vim.lsp.enable ~= nil
if declarative then
  vim.lsp.enable('applyorder')
end

-- The pause of a person who looks at a file before the next action.
local function pause()
  vim.wait(500, function()
    return false
  end)
end

local function load(file, below)
  local path = vim.fs.joinpath(below or workspace, file)
  local buffer = vim.fn.bufadd(path)
  vim.fn.bufload(buffer)
  if vim.bo[buffer].filetype == '' then -- a bare Neovim has filetype detection off
    vim.bo[buffer].filetype = vim.filetype.match({ buf = buffer, filename = path }) or ''
  end
  if not declarative then
    start_by_hand(buffer)
  end
  return buffer
end

local function open(file, below)
  local buffer = load(file, below)
  vim.bo[buffer].buflisted = true
  vim.cmd.buffer(buffer)
  return buffer
end

local function client_of(buffer)
  local client
  eventually(function()
    client = vim.lsp.get_clients({ bufnr = buffer, name = 'applyorder' })[1]
    return client ~= nil and client.initialized
  end)
  return client
end

--- 0-based row and byte column of `text` in the buffer, searched from the row that holds `after`.
local function find(buffer, text, after)
  local from = after == nil
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    from = from or line:find(after, 1, true) ~= nil
    local column = from and line:find(text, 1, true)
    if column then
      return row - 1, column - 1
    end
  end
  error(string.format('no %q after %q', text, after))
end

local function ask(client, buffer, method, row, column, more)
  local params = vim.tbl_extend('force', {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = row, character = column },
  }, more or {})
  local answer, why
  if vim.fn.has('nvim-0.11') == 1 then
    answer, why = client:request_sync(method, params, 10000, buffer)
  else
    answer, why = client.request_sync(method, params, 10000, buffer)
  end
  if answer == nil or answer.err then
    check('answer to ' .. method, false, why or answer.err)
  end
  return answer and answer.result
end

local function findings(buffer, code)
  return vim.tbl_filter(function(d)
    return code == nil or d.code == code
  end, vim.diagnostic.get(buffer))
end

-- The one edge of a cycle that is an error; the others only have a hint.
local function cycle_errors(diagnostics)
  return vim.tbl_filter(function(d)
    return d.code == 'cycle' and d.severity == vim.diagnostic.severity.ERROR
  end, diagnostics)
end

local function texts(diagnostics)
  return vim.tbl_map(function(d)
    return string.format('%d:%d %s %s', d.lnum + 1, d.col + 1, d.code, d.message)
  end, diagnostics)
end

local function hover_text(client, buffer, row, column)
  local hover = ask(client, buffer, 'textDocument/hover', row, column) or {}
  local contents = hover.contents or {}
  return type(contents) == 'string' and contents or contents.value or vim.inspect(contents)
end

local function as_list(x)
  return x == nil and {} or vim.islist(x) and x or { x }
end

local function count_edits(edit)
  local count = 0
  for _, edits in pairs(edit.changes or {}) do
    count = count + #edits
  end
  for _, document in ipairs(edit.documentChanges or {}) do
    count = count + #(document.edits or {})
  end
  return count
end

local function shop()
  local buffer = open('shop/apps.yaml')
  local client = client_of(buffer)
  check('attached and initialized', client ~= nil and client.initialized, client and client.server_info)
  check('the workspace is the repository', client.config.root_dir == workspace, client.config.root_dir)

  local row, column = find(buffer, 'orders-db', 'name: catalog')
  local text = hover_text(client, buffer, row, column + 2)
  check('hover on a reference says the layer', text:lower():find('layer 4 of 6', 1, true) ~= nil, text)
  check('hover says what it waits for', text:find('postgres%-operator') and text:find('external%-secrets'), text)
  row, column = find(buffer, 'checkout')
  text = hover_text(client, buffer, row, column + 2)
  check('hover on a name says what runs beside it', text:lower():find('layer 5 of 6', 1, true) and text:find('catalog'), text)

  row, column = find(buffer, 'orders-db', 'name: catalog')
  local places = as_list(ask(client, buffer, 'textDocument/definition', row, column + 2))
  local place = places[1] or {}
  local target = open('shop/data.yaml')
  local there = find(target, 'name: orders-db')
  local range = place.targetSelectionRange or place.targetRange or place.range
  check('definition leads to the name in another file',
    #places == 1 and (place.uri or place.targetUri) == vim.uri_from_bufnr(target) and range.start.line == there, places)

  local from_row, from_column = find(target, 'orders-db')
  local references = ask(client, target, 'textDocument/references', from_row, from_column + 2,
    { context = { includeDeclaration = true } }) or {}
  check('references are found in both files', #references == 3, references)

  local edit = ask(client, target, 'textDocument/rename', from_row, from_column + 2, { newName = 'orders-store' }) or {}
  check('rename edits the name and both references', count_edits(edit) == 3, edit)

  local symbols = ask(client, target, 'textDocument/documentSymbol', 0, 0) or {}
  check('document symbols name the manifests', vim.inspect(symbols):find('session%-cache') ~= nil)

  row, column = find(buffer, 'orders-db', 'name: catalog')
  local completion = ask(client, buffer, 'textDocument/completion', row, column) or {}
  local labels = vim.tbl_map(function(item)
    return item.label
  end, completion.items or completion)
  check('completion inside dependsOn offers names of other files', vim.tbl_contains(labels, 'session-cache'), labels)

  local loud = vim.tbl_filter(function(d)
    return d.severity <= vim.diagnostic.severity.WARN
  end, vim.list_extend(findings(buffer), findings(target)))
  check('no error or warning on the clean example', #loud == 0, texts(loud))
  return client
end

local function broken(client)
  local buffers = {}
  -- The effect of a rename over several files. Neovim requests the findings of files that a window shows.
  local hidden = load('broken/platform.yaml')
  pause()
  check('a file that is loaded and not shown keeps its findings', #cycle_errors(findings(hidden)) == 1, texts(findings(hidden)))
  for i, file in ipairs({ 'tazuna.yaml', 'platform.yaml', 'apps.yaml' }) do
    buffers[i] = open('broken/' .. file)
    pause()
  end
  local root, platform, apps = unpack(buffers)
  local all = function(code)
    return vim.iter(buffers):map(function(b)
      return findings(b, code)
    end):flatten():totable()
  end
  eventually(function()
    return #all('cycle') > 0 and #all('unknown-dependency') > 0 and #all('self-dependency') > 0
  end)

  local cycles = cycle_errors(all('cycle'))
  local related = #cycles == 1 and vim.tbl_get(cycles[1], 'user_data', 'lsp', 'relatedInformation') or {}
  check('one cycle in three files', #cycles == 1, texts(cycles))
  check('each of its edges has a mark', #all('cycle') == 3, texts(all('cycle')))
  check('its related places lie in both included files', #related >= 2
    and vim.inspect(related):find('platform.yaml', 1, true) and vim.inspect(related):find('apps.yaml', 1, true), related)

  local unknown = findings(root, 'unknown-dependency')
  local row, column = find(root, 'prometheus-operater')
  check('unknown dependency underlined', #unknown == 1 and unknown[1].lnum == row and unknown[1].col == column
    and unknown[1].message:find('prometheus-operater', 1, true), texts(unknown))
  local own = findings(apps, 'self-dependency')
  row, column = find(apps, 'session-cache', '- cilium')
  check('self-dependency underlined', #own == 1 and own[1].lnum == row and own[1].col == column, texts(own))
  check('nothing else is an error', #vim.tbl_filter(function(d)
    return d.severity == vim.diagnostic.severity.ERROR
  end, all()) == 3, texts(all()))

  row, column = find(root, 'prometheus-operater')
  local range = { start = { line = row, character = column }, ['end'] = { line = row, character = column + 1 } }
  local actions = ask(client, root, 'textDocument/codeAction', row, column, {
    range = range,
    context = { diagnostics = #unknown == 1 and { vim.tbl_get(unknown[1], 'user_data', 'lsp') } or {} },
  }) or {}
  check('a quick fix names the nearest manifest', vim.inspect(actions):find('prometheus-operator', 1, true) ~= nil,
    vim.tbl_map(function(a) return a.title end, actions))

  vim.cmd.buffer(root)
  pause()
  row, column = find(root, 'prometheus-operater')
  vim.api.nvim_buf_set_text(root, row, column, row, column + #'prometheus-operater', { 'prometheus-operator' })
  check('an edit that is not saved clears the unknown dependency', eventually(function()
    return #findings(root, 'unknown-dependency') == 0
  end) and vim.bo[root].modified)

  -- The cycle is shown in platform.yaml, which no window shows now; one of its edges is written in apps.yaml.
  check('the cycle is shown in a file of its own', #cycle_errors(findings(platform)) == 1, texts(findings(platform)))
  vim.cmd.buffer(apps)
  pause()
  row = find(apps, 'external-secrets', 'name: postgres')
  vim.api.nvim_buf_set_lines(apps, row, row + 1, false, { '        - cilium' })
  check('an edit in one file clears the cycle in another', eventually(function()
    return #all('cycle') == 0
  end), texts(all('cycle')))
  vim.cmd('silent undo')
  check('and undoing it brings the cycle back', eventually(function()
    return #cycle_errors(findings(platform)) == 1
  end))
end

-- What engines.json expects of an example of each engine.
local function engine(below, case)
  local function at(place)
    local buffer = open(place.file, below)
    local client = client_of(buffer)
    check(case.engine .. ': attached to ' .. place.file, client ~= nil, vim.bo[buffer].filetype)
    local row, column = find(buffer, place.at or '', place.after)
    return client, buffer, row, column + math.floor(#(place.at or '') / 2)
  end

  local client, buffer, row, column = at(case.finding)
  eventually(function()
    return #findings(buffer, case.finding.rule) > 0
  end)
  local found = vim.tbl_filter(function(d)
    return d.lnum == row and d.col <= column and column < d.end_col
  end, findings(buffer, case.finding.rule))
  check(case.engine .. ': a finding where the mistake is', #found == 1, texts(findings(buffer)))

  client, buffer, row, column = at(case.hover)
  local text = hover_text(client, buffer, row, column)
  check(case.engine .. ': hover', text:lower():find(case.hover.says, 1, true) ~= nil, text)

  client, buffer, row, column = at(case.definition)
  local places = as_list(ask(client, buffer, 'textDocument/definition', row, column))
  local target = open(case.definition.to, below)
  local place = places[1] or {}
  local range = place.targetSelectionRange or place.targetRange or place.range or { start = {} }
  check(case.engine .. ': definition', (place.uri or place.targetUri) == vim.uri_from_bufnr(target)
    and range.start.line == find(target, case.definition.line), places)

  client, buffer = at(case.lens)
  local lenses = vim.inspect(ask(client, buffer, 'textDocument/codeLens', 0, 0) or {})
  check(case.engine .. ': lens', lenses:find(case.lens.says, 1, true) ~= nil, lenses)

  client, buffer, row, column = at(case.rename)
  local edit = ask(client, buffer, 'textDocument/rename', row, column, { newName = case.rename.name }) or {}
  check(case.engine .. ': rename', count_edits(edit) == case.rename.edits, edit)
end

local function engines(below)
  local table_of_cases = debug.getinfo(1, 'S').source:sub(2):gsub('[^/]+$', 'engines.json')
  for _, case in ipairs(vim.json.decode(table.concat(vim.fn.readfile(table_of_cases), '\n'))) do
    engine(below, case)
  end
  local tm = open('terramate/shop/tools/stack.tm', below)
  check('a .tm of a Terramate project is not Tcl', vim.bo[tm].filetype == 'hcl' and client_of(tm) ~= nil)
  eventually(function()
    return #findings(tm, 'unknown-dependency') > 0
  end)
  check('and has findings', #findings(tm, 'unknown-dependency') == 1, texts(findings(tm)))
  local row, column
  local tofu = open('tofu/main.tofu', below)
  check('a .tofu is Terraform', vim.bo[tofu].filetype == 'terraform' and client_of(tofu) ~= nil, vim.bo[tofu].filetype)
  -- Neovim cannot tell the language of an empty file, and gives it another type than one with text.
  local empty = open('empty/main.tf', below)
  check('an empty .tf is attached to', vim.bo[empty].filetype == 'tf' and client_of(empty) ~= nil, vim.bo[empty].filetype)
  pause()
  vim.api.nvim_buf_set_lines(empty, 0, -1, false, vim.api.nvim_buf_get_lines(tofu, 0, -1, false))
  check('and has findings once something is written in it', eventually(function()
    return #cycle_errors(findings(empty)) == 1
  end), texts(findings(empty)))
  row, column = find(empty, 'database.id')
  check('and leads to what it refers to', #as_list(ask(client_of(empty), empty, 'textDocument/definition', row, column + 2)) == 1)
  local tcl = open('tcl/module.tm', below)
  pause()
  check('any other .tm is Tcl', vim.bo[tcl].filetype == 'tcl'
    and #vim.lsp.get_clients({ bufnr = tcl, name = 'applyorder' }) == 0, vim.bo[tcl].filetype)
  local config = open('kapp/shop/applyorder.toml', below)
  local client = client_of(config)
  check('the configuration is explained', client ~= nil
    and hover_text(client, config, find(config, 'files')):find('%-f') ~= nil)
end

-- All in one protected call: a Lua error then fails the check instead of hanging.
local ok, err = xpcall(function()
  local client = shop()
  broken(client)
  engines(assert(os.getenv('ENGINES'), 'set ENGINES'))
  pause()
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
  check('clean shutdown', eventually(function()
    return vim.lsp.get_client_by_id(client.id) == nil
  end))
end, debug.traceback)
if not ok then
  check('no Lua error', false, err)
end
io.stdout:write(string.format('%d passed, %d failed\n', passed, failed))
io.stdout:flush()
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
