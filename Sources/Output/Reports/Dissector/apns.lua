-- Feedback, gateway requests, error responses and pushes of Apple's services, by the rules of apnsift (`apnsift dissector`).

-- TABLES

-- The fields have the names of the columns of `apnsift export`.
local apns, FIELDS, EXPERTS = Proto("apns", "Apple Push Notification service"), {}, {}
local TEXTS = { ["request.command"] = COMMANDS, ["request.item"] = ITEMS, ["response.status"] = STATUSES }
for kind, names in pairs({
  ABSOLUTE_TIME = "feedback.time push.time",
  FRAMENUM = "push.request_packet",
  STRING = "flags feedback.token request.token request.payload push.token push.token_text push.topic push.apns_id push.reason",
  UINT32 = "offset feedback.timestamp feedback.token_length request.command request.identifier request.expiry request.priority "
    .. "request.item request.payload_length response.status response.identifier push.status",
}) do
  local shown = ({ UINT32 = base.DEC, ABSOLUTE_TIME = base.UTC })[kind] or base.NONE
  for name in names:gmatch("%S+") do
    FIELDS[name] = ProtoField.new(name:match("[^.]+$"):gsub("_", " "), "apns." .. name, ftypes[kind], TEXTS[name], shown)
  end
end
for severity, codes in pairs({ WARN = FLAGS, ERROR = FINDINGS }) do
  for _, code in ipairs(codes) do
    EXPERTS[code] = ProtoExpert.new("apns.flag." .. code, code, expert.group.PROTOCOL, expert.severity[severity])
  end
end
apns.fields, apns.experts = FIELDS, EXPERTS

-- Adds an item for a record, or for bytes of none, with its values: { field, value, position, length }.
local function show(pinfo, tree, range, text, flags, values)
  local item = tree:add(apns, range, "APNs " .. text)
  for _, value in ipairs(values) do
    local field, part = FIELDS[value[1]], value[4] and range(value[4] > 0 and value[3] or 0, value[4]) or range
    if value[2] then item:add(field, part, value[2]) else item:add_packet_field(field, part, ENC_UTF_8) end
  end
  table.sort(flags)
  if text ~= flags[1] then item:add(FIELDS.flags, range, table.concat(flags, " ")) end
  for _, code in ipairs(flags) do item:add_proto_expert_info(EXPERTS[code]) end
  pinfo.cols.protocol = "APNs"
  pinfo.cols.info:append(" [" .. text .. "]")
end

-- Decoders of a text of bytes, in which positions count from 0. `at` gives the end of the record at `o`, "cut" if it may go on
-- after the text, or nil and what is wrong. `is_bounded` says whether something plausible comes after it, `is_start` whether it
-- is one even after bytes of none. `read` gives the text, flags and values of a record.

local feedback, requests, responses = {}, {}, {}
local function u8(s, at) return s:byte(at + 1) end
local function u16(s, at) return s:byte(at + 1) * 256 + s:byte(at + 2) end
local function u32(s, at) return u16(s, at) * 65536 + u16(s, at + 2) end
local function hex(s) return (s:gsub(".", function(c) return string.format("%02x", c:byte()) end)) end

