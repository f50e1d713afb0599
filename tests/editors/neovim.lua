-- Opens a file, waits for findings, writes it, and tells the findings before and after as JSON.
local function findings()
  return vim.tbl_map(function(one)
    return { line = one.lnum + 1, column = one.col, last = one.end_col, code = one.code, message = one.message }
  end, vim.diagnostic.get(0))
end

local function waited(condition)
  return vim.wait(20000, condition, 20)
end

local function tried()
  vim.cmd("edit " .. vim.env.TRIED_FILE)
  assert(waited(function()
    return #findings() > 0
  end), "no findings came")
  local before = findings()
  vim.cmd("write")
  assert(waited(function()
    return #findings() < #before
  end), "no finding went after the file was written")
  return { before = before, after = findings() }
end

local sound, told = pcall(tried)
local out = assert(io.open(vim.env.TRIED_OUT, "w"))
out:write(vim.fn.json_encode(sound and told or { failed = tostring(told) }))
out:close()
vim.cmd("qall!")
