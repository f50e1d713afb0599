"""What runs on a node, all at once: each script sees keys of one slot only."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha1

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Script:
    """A script of Redis, which nodes know by its digest."""

    text: str

    @cached_property
    def digest(self) -> str:
        """The digest by which it is called."""
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


_MOMENTS = """
local NONE = string.rep('\\0', 8)
local function is_before(a, b)
  local ah, al = struct.unpack('>I4I4', a)
  local bh, bl = struct.unpack('>I4I4', b)
  return ah < bh or (ah == bh and al < bl)
end
local function row_of(field)
  for layer = 1, #KEYS - 1 do
    local row = redis.call('HGET', KEYS[layer], field)
    if row then return row, layer end
  end
end
local function moment_in(row, sources)
  local newest = NONE
  for _, at in ipairs(sources) do
    local moment = string.sub(row, 9 + 8 * at, 16 + 8 * at)
    if is_before(newest, moment) then newest = moment end
  end
  if newest == NONE then newest = string.sub(row, 1, 8) end
  return newest
end
local function parse(text)
  local writes, at = {}, 1
  while text and at <= #text do
    local write = {}
    write.feature, write.type, write.at, write.sequence, write.value, at = struct.unpack('>I4c0I4c0c8c8I4c0', text, at)
    writes[#writes + 1] = write
  end
  return writes
end
local function serialize(writes)
  local texts = {}
  for _, write in ipairs(writes) do
    texts[#texts + 1] = struct.pack('>I4c0I4c0c8c8I4c0', #write.feature, write.feature, #write.type, write.type,
      write.at, write.sequence, #write.value, write.value)
  end
  return table.concat(texts)
end
local columns = cjson.decode(ARGV[1])
"""
"""KEYS are the layers, then the log of direct writes. ARGV[1] has for each feature its type, and which moments of a row
are its own in each layer."""

FETCH = Script(
    """
local answers, missed = {}, false
for _, field in ipairs(ARGV) do
  local row, layer = false, 0
  for at = 1, #KEYS - 1 do
    row = redis.call('HGET', KEYS[at], field)
    if row then layer = at break end
  end
  missed = missed or not row
  answers[#answers + 1] = layer
  answers[#answers + 1] = row
  answers[#answers + 1] = redis.call('HGET', KEYS[#KEYS], field)
end
if missed then
  for at = 1, #KEYS - 1 do answers[#answers + 1] = redis.call('EXISTS', KEYS[at]) end
end
return answers
"""
)
"""ARGV are entities. For each the layer of its row, 0 for none, the row, and its direct writes; where one has no row,
whether each layer has any in this bucket."""

WRITE = Script(
    _MOMENTS
    + """
local answers = {}
for at = 2, #ARGV, 6 do
  local field, feature, type = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local moment, sequence, value = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local row, layer = row_of(field)
  local served = NONE
  if row then served = moment_in(row, columns[feature].sources[layer]) end
  local writes, place = parse(redis.call('HGET', KEYS[#KEYS], field)), nil
  for index, write in ipairs(writes) do
    if write.feature == feature then
      place = index
      if write.type == type and is_before(served, write.at) then served = write.at end
    end
  end
  if is_before(moment, served) then
    answers[#answers + 1] = 0
  else
    writes[place or #writes + 1] = {feature = feature, type = type, at = moment, sequence = sequence, value = value}
    redis.call('HSET', KEYS[#KEYS], field, serialize(writes))
    answers[#answers + 1] = 1
  end
end
return answers
"""
)
"""Each further six of ARGV are an entity, a feature, its type, a moment, a number and a value; 1 where it is served."""

PRUNE = Script(
    _MOMENTS
    + """
local stored, alone = redis.call('HGETALL', KEYS[#KEYS]), 0
for at = 1, #stored, 2 do
  local row, layer = row_of(stored[at])
  local writes, kept = parse(stored[at + 1]), {}
  for _, write in ipairs(writes) do
    local column = columns[write.feature]
    if column and column.type == write.type
      and not (row and is_before(write.at, moment_in(row, column.sources[layer]))) then
      kept[#kept + 1] = write
    end
  end
  if not row and #kept > 0 then alone = alone + 1 end
  if ARGV[2] == '1' and #kept < #writes then
    if #kept == 0 then redis.call('HDEL', KEYS[#KEYS], stored[at])
    else redis.call('HSET', KEYS[#KEYS], stored[at], serialize(kept)) end
  end
end
return alone
"""
)
"""How many entities of a bucket have direct writes that are served, and no row; ARGV[2] says whether to forget writes
that are not served any more."""

_DIFFER = """
local sub, find = string.sub, string.find
local start, negative_zero = tonumber(ARGV[1]), '\\128\\0\\0\\0\\0\\0\\0\\0'
local function normalize(text)
  for _, at in ipairs(cjson.decode(ARGV[2])) do
    if sub(text, at, at + 7) == negative_zero then
      text = sub(text, 1, at - 1) .. string.rep('\\0', 8) .. sub(text, at + 8)
    end
  end
  return text
end
local function differ(is, was)
  local may_be_same = find(is, negative_zero, 1, true) or find(was, negative_zero, 1, true)
  return may_be_same and normalize(is) == normalize(was) and 0 or 1
end
"""
"""Whether values of a layout differ, 0 or 1, whose bytes do: -0.0 is 0.0. ARGV[1] is where values begin in a row,
ARGV[2] where the doubles are in the values."""

COMPARE = Script(
    _DIFFER
    + """
local new, log, both, differing, unsure = redis.call('HGETALL', KEYS[1]), #KEYS, 0, 0, {}
local first, rows_of = {}, {}
for index = 2, log do
  local count = redis.call('HLEN', KEYS[index])
  if count == 0 then rows_of[index] = {}
  elseif index == 2 and log > 2 and count <= #new then first = redis.call('HGETALL', KEYS[2])
  elseif count > #new then rows_of[index] = false end
end
local function row_of(index, field)
  local rows = rows_of[index]
  if rows == false then return redis.call('HGET', KEYS[index], field) end
  if not rows then
    rows = {}
    local listed = index == 2 and first[1] and first or redis.call('HGETALL', KEYS[index])
    for at = 1, #listed, 2 do rows[listed[at]] = listed[at + 1] end
    rows_of[index] = rows
  end
  return rows[field] or false
end
local is_logged = redis.call('EXISTS', KEYS[log]) == 1
for at = 1, #new, 2 do
  local field, row, old, layer = new[at], new[at + 1], false, 0
  if first[at] == field then
    old, layer = first[at + 1], 1
  else
    for index = 2, log - 1 do
      old = row_of(index, field)
      if old then layer = index - 1 break end
    end
  end
  local written = is_logged and row_of(log, field)
  if old then both = both + 1 end
  if written or (old and ARGV[2 + layer] ~= '1') then
    unsure[#unsure + 1] = {field, row, layer, old, written}
  elseif old then
    local is, was = sub(row, start), sub(old, start)
    if is ~= was then differing = differing + differ(is, was) end
  end
end
return {both, differing, unsure}
"""
)
"""Compares a layer, KEYS[1], with those below it and with direct writes. ARGV from the third on say whether rows of
each layer are of the same layout. Returned are how many entities were read before, how many of them differ, and what
only the caller can compare: all that has direct writes, and rows of another layout. Two layers of the same entities
list them mostly in the same order, so that the place of a row is looked at first."""

READ_WRITTEN = Script(
    """
local written, answers = redis.call('HGETALL', KEYS[#KEYS]), {}
for at = 1, #written, 2 do
  local row, old, layer = redis.call('HGET', KEYS[1], written[at]), false, 0
  for index = 2, row and #KEYS - 1 or 0 do
    old = redis.call('HGET', KEYS[index], written[at])
    if old then layer = index - 1 break end
  end
  if row then answers[#answers + 1] = {row, layer, old, written[at + 1]} end
end
return answers
"""
)
"""Of entities that have direct writes and a row in a layer, KEYS[1]: the row, the layer below that has one, 0 for none,
that row, and the direct writes."""

CARRY = Script(
    """
local known = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do known[field] = true end
for index = 2, #KEYS do
  for _, field in ipairs(redis.call('HKEYS', KEYS[index])) do
    if not known[field] then
      known[field] = true
      redis.call('HSET', KEYS[1], field, redis.call('HGET', KEYS[index], field))
    end
  end
end
return redis.call('HLEN', KEYS[1])
"""
)
"""Puts rows of the layers below into a layer, KEYS[1], of entities that it lacks; how many it has then."""

SWITCH = Script(
    """
local current = redis.call('GET', KEYS[1])
if current == ARGV[3] then return 1 end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
if (current or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
if ARGV[4] ~= '' then redis.call('RPUSH', KEYS[3], ARGV[4]) end
if ARGV[5] ~= '' then redis.call('HDEL', KEYS[4], ARGV[5]) end
for at = 6, #ARGV do redis.call('HSET', KEYS[4], ARGV[at], '1') end
return 1
"""
)
"""Serves another manifest, if the lock is still the caller's and nobody else has switched. ARGV are the lock, the
manifest before and the new one, the moment of the sync if there was one, the new layer, and those that go."""

REMOVE = Script(
    """
if redis.call('GET', KEYS[1]) == ARGV[3] then return 1 end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
redis.call('DEL', KEYS[3], KEYS[5], KEYS[6])
for at = 6, #ARGV do redis.call('HSET', KEYS[4], ARGV[at], '1') end
return 1
"""
)
"""Serves nothing any more; ARGV as those of SWITCH."""

UNLOCK = Script(
    """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
)
RENEW = Script(
    """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""
)