-- The codes that apply, and those of a token if there is one.
local function flags_of(codes, token)
  codes["zero-length-token"], codes["zero-filled-token"] = token == "", token and token:find(("%z"):rep(8))
  if token and token ~= "" then codes["unexpected-token-length"] = #token ~= LIMITS.token end
  local flags = {}
  for code, applies in pairs(codes) do flags[#flags + 1] = applies and code or nil end
  return flags
end

local function is_usual(s, o) return u16(s, o + 4) == LIMITS.token end
local function is_plausible(time) return LIMITS.earliest <= time and time <= LIMITS.latest end
local function header(s, o)
  if o + 6 > #s then return "cut" end
  local last = o + 6 + u16(s, o + 4)
  local is_odd = last - o - 6 <= LIMITS.longest_token and is_plausible(u32(s, o))
  return (is_usual(s, o) or is_odd) and (last <= #s and last or "cut")
end
function feedback.at(s, o)
  local last = header(s, o)
  if not last or last ~= "cut" and not is_usual(s, o) and not header(s, last) then return nil, "skipped-bytes" end
  return last
end
function feedback.is_bounded(s, o, last) return not is_usual(s, o) or feedback.at(s, last) end
function feedback.is_start(s, o, last) return is_usual(s, o) and is_plausible(u32(s, o)) and feedback.at(s, last) end
function feedback.read(s)
  local time, token = u32(s, 0), s:sub(7)
  return "feedback " .. hex(token), flags_of({ ["implausible-timestamp"] = not is_plausible(time) }, token), {
    { "feedback.timestamp", time, 0, 4 }, { "feedback.time", NSTime.new(time), 0, 4 },
    { "feedback.token_length", #token, 4, 2 }, { "feedback.token", hex(token), 6, #token },
  }
end

function requests.at(s, o)
  local command, at = u8(s, o), o + 1
  if not command then return "cut" end
  if not COMMANDS[command] then return nil, "unknown-command" end
  if command == 2 then
    if o + 5 > #s then return "cut" end
    at = o + 5 + u32(s, at)
    if at - o - 5 > LIMITS.frame then return nil, "malformed-frame" end
  else
    at = at + command * 8
    for _, most in ipairs({ LIMITS.longest_token, LIMITS.payload }) do
      if at + 2 > #s then return "cut" end
      if u16(s, at) > most then return nil, "malformed-frame" end
      at = at + 2 + u16(s, at)
    end
    if command == 0 and at == o + 5 then return nil, "malformed-frame" end -- five zeros are more likely a gap that was filled
  end
  return at <= #s and at or "cut"
end
function requests.read(s)
  local command, found, seen, at, values = u8(s, 0), {}, {}, 5, { { "request.command", u8(s, 0), 0, 1 } }
  local function take(name, from, length)
    found[name] = s:sub(from + 1, from + length)
    local value = name == "token" and hex(found[name]) or length == 0 and ""
    if name ~= "token" and name ~= "payload" then value = length == 4 and u32(s, from) or u8(s, from) end
    values[#values + 1] = { "request." .. name, value, from, length }
  end
  if command < 2 then
    at = command * 8 + 1
    if command == 1 then take("identifier", 1, 4) take("expiry", 5, 4) end
    take("token", at + 2, u16(s, at))
    at = at + 2 + u16(s, at)
    take("payload", at + 2, u16(s, at))
    at = #s
  end
  while at + 3 <= #s and at + 3 + u16(s, at + 1) <= #s do
    local id, length = u8(s, at), u16(s, at + 1)
    local has_size = length == (SIZES[id] or length)
    values[#values + 1] = { "request.item", id, at, 1 }
    if ITEMS[id] and has_size and not seen[id] then take(ITEMS[id], at + 3, length) end
    found.is_unknown, found.is_repeated = found.is_unknown or not ITEMS[id], found.is_repeated or seen[id]
    found.is_malformed = found.is_malformed or not has_size or seen[id] and ITEMS[id] and not SIZES[id]
    at, seen[id] = at + 3 + length, true
  end
  local length = found.payload and #found.payload
  if length then values[#values + 1] = { "request.payload_length", length, 0, #s } end
  found.is_malformed = found.is_malformed or at < #s or not found.token or not length
  return "request " .. hex(found.token or ""), flags_of({
    ["malformed-items"] = found.is_malformed, ["unknown-item"] = found.is_unknown,
    ["payload-too-large"] = length and length > (command == 2 and LIMITS.large_payload or LIMITS.old_payload),
    ["unusual-priority"] = found.priority and not found.priority:find("[\5\10]"),
  }, found.token), values, found
end
function requests.is_bounded(s, _, last) return requests.at(s, last) end
function requests.is_start(s, o, last)
  local _, _, _, found = requests.read(s:sub(o + 1, last))
  return not (found.is_malformed or found.is_unknown or found.is_repeated) and #found.token == LIMITS.token
    and found.payload:find("^{.*}$") and requests.at(s, last)
end

function responses.at(s, o)
  if u8(s, o) ~= 8 then return nil, "unknown-command" end
  return o + 6 <= #s and o + 6 or "cut"
end
function responses.is_bounded() return true end
function responses.is_start(s, o, last) return STATUSES[u8(s, o + 1)] and (last == #s or u8(s, last) == 8) end
function responses.read(s)
  local status = u8(s, 1)
  return "response " .. (STATUSES[status] or status), flags_of({ ["unknown-status"] = not STATUSES[status] }),
    { { "response.status", status, 1, 1 }, { "response.identifier", u32(s, 2), 2, 4 } }
end

-- The first start; without one, the first position from which on more bytes must come.
local function first_start(decoder, s, from, to)
  local cut
  for at = from, to - 1 do
    local last = decoder.at(s, at)
    if last == "cut" then cut = cut or at elseif last and decoder.is_start(s, at, last) then return at, true end
  end
  return cut or to, false
end
-- What the bytes are: { position, length, text, flags, values } of each record, and of bytes of none; and how many are decided.
local function walk(decoder, s, d)
  local items, o = {}, 0
  local function add(last, text, flags, values)
    values[#values + 1] = { "offset", d.next + o }
    items[#items + 1] = { o, last - o, text, flags, values }
    o = last
  end
  while o < #s do
    local last, wrong = decoder.at(s, o)
    if last == "cut" and not d.seeks then break end
    local is_record, at, is_found = last and not d.seeks, last, false
    local is_bounded = is_record and decoder.is_bounded(s, o, last)
    if not is_bounded then at, is_found = first_start(decoder, s, d.seeks and o or o + 1, is_record and last or #s) end
    if is_record and not is_found then
      local text, flags, values = decoder.read(s:sub(o + 1, last))
      if not is_bounded then flags[#flags + 1] = "unconfirmed-boundary" end
      if d.is_resumed then flags[#flags + 1] = "resynchronised" end
      add(last, text, flags, values)
      d.is_resumed = false
    else
      if at > o then add(at, wrong or "skipped-bytes", { wrong or "skipped-bytes" }, {}) end
      d.is_resumed, d.seeks = is_found and d.seeks ~= "quietly", not is_found and (d.seeks or "again")
      if not is_found then break end
    end
  end
  return items, o
end

-- Connections of the old services. TCP and TLS bring the bytes in their order; a record that is cut waits for more.
local OF = {}
for _, name in ipairs({
  "tcp.stream", "tcp.seq", "tcp.len", "tcp.flags.syn", "tcp.flags.fin", "http2.type", "http2.flags.eh", "http2.flags.end_stream",
  "http2.streamid", "http2.header.name", "http2.header.value", "http2.data.data", "http2.rst_stream.error",
  "http2.goaway.last_stream_id", "http2.goaway.addata",
}) do OF[name] = Field.new(name) end
local function value(name) return OF[name]() and OF[name]().value end
local tls, calls, is_in_tls = Dissector.get("tls"), 0, false
local directions, connections, shown
function apns.init() directions, connections, shown = {}, {}, {} end -- for each file
local function direction(pinfo)
  local key = value("tcp.stream") .. (is_in_tls and " tls " or " ") .. pinfo.src_port
  local seeks = not is_in_tls and not value("tcp.flags.syn") and "quietly"
  directions[key] = directions[key] or { next = 0, left = 0, seeks = seeks, read = {} }
  return directions[key]
end
local function dissect(decoder, tvb, pinfo, tree)
  local d, s, key = direction(pinfo), tvb:raw(), pinfo.number .. " " .. calls
  if d.is_tls == nil and not is_in_tls then d.is_tls = s:find("^[\20-\23]\3[\0-\4]") ~= nil end
  if d.is_tls then
    is_in_tls, pinfo.can_desegment = true, 2
    pcall(tls.call, tls, tvb, pinfo, tree)
    is_in_tls = false
    return
  end
  if not pinfo.visited and decoder then
    local length, at = tvb:reported_len(), value("tcp.seq") - (value("tcp.flags.syn") and 0 or 1)
    local is_segment, first = not is_in_tls and length == value("tcp.len"), at + value("tcp.len") - length
    if first == d.lost or is_segment and (at < d.next or at >= 2 ^ 31) then return end
    if is_segment and at > d.next then d.lost, d.next, d.seeks = d.next, at, "quietly" end
    local items, count = walk(decoder, s, d)
    d.read[key], d.next, d.left = { items, count }, d.next + count, #s - count
  end
  local items, count = table.unpack(d.read[key] or { {}, #s })
  for _, item in ipairs(items) do show(pinfo, tree, tvb(item[1], item[2]), item[3], item[4], item[5]) end
  calls = calls + math.min(count, 1)
  if count == #s or #s < tvb:reported_len() then return end
  pinfo.desegment_offset, pinfo.desegment_len = count, DESEGMENT_ONE_MORE_SEGMENT
end

for name, decoders in pairs({ feedback = { server = feedback }, gateway = { server = responses, client = requests } }) do
  local service = Proto("apns_" .. name, "Apple Push Notification service, " .. name)
  function service.dissector(tvb, pinfo, tree)
    dissect(decoders[pinfo.src_port == pinfo.match_uint and "server" or "client"], tvb, pinfo, tree)
  end
  for _, lower in ipairs({ "tcp.port", "tls.port" }) do DissectorTable.get(lower):add(PORTS[name], service) end
end

-- Pushes, from what Wireshark's dissector of HTTP/2 says of its frames. A push is shown where its answer ends.
local function frames()
  local list, header = {}, nil
  for _, field in ipairs({ all_field_infos() }) do
    local key = OF[field.name] and field.name:match("^http2%.(.*)")
    if key == "type" then list[#list + 1] = { headers = {}, data = "" } end
    local frame = list[#list]
    if key == "header.name" then header = field.value end
    if key == "header.value" then frame.headers[header] = field.value end
    if key == "data.data" or key == "goaway.addata" then frame.data = frame.data .. field.range:raw() end
    if key and frame then frame[key] = field.value end
  end
  return list
end

local function describe(push)
  local token, answer, body, values = push.request[":path"]:match("^/3/device/(.*)"), push.answer or {}, push.body, {}
  local is_hex = #token % 2 == 0 and not token:find("%X")
  local reason, time = body:match('"reason"%s*:%s*"([^"\\]*)"'), tonumber(body:match('"timestamp"%s*:%s*(%d+)'))
  local status = tonumber(answer[":status"]) or push.answer and REASONS[reason]
  local function put(name, text) values[#values + 1] = text and { "push." .. name, text } or nil end
  put(is_hex and "token" or "token_text", is_hex and token:lower() or token)
  put("topic", push.request["apns-topic"])
  put("apns_id", answer["apns-id"] or push.request["apns-id"])
  put("request_packet", push.asked_in)
  put("status", status)
  put("reason", reason)
  put("time", status == 410 and time and NSTime.new(math.floor(time / 1000), time % 1000 * 1000000))
  return { "push " .. token .. " " .. (status or "") .. " " .. (reason or ""), flags_of({
    goaway = push.is_refused, ["stream-reset"] = push.is_reset, ["no-response"] = not push.answer, ["token-not-hex"] = not is_hex,
    ["unexpected-token-length"] = is_hex and #token ~= 2 * LIMITS.token, ["malformed-json"] = body ~= "" and not reason,
    ["status-inferred"] = status and not answer[":status"],
    ["body-lost"] = status and status ~= 200 and body == "" and not push.is_reset,
  }), values }
end

-- Takes a frame of a connection with these open pushes, and adds those that end with it to the items.
local function take_frame(frame, pinfo, open, items)
  if not frame.streamid then return end
  local function close(push)
    open[push.streamid] = nil
    if push.request and (push.request[":path"] or ""):find("^/3/device/") then items[#items + 1] = describe(push) end
  end
  for other, push in pairs(open) do
    if push.client ~= pinfo.src_port and other > (frame["goaway.last_stream_id"] or other) then
      push.is_refused, push.body, push.answer = true, frame.data, nil
      close(push)
    end
  end
  local push = open[frame.streamid] or { streamid = frame.streamid, body = "", block = {} }
  open[frame.streamid] = frame.streamid > 0 and push or nil
  if frame.type == 1 then push.block, push.block_in = {}, pinfo.number end
  if frame["flags.eh"] ~= nil then push.is_cut = not frame["flags.eh"] end
  for name, text in pairs(frame.headers) do push.block[name] = text end
  if frame.headers[":method"] then push.request, push.client, push.asked_in = push.block, pinfo.src_port, push.block_in end
  push.is_reset = frame["rst_stream.error"] ~= nil
  if pinfo.src_port == push.client then
    push.is_asked = push.is_asked or frame["flags.end_stream"]
  else
    local is_final = frame.type == 1 and not (frame.headers[":status"] or ""):find("^1")
    push.answer, push.body = push.answer or is_final and push.block, push.body .. frame.data
    push.is_answered = push.is_answered or frame["flags.end_stream"]
  end
  if push.is_reset or push.is_asked and push.is_answered and not push.is_cut then close(push) end
end

function apns.dissector(tvb, pinfo, tree)
  calls, is_in_tls = 0, false
  local stream, items = value("tcp.stream"), shown[pinfo.number] or {}
  if stream and not pinfo.visited then
    connections[stream] = connections[stream] or {}
    for _, frame in ipairs(value("http2.streamid") and frames() or {}) do
      take_frame(frame, pinfo, connections[stream], items)
    end
    if value("tcp.flags.syn") then direction(pinfo) end
    for _, of_tls in ipairs(value("tcp.flags.fin") and { true, false } or {}) do
      is_in_tls = of_tls
      local d = direction(pinfo)
      if d.left > 0 then items[#items + 1] = { "truncated-record", { "truncated-record" }, { { "offset", d.next } } } end
    end
    shown[pinfo.number] = items[1] and items
  end
  for _, item in ipairs(items) do show(pinfo, tree, tvb(0, 0), item[1], item[2], item[3]) end
end
register_postdissector(apns)
