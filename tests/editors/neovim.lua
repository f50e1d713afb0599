-- Plays one of the pieces below in Neovim and tells what came of it, as JSON.
local piece = {}

local function waited(what, condition)
  assert(vim.wait(90000, condition, 20), "waited in vain: " .. what)
end

local function findings(buffer)
  local found = vim.tbl_map(function(one)
    return { line = one.lnum + 1, column = one.col, last = one.end_col, code = one.code, message = one.message }
  end, vim.diagnostic.get(buffer or 0))
  table.sort(found, function(one, other)
    return one.line < other.line or one.line == other.line and one.column < other.column
  end)
  return found
end

local function codes(buffer)
  return vim.tbl_map(function(one)
    return one.code
  end, findings(buffer))
end

local function client()
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  return all()[1]
end

local function is_attached(buffer)
  if vim.lsp.get_clients then
    return #vim.lsp.get_clients({ bufnr = buffer }) > 0
  end
  return next(vim.lsp.buf_get_clients(buffer)) ~= nil
end

-- Opens a file and waits for its server; a sound one has no findings to wait for.
local function opened(name)
  vim.cmd("edit " .. name)
  local buffer = vim.api.nvim_get_current_buf()
  waited("a server for " .. name, function()
    return client() and is_attached(buffer)
  end)
  return buffer
end

local function with_findings(name)
  local buffer = opened(name)
  waited("findings in " .. name, function()
    return #findings(buffer) > 0
  end)
  return buffer
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, true)
end

-- Puts the cursor behind the first occurrence of some characters.
local function go(characters)
  for number, line in ipairs(lines()) do
    local _, last = line:find(characters, 1, true)
    if last then
      return vim.api.nvim_win_set_cursor(0, { number, last - 1 })
    end
  end
  error("nowhere: " .. characters)
end

local function replace(old, new)
  go(old)
  local line = vim.api.nvim_get_current_line()
  local first, last = line:find(old, 1, true)
  vim.api.nvim_set_current_line(line:sub(1, first - 1) .. new .. line:sub(last + 1))
end

-- What a question of the client is answered with.
local function asked(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 30000)
  assert(answers, problem)
  local _, answer = next(answers)
  assert(answer and not answer.error, answer and answer.error and answer.error.message)
  return answer.result
end

local function here()
  return vim.lsp.util.make_position_params(0, client().offset_encoding)
end

function piece.saved()
  local buffer = with_findings("view.yaml")
  local before = findings()
  vim.cmd("write")
  waited("fewer findings after it was written", function()
    return #findings(buffer) < #before
  end)
  return { before = before, after = findings() }
end

function piece.mended()
  with_findings("view.yaml")
  local before = findings()
  replace("25", "5")
  waited("no findings in what is not saved", function()
    return #findings() == 0
  end)
  return { before = before, modified = vim.bo.modified }
end

-- What is shown beside some words of the buffer.
local function hover_at(words)
  go(words)
  local shown
  vim.lsp.handlers["textDocument/hover"] = function(_, result)
    shown = vim.lsp.util.convert_input_to_markdown_lines(result.contents)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    shown = vim.lsp.util.convert_input_to_markdown_lines(asked("textDocument/hover", here()).contents)
  else
    vim.lsp.buf.hover()
  end
  waited("a hover", function()
    return shown
  end)
  return { shown = table.concat(shown, "\n") }
end

function piece.hovered()
  opened("view.yaml")
  return hover_at("0 3 *")
end

function piece.terraform()
  local told = { shown = {} }
  for number, name in ipairs({ "main.tf", "main.tofu" }) do
    local buffer = with_findings(name)
    told.shown[number] = hover_at("US/Eastern").shown
    vim.cmd("write")
    waited("the safe fix in " .. name, function()
      return table.concat(lines(buffer), "\n"):find("1-59/5", 1, true)
    end)
  end
  return told
end

