-- The arithmetic of the pace channel; see budgets.py for what it promises.
--
-- KEYS  1 ledger: hash of the latest attempt (attempt, bytes_limit, requests_limit, lanes, stop, totals, rate slots)
--       2 live: hash group -> record of a task that reported within SILENCE seconds and is not finished
--       3 resting: hash group -> record of a task that finished or fell silent
-- ARGV  1 command, 2 now in seconds ('' for the server's clock), 3 attempt, then what the command takes
--
-- Numbers travel as strings: Redis cuts Lua numbers down to integers, and tostring() keeps only 14 digits.
-- An unlimited rate is the empty string. Nothing here is newer than Redis 6.2.

local SILENCE = 5        -- seconds after which a task counts as gone and its share is dealt again
local RESERVE = 0.02     -- part of the limit kept for tasks that come before the others have shrunk
local FLOOR = 0.01       -- part of an equal share (limit / lanes) that such a task gets at once
local WINDOW = 10        -- seconds over which the live rate is measured
local KEEP = 3600        -- seconds that an attempt is remembered after its last sign of life
local KEEP_CLOSED = 900  -- the same after it was closed; longer than Spark keeps an orphaned operation (7.5 minutes)
local FIELDS = { 'seen', 'finished', 'read', 'written', 'requests', 'throttled', 'bytes_grant', 'requests_grant' }
local TOTALS = { 'read', 'written', 'requests', 'throttled' }

local ledger, live, resting = KEYS[1], KEYS[2], KEYS[3]

local function text(number)
  return string.format('%.17g', number)
end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1e6
end

local function field(name)
  return tonumber(redis.call('HGET', ledger, name) or '')
end

local function keep(seconds)
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, seconds) end
end

local function pack(record)
  local words = {}
  for index, name in ipairs(FIELDS) do words[index] = text(record[name]) end
  return table.concat(words, ' ')
end

local function unpack_record(packed)
  local record, index = {}, 0
  for word in string.gmatch(packed or '', '%S+') do
    index = index + 1
    record[FIELDS[index]] = tonumber(word)
  end
  for _, name in ipairs(FIELDS) do record[name] = record[name] or 0 end
  return record
end

-- Make `attempt` the ledger's attempt. False if a later one is already there; a newer one starts from nothing.
local function enter(attempt)
  local known = field('attempt')
  if known and known > attempt then return false end
  if known ~= attempt then
    redis.call('DEL', ledger, live, resting)
    redis.call('HSET', ledger, 'attempt', text(attempt))
  end
  return true
end

-- Move tasks that fell silent out of the live ones; return the records that remain, by group.
local function live_tasks(now)
  local records = {}
  local packed = redis.call('HGETALL', live)
  for index = 1, #packed, 2 do
    local record = unpack_record(packed[index + 1])
    if now - record.seen >= SILENCE then
      redis.call('HSET', resting, packed[index], packed[index + 1])
      redis.call('HDEL', live, packed[index])
    else
      records[packed[index]] = record
    end
  end
  return records
end

-- The share of one of `count` live tasks when the others hold `held` of `limit`: an equal share of the limit less the
-- reserve, as far as the others have made room, but never less than the floor. It is above 0, and below what is free unless
-- the others hold more than the limit (it was lowered), so the sum never passes the limit. With no more tasks than lanes
-- half of what is free is always more than the floor: the reserve is twice what the floors of all lanes take.
local function deal(limit, lanes, count, held)
  local floor = math.min(FLOOR * limit / lanes, math.max((limit - held) / 2, 1e-9 * limit))
  local dealt = (1 - RESERVE) * limit
  return math.max(floor, math.min(dealt / count, dealt - held))
end

local function floor_of(limit)
  if not limit then return '' end
  return text(FLOOR * limit / (field('lanes') or 1))
end

-- Totals only grow: a report that comes late, or twice, changes nothing. Returns the bytes that are new.
local function absorb(record, totals)
  local moved = 0
  for index, name in ipairs(TOTALS) do
    local new = math.max(totals[index] - record[name], 0)
    record[name] = record[name] + new
    redis.call('HSET', ledger, name, text((field(name) or 0) + new))
    if name == 'read' or name == 'written' then moved = moved + new end
  end
  return moved
