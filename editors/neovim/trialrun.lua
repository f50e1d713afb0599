-- trialrun in Neovim, from 0.7 on: a file for ~/.config/nvim/plugin/.
local command = { "trialrun", "lsp" }

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
  start({ name = "trialrun", cmd = command, root_dir = root_of(event.file), on_init = ask_for_each_buffer })
end

local group = vim.api.nvim_create_augroup("trialrun", {})
vim.api.nvim_create_autocmd("FileType", { group = group, pattern = { "yaml", "json", "jsonc" }, callback = serve })
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = group,
  pattern = { "trialrun.toml", "pyproject.toml" },
  callback = serve,
})
vim.api.nvim_create_autocmd("BufWritePre", {
  group = group,
  pattern = { "*.yaml", "*.yml", "*.json" },
  callback = function(event)
    fix_all(event.buf)
  end,
})
