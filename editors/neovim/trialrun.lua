-- trialrun in Neovim, from 0.7 on: a file for ~/.config/nvim/plugin/.
-- It runs the trialrun of a .venv at or above the root, in folders that you trust with programs, and else the one on the
-- PATH: a repository of a stranger may have a .venv as well. In your init.lua: vim.g.trialrun_trusted = { "~/work" }
local installed = { "/.venv/bin/trialrun", "/.venv/Scripts/trialrun.exe" }

-- A folder without symbolic links, with a slash at its end; nil if there is none.
local function real_path(folder)
  local path = vim.loop.fs_realpath(folder)
  return path and (vim.fn.has("win32") == 1 and path:gsub("\\", "/") or path):gsub("/?$", "/", 1)
end

local function is_trusted(folder)
  for _, trusted in ipairs(vim.g.trialrun_trusted or {}) do
    local top = real_path(vim.fn.expand(trusted))
    if top and vim.startswith(real_path(folder), top) then
      return true
    end
  end
  return false
end

-- The program for a folder, nil if there is none.
local function program_for(folder)
  local found = vim.fn.exepath("trialrun")
  local above, parent = folder, vim.fn.fnamemodify(folder, ":h")
  while true do
    for _, name in ipairs(installed) do
      if vim.fn.executable(above .. name) == 1 then
        if is_trusted(above) then
          return above .. name
        elseif found == "" then
          vim.notify_once("trialrun: add " .. above .. " to vim.g.trialrun_trusted to run its .venv")
        end
      end
    end
    if parent == above then
      return found ~= "" and found or nil
    end
    above, parent = parent, vim.fn.fnamemodify(parent, ":h")
  end
end

-- The folder with the settings of trialrun, else the repository, else the folder of the file.
local function root_of(file)
  local above = vim.fn.fnamemodify(file, ":p:h")
  for _, name in ipairs({ "trialrun.toml", "pyproject.toml" }) do
    local found = vim.fn.findfile(name, above .. ";")
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h")
    end
  end
  local repository = vim.fn.finddir(".git", above .. ";")
  return repository ~= "" and vim.fn.fnamemodify(repository, ":p:h:h") or above
end

-- One server for each folder; Neovim 0.8 and later have this as vim.lsp.start.
local started = {}
local function start(config)
  if vim.lsp.start then
    return vim.lsp.start(config)
  end
  local id = started[config.root_dir]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    started[config.root_dir] = id
  end
  vim.lsp.buf_attach_client(0, id)
end

-- Neovim 0.12 asks a server that knows the findings of all files for those of its buffers no more when another file
-- changed them.
local function ask_for_each_buffer(client)
  local provider = client.server_capabilities and client.server_capabilities.diagnosticProvider
  if type(provider) == "table" then
    provider.workspaceDiagnostics = false
  end
end

-- The servers of trialrun for a buffer.
local function clients_of(buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  return vim.tbl_filter(function(client)
    return client.name == "trialrun"
  end, vim.tbl_values(all))
end

-- The answer to a question, waited for up to a second, or nil.
local function answer_of(client, method, params, buffer)
  if vim.fn.has("nvim-0.11") == 1 then
    return (client:request_sync(method, params, 1000, buffer) or {}).result
  end
  return (client.request_sync(method, params, 1000, buffer) or {}).result
end

-- Make the safe fixes.
local function fix_all(buffer)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = {
      start = { line = 0, character = 0 },
      ["end"] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 },
    },
    context = { diagnostics = {}, only = { "source.fixAll.trialrun" } },
  }
  for _, client in ipairs(clients_of(buffer)) do
    for _, action in ipairs(answer_of(client, "textDocument/codeAction", params, buffer) or {}) do
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    end
  end
end

local function serve(event)
  local root = root_of(event.file)
  local program = program_for(root)
  if program then
    start({ name = "trialrun", cmd = { program, "lsp" }, root_dir = root, on_init = ask_for_each_buffer })
  end
end

local group = vim.api.nvim_create_augroup("trialrun", {})
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = { "yaml", "json", "jsonc", "terraform", "opentofu" },
  callback = serve,
})
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = group,
  pattern = { "trialrun.toml", "pyproject.toml", "*.tf", "*.tofu" }, -- older ones know no such filetypes
  callback = serve,
})
-- Completion by the keys of Neovim itself may write the line ends of a text as null characters.
vim.api.nvim_create_autocmd("CompleteDone", {
  group = group,
  callback = function(event)
    local line = vim.api.nvim_get_current_line()
    if not line:find("\0", 1, true) or #clients_of(event.buf) == 0 then
      return
    end
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    local before = vim.split(line:sub(1, column), "\0", { plain = true })
    vim.api.nvim_buf_set_lines(0, row - 1, row, true, vim.split(line, "\0", { plain = true }))
    vim.api.nvim_win_set_cursor(0, { row + #before - 1, #before[#before] })
  end,
})
vim.api.nvim_create_autocmd("BufWritePre", {
  group = group,
  pattern = { "*.yaml", "*.yml", "*.json", "*.tf", "*.tofu" },
  callback = function(event)
    fix_all(event.buf)
  end,
})
