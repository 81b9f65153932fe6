-- The arithmetic of budgets; see budgets.py and shared_budgets.py for what it promises.
--
-- A ledger deals one limit to its members: that of a run to the tasks of its latest attempt (commands open, report,
-- stop, close), that of the fleet or of a catalog to the runs at work (commands share, leave).
--
-- KEYS  1 ledger: hash (attempt, version, bytes_limit, requests_limit, lanes, stop, lapses, settles, totals, rate slots)
--       2 live: hash member -> record of one that reported within SILENCE seconds and is not finished
--       3 resting: hash member -> record of one that finished or fell silent
-- ARGV  1 command, 2 now in seconds ('' for the server's clock), 3 attempt, then what the command takes
--
-- Numbers travel as strings: Redis cuts Lua numbers down to integers, and tostring() keeps only 14 digits.
-- An unlimited rate is the empty string. Nothing here is newer than Redis 6.2.

local SILENCE = 5        -- seconds after which a member counts as gone and its share is dealt again
local SETTLE = 2         -- seconds in which no member grows after a ledger was lost, until every member has reported again
local REST = 60          -- seconds that a shared ledger knows a run that fell silent
local RESERVE = 0.01     -- part of the limit kept for members that come before the others have shrunk
local FLOOR = 0.005      -- part of an equal share (limit / lanes) that such a member gets at once
local WINDOW = 10        -- seconds over which the live rate is measured
local KEEP = 3600        -- seconds that an attempt is remembered after its last sign of life
local KEEP_CLOSED = 900  -- the same after it was closed; longer than Spark keeps an orphaned operation (7.5 minutes)
local FIELDS = {
  'seen', 'finished', 'read', 'written', 'requests', 'throttled', 'bytes_grant', 'requests_grant',
  'bytes_cap', 'requests_cap', 'attempt', -- cap: the most a member can use, 0 for any; attempt: of a run, shared ledgers
}
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

local function unpack_record(packed)
  if packed then return cmsgpack.unpack(packed) end
  local record = {}
  for _, name in ipairs(FIELDS) do record[name] = 0 end
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

-- Move members that fell silent out of the live ones; return the records that remain, by member.
local function live_members(now)
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

-- The most that one member may get when every member gets what it can use, up to the same level: that level (max-min
-- fairness). It depends on what the others can use, not on what this one can.
local function level(amount, others, name)
  local caps, left = {}, amount
  for _, other in pairs(others) do
    caps[#caps + 1] = other[name .. '_cap'] > 0 and other[name .. '_cap'] or math.huge
  end
  table.sort(caps)
  for index, cap in ipairs(caps) do
    local equal = left / (#caps - index + 2)
    if cap >= equal then return equal end
    left = left - cap
  end
  return left
end

-- A member's share of `limit`, its level and the floor. The share is what it can use of the level, as far as the others
-- have made room, but never less than the floor. It is above 0, and below what is free unless the others hold more than
-- the limit (it was lowered), so the sum never passes the limit. With no more members than lanes half of what is free is
-- always more than the floor: the reserve is twice what the floors of all lanes take.
local function deal(limit, others, record, name)
  local held = 0
  for _, other in pairs(others) do held = held + other[name .. '_grant'] end
  local floor = math.min(FLOOR * limit / (field('lanes') or 1), math.max((limit - held) / 2, 1e-9 * limit))
  local dealt = (1 - RESERVE) * limit
  local most, cap = level(dealt, others, name), record[name .. '_cap']
  local share = math.max(floor, math.min(most, dealt - held))
  return cap > 0 and math.min(cap, share) or share, most, floor
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

function commands.open(now, attempt)
  if not enter(attempt) then return 0 end
  redis.call('HSET', ledger, 'bytes_limit', ARGV[4], 'requests_limit', ARGV[5], 'lanes', ARGV[6])
  redis.call('HSET', ledger, 'lapses', ARGV[7] ~= '' and text(now + tonumber(ARGV[7])) or '')
  keep(KEEP)
  return 1
end

function commands.report(now, attempt)
  local known, stopped = field('attempt'), redis.call('HGET', ledger, 'stop')
  local bytes, requests = field('bytes_limit'), field('requests_limit')
  if not known or known < attempt then return false end
  if known > attempt then return { floor_of(bytes), floor_of(requests), '1' } end
  local group, finished = ARGV[4], ARGV[9] == '1'
  local others = live_members(now)
  local record = others[group] or unpack_record(redis.call('HGET', resting, group))
  others[group] = nil
  remember(now, absorb(record, { tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]) }))
  keep(KEEP)
  -- A report overtaken by the task's last one must not bring it back; after SILENCE it is a second try of Spark.
  local overtaken = record.finished == 1 and now - record.seen < SILENCE
  if finished or overtaken then
    if finished then record.seen, record.finished = now, 1 end
    record.bytes_grant, record.requests_grant = 0, 0
    redis.call('HDEL', live, group)
    redis.call('HSET', resting, group, cmsgpack.pack(record))
    return { floor_of(bytes), floor_of(requests), stopped or '0' }
  end
  local lapsed = now >= (field('lapses') or math.huge) -- the budget is not renewed: its holder is gone
  record.seen, record.finished = now, 0
  for name, limit in pairs({ bytes = bytes or false, requests = requests or false }) do
    local share, _, floor = 0, 0, 0
    if limit then share, _, floor = deal(limit, others, record, name) end
    record[name .. '_grant'] = lapsed and floor or share
  end
  redis.call('HDEL', resting, group)
  redis.call('HSET', live, group, cmsgpack.pack(record))
  keep(KEEP)
  return { bytes and text(record.bytes_grant) or '', requests and text(record.requests_grant) or '', stopped or '0' }
end

-- Forget runs that have been silent for long: unlike a run's ledger, a shared one has no end.
local function forget(now)
  local packed = redis.call('HGETALL', resting)
  for index = 1, #packed, 2 do
    if now - unpack_record(packed[index + 1]).seen >= REST then redis.call('HDEL', resting, packed[index]) end
  end
end

-- One rate of a run's share: the answer (share, level), '' where there is no limit. A run holds what its tasks still
-- hold, if that is more than its share; after a loss no member gets more than it holds.
local function share_of(record, others, name, held, settling)
  local limit = field(name .. '_limit')
  if not limit then
    record[name .. '_grant'] = 0
    return '', ''
  end
  local share, most, floor = deal(limit, others, record, name)
  if settling then share = math.min(share, math.max(held, floor)) end
  record[name .. '_grant'] = math.max(share, held)
  return text(share), text(most)
end

function commands.share(now, attempt)
  local run, version, returning = ARGV[4], tonumber(ARGV[5]), ARGV[17] == '1'
  local others = live_members(now)
  forget(now)
  local lost = returning and not others[run]
  local packed = redis.call('HGET', resting, run)
  local record = others[run] or unpack_record(packed)
  if record.attempt > attempt then return false end
  others[run] = nil
  if (field('version') or -1) <= version then
    redis.call('HSET', ledger, 'version', text(version), 'lanes', ARGV[8])
    redis.call('HSET', ledger, 'bytes_limit', ARGV[6], 'requests_limit', ARGV[7])
  end
  if lost then redis.call('HSET', ledger, 'settles', text(now + SETTLE)) end
  if record.attempt < attempt then record = unpack_record() end
  local moved = absorb(record, { tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12]) })
  remember(now, lost and not packed and 0 or moved) -- what was moved before the loss is not new
  record.seen, record.attempt = now, attempt
  record.bytes_cap, record.requests_cap = tonumber(ARGV[13]), tonumber(ARGV[14])
  local settling = now < (field('settles') or 0)
  local bytes, bytes_level = share_of(record, others, 'bytes', tonumber(ARGV[15]), settling)
  local requests, requests_level = share_of(record, others, 'requests', tonumber(ARGV[16]), settling)
  redis.call('HDEL', resting, run)
  redis.call('HSET', live, run, cmsgpack.pack(record))
  keep(KEEP)
  return { bytes, requests, bytes_level, requests_level, text(redis.call('HLEN', live)) }
end

function commands.leave(_, attempt)
  for _, key in ipairs({ live, resting }) do
    if unpack_record(redis.call('HGET', key, ARGV[4])).attempt <= attempt then redis.call('HDEL', key, ARGV[4]) end
  end
  return 1
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
  local count, bytes_held, requests_held = 0, 0, 0
  for _, packed in ipairs(redis.call('HVALS', live)) do
    local record = unpack_record(packed)
    if now - record.seen < SILENCE then
      count = count + 1
      bytes_held, requests_held = bytes_held + record.bytes_grant, requests_held + record.requests_grant
    end
  end
  return {
    text(field('read') or 0), text(field('written') or 0), text(field('requests') or 0), text(field('throttled') or 0),
    text(count), text(rate(now)), text(bytes_held), text(requests_held),
    redis.call('HGET', ledger, 'bytes_limit') or '', redis.call('HGET', ledger, 'requests_limit') or '',
  }
end

return commands[ARGV[1]](clock(), tonumber(ARGV[3]))