end

-- The rate's memory: one slot a second in a ring, each `second bytes`.
local function remember(now, moved)
  local second = math.floor(now)
  local name = 'slot' .. (second % (WINDOW + 1))
  local at, bytes = string.match(redis.call('HGET', ledger, name) or '', '(%S+) (%S+)')
  if tonumber(at or '') ~= second then bytes = '0' end
  redis.call('HSET', ledger, name, text(second) .. ' ' .. text(tonumber(bytes) + moved))
  redis.call('HSETNX', ledger, 'began', text(now))
end

local function rate(now)
  local sum, oldest = 0, math.floor(now) - WINDOW
  for slot = 0, WINDOW do
    local at, bytes = string.match(redis.call('HGET', ledger, 'slot' .. slot) or '', '(%S+) (%S+)')
    if at and tonumber(at) >= oldest then sum = sum + tonumber(bytes) end
  end
  return sum / math.max(math.min(now - (field('began') or now), now - oldest), 1)
end

local commands = {}

function commands.open(_, attempt)
  if not enter(attempt) then return 0 end
  redis.call('HSET', ledger, 'bytes_limit', ARGV[4], 'requests_limit', ARGV[5], 'lanes', ARGV[6])
  keep(KEEP)
  return 1
end

function commands.report(now, attempt)
  local known, stopped = field('attempt'), redis.call('HGET', ledger, 'stop')
  local bytes, requests = field('bytes_limit'), field('requests_limit')
  if not known or known < attempt then return false end
  if known > attempt then return { floor_of(bytes), floor_of(requests), '1' } end
  local group, finished = ARGV[4], ARGV[9] == '1'
  local others = live_tasks(now)
  local record = others[group] or unpack_record(redis.call('HGET', resting, group))
  others[group] = nil
  remember(now, absorb(record, { tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]) }))
  keep(KEEP)
  -- A report overtaken by the task's last one must not bring it back; after SILENCE it can only be a second try of Spark.
  local overtaken = record.finished == 1 and now - record.seen < SILENCE
  if finished or overtaken then
    if finished then record.seen, record.finished = now, 1 end
    record.bytes_grant, record.requests_grant = 0, 0
    redis.call('HDEL', live, group)
    redis.call('HSET', resting, group, pack(record))
    return { floor_of(bytes), floor_of(requests), stopped or '0' }
  end
  local count, bytes_held, requests_held = 1, 0, 0
  for _, other in pairs(others) do
    count = count + 1
    bytes_held, requests_held = bytes_held + other.bytes_grant, requests_held + other.requests_grant
  end
  local lanes = field('lanes') or 1
  record.seen, record.finished = now, 0
  record.bytes_grant = bytes and deal(bytes, lanes, count, bytes_held) or 0
  record.requests_grant = requests and deal(requests, lanes, count, requests_held) or 0
  redis.call('HDEL', resting, group)
  redis.call('HSET', live, group, pack(record))
  keep(KEEP)
  return { bytes and text(record.bytes_grant) or '', requests and text(record.requests_grant) or '', stopped or '0' }
end

function commands.stop(_, attempt)
  if not enter(attempt) then return 0 end
  redis.call('HSET', ledger, 'stop', '1')
  keep(KEEP)
  return 1
end

function commands.close(_, attempt)
  if not enter(attempt) then return 0 end
  redis.call('HSET', ledger, 'stop', '1')
  keep(KEEP_CLOSED)
  return 1
end

function commands.progress(now)
  local count = 0
  for _, packed in ipairs(redis.call('HVALS', live)) do
    if now - unpack_record(packed).seen < SILENCE then count = count + 1 end
  end
  return {
    text(field('read') or 0), text(field('written') or 0), text(field('throttled') or 0),
    text(count), text(rate(now)),
  }
end

return commands[ARGV[1]](clock(), tonumber(ARGV[3]))
