"""A connection of HTTP/2 that is written by hand: frames of both sides in packets, with the truth of its exchanges.

Frames are hyperframe's and header blocks hpack's; the truth has the form that push_mock.py writes.
"""

import json

import hpack
from hyperframe import frame as h2

import shared  # noqa: F401
from oracle.captures import frames, pcap
from oracle.packets import Conversation, Peer, ethernet
from push_plan import PREFACE, answer, answer_headers, digest, pushes, new_exchange

SEGMENT = 1400  # bytes of a packet at most


def literals(headers):
    """A header block without tables: literal fields that are not indexed, no Huffman code. Lengths are under 127."""
    data = b""
    for name, value in headers:
        for text in name, value:
            assert len(text) < 127
        data += b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
    return data


class Talk:
    """`segment` is the size of segments, if the bytes of a direction go into packets without regard to frames."""

    def __init__(self, name, number=0, segment=None, settings=None, opening=True):
        self.name, self.segment = name, segment
        self.net = Conversation(client=Peer("192.0.2.10", 49152 + number), server=Peer("192.0.2.20", 2197))
        self.sent = {"client": 0, "server": 0}
        self.pending = {"client": b"", "server": b""}
        self.encoders = {"client": hpack.Encoder(), "server": hpack.Encoder()}
        self.packets = self.net.opening()
        self.truth = {}  # stream: exchange
        self.drawn = pushes(name, 1 << 30)
        if opening:
            self.raw("client", PREFACE)
            self.send("client", h2.SettingsFrame(0, settings=settings or {}))
            self.send("server", h2.SettingsFrame(0, settings={h2.SettingsFrame.MAX_CONCURRENT_STREAMS: 1000}))
            self.send("server", h2.SettingsFrame(0, flags=["ACK"]))
            self.send("client", h2.SettingsFrame(0, flags=["ACK"]))

    # Bytes and packets

    def offset(self, side):
        return self.sent[side] + len(self.pending[side])

    def raw(self, side, data):
        """Bytes that wait for a packet."""
        self.pending[side] += data

    def flush(self, side, least=0):
        """Packets of what waits; with a size of segments only whole ones, until `least` is 0."""
        size = self.segment or SEGMENT
        while len(self.pending[side]) > least:
            data, self.pending[side] = self.pending[side][:size], self.pending[side][size:]
            other = "server" if side == "client" else "client"
            self.net.acknowledged[other] = self.sent[other]
            self.packets.append(self.net.says(side, self.sent[side], data))
            self.sent[side] += len(data)

    def send(self, side, *items, together=False):
        """Frames (or bytes), each in packets of its own, or all together."""
        for item in items:
            self.raw(side, item if isinstance(item, bytes) else item.serialize())
            if not together:
                self.flush(side, (self.segment or 1) - 1)
        self.flush(side, (self.segment or 1) - 1)

    def end(self, closes=True):
        for side in "client", "server":
            self.flush(side)
        if closes:
            self.packets += self.net.closing(self.sent["client"], self.sent["server"])
        return self

    # Exchanges

    def block(self, side, headers, coding="indexed"):
        if coding == "literal":
            return literals(headers)
        if coding == "never":
            headers = [hpack.NeverIndexedHeaderTuple(*pair) for pair in headers]
        return self.encoders[side].encode(headers, huffman=coding != "plain")

    def header_frames(self, side, stream, block, count=1, end_stream=False, **more):
        """HEADERS, and CONTINUATION so that there are `count` frames. `more` are flags and fields of HEADERS."""
        size = -(-len(block) // count)
        parts = [block[begin : begin + size] for begin in range(0, len(block), size)] if count > 1 else [block]
        flags = list(more.pop("flags", []))
        flags += ["END_STREAM"] if end_stream else []
        flags += ["END_HEADERS"] if len(parts) == 1 else []
        items = [h2.HeadersFrame(stream, parts[0], flags=flags, **more)]
        for index, part in enumerate(parts[1:], 2):
            items.append(h2.ContinuationFrame(stream, part, flags=["END_HEADERS"] if index == len(parts) else []))
        return items

    def data_frames(self, stream, data, count=1, end_stream=True, **more):
        size = max(1, -(-len(data) // count))
        parts = [data[begin : begin + size] for begin in range(0, len(data), size)] or [b""]
        flags = list(more.pop("flags", []))
        items = [h2.DataFrame(stream, part, flags=flags, **more) for part in parts]
        if end_stream:
            items[-1].flags.add("END_STREAM")
        return items

    def headers(self, push, extra=()):
        begin = [(":method", "POST"), (":scheme", "https"), (":path", push.path), (":authority", "api.push.apple.com")]
        return begin + push.headers + list(extra)

    def request(self, stream, device=None, payload=None, coding="indexed", count=1, chunks=1, end_stream=True, together=False,
                data=None, extra=(), headers_more=None, trailers=None):
        """A request and its truth. `device` is all of the path after /3/device/, else it is drawn."""
        push = next(self.drawn)
        if device is not None:
            push = type(push)(f"/3/device/{device}", push.headers, push.payload)
        payload = push.payload if payload is None else payload
        self.truth[stream] = item = new_exchange(self.net.client.port, stream, push.path, dict(push.headers))
        item |= {"payload": payload.decode(errors="replace"), "payload_length": len(payload)}
        item |= {"request_offset": self.offset("client"), "response_offset": None, "body_offset": None}
        block = self.block("client", self.headers(push, extra), coding)
        items = self.header_frames("client", stream, block, count, **(headers_more or {}))
        if payload or end_stream:
            items += self.data_frames(stream, payload, chunks, end_stream and not trailers, **(data or {}))
        if trailers:
            items += self.header_frames("client", stream, self.block("client", trailers), end_stream=True)
        self.send("client", *items, together=together)
        return item

    def respond(self, stream, what=None, body=None, interim=(), coding="indexed", count=1, chunks=1, together=False, trailers=None,
                end_stream=True, data=None, headers_more=None, status=None, sends_body=True):
        """The mock's answer, or a status and a body that are given."""
        item = self.truth[stream]
        what = what or answer(item["token_text"])
        body = what.body if body is None else body
        status = what.status if status is None else status
        draw = digest(f"id {self.name} {stream}")
        for code in interim:
            block = self.block("server", [(":status", str(code)), ("link", "</style.css>; rel=preload")])
            self.send("server", *self.header_frames("server", stream, block))
        item["response_offset"] = self.offset("server")
        headers = answer_headers(item, what, status, draw)
        block = self.block("server", headers, coding)
        is_bare = not body and not trailers
        items = self.header_frames("server", stream, block, count, end_stream=is_bare and end_stream, **(headers_more or {}))
        if body and sends_body:
            item["body_offset"] = self.offset("server") + sum(len(part.serialize()) for part in items)
            items += self.data_frames(stream, body, chunks, end_stream and not trailers, **(data or {}))
            item |= {"body": body.decode(errors="replace")} | meaning(body)
        if trailers:
            items += self.header_frames("server", stream, self.block("server", trailers), end_stream=True)
        item["ending"] = "answered"
        self.send("server", *items, together=together)
        return item

    def exchange(self, stream, request=None, respond=None):
        self.request(stream, **(request or {}))
        self.respond(stream, **(respond or {}))

    def reset(self, side, stream, code):
        self.send(side, h2.RstStreamFrame(stream, error_code=code))
        self.truth[stream]["ending"] = "reset"

    def goaway(self, last, reason, code=0):
        body = json.dumps(reason, separators=(",", ":")).encode() if reason else b""
        self.send("server", h2.GoAwayFrame(0, last_stream_id=last, error_code=code, additional_data=body))
        for stream, item in self.truth.items():
            if stream > last and item["status"] is None:
                item["ending"] = "goaway"
                item["reason"] = reason["reason"] if reason else None

    def resize(self, side, size):
        """`side` announces the size of the table that the other's encoder may use; the other acknowledges, and uses it."""
        other = "server" if side == "client" else "client"
        self.send(side, h2.SettingsFrame(0, settings={h2.SettingsFrame.HEADER_TABLE_SIZE: size}))
        self.send(other, h2.SettingsFrame(0, flags=["ACK"]))
        self.encoders[other].header_table_size = size


def meaning(body):
    """Reason and time of a body, where it is what Apple's service sends; both null where it is not."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("reason"), str):
        return {"reason": None, "timestamp_ms": None}
    time = content.get("timestamp")
    is_time = isinstance(time, int) and not isinstance(time, bool) and abs(time) < 1 << 53
    return {"reason": content["reason"], "timestamp_ms": time if is_time else None}


def write(directory, name, talks, about):
    """NAME.pcap, NAME.truth.ndjson and NAME.json of connections, one after the other."""
    packets = [packet for talk in talks for packet in talk.packets]
    (directory / f"{name}.pcap").write_bytes(pcap(frames(packets, ethernet)))
    lines = [json.dumps(item, ensure_ascii=False) for talk in talks for _, item in sorted(talk.truth.items())]
    (directory / f"{name}.truth.ndjson").write_text("".join(f"{line}\n" for line in lines))
    (directory / f"{name}.json").write_text(json.dumps(about) + "\n")