function piece.completed()
  opened("view.yaml")
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { "indexConfig:", "  embe" })
  vim.api.nvim_win_set_cursor(0, { #lines(), 6 })
  vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
  local offered
  vim.api.nvim_create_autocmd("CompleteChanged", {
    callback = function()
      offered = offered or vim.fn.complete_info({ "items" }).items
    end,
  })
  vim.schedule(function()
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("A<C-x><C-o>", true, false, true), "n", false)
  end)
  return {
    later = function()
      return offered and { words = vim.tbl_map(function(item)
        return item.abbr ~= "" and item.abbr or item.word
      end, offered) }
    end,
  }
end

-- Takes the first of what is offered, and types on.
function piece.accepted()
  opened("view.yaml")
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { "optimizedConfig:", "  autom" })
  vim.api.nvim_win_set_cursor(0, { #lines(), 6 })
  vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
  vim.o.completeopt = "menuone"
  local function type_keys(keys)
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "n", false)
  end
  local is_done
  vim.api.nvim_create_autocmd("CompleteChanged", {
    once = true,
    callback = function()
      vim.schedule(function()
        type_keys("<C-y>maxReplicaCount: 4<Esc>")
      end)
    end,
  })
  vim.api.nvim_create_autocmd("InsertLeave", {
    callback = function()
      is_done = true
    end,
  })
  vim.schedule(function()
    type_keys("A<C-x><C-o>")
  end)
  return {
    later = function()
      return is_done and { text = lines() }
    end,
  }
end

function piece.acted()
  with_findings("view.yaml")
  go("subTotal")
  local titles
  vim.ui.select = function(actions, options, choose)
    titles = vim.tbl_map(options.format_item or tostring, actions)
    choose(actions[1], 1)
  end
  local before = lines()
  vim.lsp.buf.code_action()
  waited("an action that changes the text", function()
    return not vim.deep_equal(before, lines())
  end)
  waited("no findings", function()
    return #findings() == 0
  end)
  return { titles = titles, text = lines() }
end

function piece.renamed()
  local binds = opened("brand.yaml")
  local config = opened("config.yaml")
  go("channelConfigs/c")
  vim.lsp.buf.rename("projects/p/locations/l/brands/b/channelConfigs/renamed")
  waited("a changed text", function()
    return vim.bo[config].modified and vim.bo[binds].modified
  end)
  vim.cmd("wall")
  return vim.empty_dict()
end

function piece.followed()
  opened("brand.yaml")
  go("channelConfigs/c")
  vim.lsp.buf.definition()
  waited("another file", function()
    return vim.fn.expand("%:t") == "config.yaml"
  end)
  return { line = vim.fn.line("."), text = vim.api.nvim_get_current_line() }
end

function piece.across()
  local other = opened("other.yaml")
  opened("one.yaml")
  replace("featureViews/one", "featureViews/other")
  waited("findings in the other file", function()
    return #findings(other) > 0
  end)
  local found = codes(other)
  replace("featureViews/other", "featureViews/one")
  waited("no findings in the other file", function()
    return #findings(other) == 0
  end)
  return { other = found }
end

-- The first process that one of the threads of a process has started.
local function child_of(process)
  for _, path in ipairs(vim.fn.glob(("/proc/%d/task/*/children"):format(process), true, true)) do
    local child = io.open(path):read("*a"):match("%d+")
    if child then
      return tonumber(child)
    end
  end
end

function piece.survived()
  with_findings("view.yaml")
  local server = child_of(vim.fn.getpid())
  local analysis = child_of(server)
  vim.loop.kill(analysis, "sigkill")
  replace("25", "5")
  waited("findings of another process", function()
    return #findings() == 0
  end)
  return { server = child_of(vim.fn.getpid()) == server, analysis = child_of(server) == analysis }
end

-- What opening a file starts, before anything is waited for.
function piece.started()
  vim.g.trialrun_trusted = vim.env.TRUSTED and { vim.env.TRUSTED } or nil
  vim.cmd("edit " .. vim.env.OPENED)
  local first = vim.lsp.get_client_by_id(1) -- also one that has not answered yet
  return {
    program = first and first.config.cmd[1] or "",
    errors = vim.v.errmsg,
    messages = vim.fn.execute("messages"):gsub("^%s+", ""),
  }
end

local function tell(told)
  local out = assert(io.open(vim.env.TRIED_OUT, "w"))
  out:write(vim.fn.json_encode(told))
  out:close()
  vim.cmd("qall!")
end

-- A piece that waits for keys to be typed tells later, when it can.
local function until_told(later, patience)
  local told = later()
  if told or patience == 0 then
    return tell(told or { failed = "waited in vain for what keys do" })
  end
  vim.defer_fn(function()
    until_told(later, patience - 1)
  end, 50)
end

local sound, told = pcall(piece[vim.env.TRIED])
if not sound then
  tell({ failed = tostring(told) })
elseif told.later then
  until_told(told.later, 600)
else
  tell(told)
end
