"""Connections of HTTP/2 that no client makes: all that the protocol allows, and what is hostile.

usage: push_cases.py DIRECTORY [PATTERN]
"""

import fnmatch
import random
import struct
import sys
from dataclasses import replace
from pathlib import Path

from push_plan import Answer, answer, new_exchange
from push_talk import Talk, h2, write

CANCEL, REFUSED, INTERNAL = 8, 7, 2
ALTSVC = 10  # type of a frame
GONE = Answer(410, "Unregistered", 1_700_000_000_123, 0, False, False)
CODINGS = "indexed", "literal", "never", "plain"


def odd(count, begin=1):
    return range(begin, begin + 2 * count, 2)


def padding():
    talk = Talk("padding")
    for stream, (length, other) in zip(odd(12), [(0, 255), (1, 0), (255, 1), (7, 7)] * 3):
        pads = {"flags": ["PADDED"], "pad_length": length}
        more = {"flags": ["PADDED"], "pad_length": other}
        talk.exchange(stream, {"headers_more": dict(pads), "data": dict(more)}, {"headers_more": dict(more), "data": dict(pads)})
    yield talk.end()


def priority():
    talk = Talk("priority")
    for stream in odd(12):
        weight = {"flags": ["PRIORITY"], "stream_weight": stream, "depends_on": max(0, stream - 2), "exclusive": stream % 3 == 0}
        talk.request(stream, headers_more=dict(weight) | ({"pad_length": 9, "flags": ["PRIORITY", "PADDED"]} if stream % 4 == 1 else {}))
        talk.send("client", h2.PriorityFrame(stream, depends_on=0, stream_weight=3))
        talk.respond(stream)
    yield talk.end()


def continuation():
    talk = Talk("continuation")
    for stream in odd(10):
        talk.exchange(stream, {"count": 5, "together": stream % 4 == 1}, {"count": 5, "together": stream % 4 == 3})
    yield talk.end()


def table_sizes(name, sizes):
    talk = Talk(name)
    stream = 1
    for size in sizes:
        for side in "client", "server":
            if size is not None:
                talk.resize(side, size)
        for _ in range(8):
            talk.exchange(stream)
            stream += 2
    yield talk.end()


def interleaved():
    """All requests before all answers, headers and bodies of each in an order of their own, several frames a packet."""
    talk = Talk("interleaved")
    streams = list(odd(1000))
    shuffle = random.Random(17).shuffle
    bodies = {}
    for stream in streams:
        item = talk.request(stream, payload=b"", end_stream=False, together=True)
        bodies[stream] = talk.data_frames(stream, b'{"aps":{"alert":"%d"}}' % stream, 2)
        item["payload_length"] = sum(len(part.data) for part in bodies[stream])
        item["payload"] = b"".join(part.data for part in bodies[stream]).decode()
    for turn in range(2):
        shuffle(streams)
        for begin in range(0, 1000, 20):
            talk.send("client", *(bodies[stream][turn] for stream in streams[begin : begin + 20]), together=True)
    shuffle(streams)
    for begin in range(0, 1000, 20):
        later = []
        for stream in streams[begin : begin + 20]:
            what = answer(talk.truth[stream]["token_text"])
            talk.respond(stream, together=True, end_stream=not what.body, sends_body=False)
            if what.body:
                later.append((stream, what))
        for stream, what in later:
            item = talk.truth[stream]
            item |= {"body": what.body.decode(), "reason": what.reason, "timestamp_ms": what.timestamp_ms}
            item["body_offset"] = talk.offset("server")
            talk.send("server", *talk.data_frames(stream, what.body, 2), together=True)
    yield talk.end()


def resets():
    talk = Talk("resets")
    for stream in odd(20):
        kind = stream // 2 % 5
        talk.request(stream, end_stream=kind != 3)
        if kind == 0:
            talk.reset("client", stream, CANCEL)
        elif kind == 1:
            talk.reset("server", stream, REFUSED)
        elif kind == 2:
            talk.respond(stream, GONE, sends_body=False, end_stream=False)
            talk.reset("server", stream, INTERNAL)
        elif kind == 3:
            talk.reset("client", stream, CANCEL)
        else:
            talk.respond(stream)
    yield talk.end()


def goaway():
    """The service ends a connection: streams after the last one were not processed, and are sent again on the next."""
    for number, (last, reason) in enumerate([(13, {"reason": "Shutdown"}), (9, {"reason": "BadCertificate", "timestamp": 1}), (0, None)]):
        talk = Talk(f"goaway {number}", number)
        for stream in odd(10):
            talk.request(stream)
        for stream in odd(3) if last else []:
            talk.respond(stream)
        talk.goaway(last, reason)
        for stream in [stream for stream in odd(10) if 5 < stream <= last]:
            talk.respond(stream)
        yield talk.end()


def trailers():
    talk = Talk("trailers")
    for stream in odd(10):
        end = [("grpc-status", "0"), ("x-checksum", f"{stream:08x}")]
        talk.exchange(stream, {"trailers": end if stream % 4 == 1 else None}, {"trailers": end})
    yield talk.end()


def frame(kind, flags, stream, body):
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def pings():
    """Frames that belong to no exchange, also of unknown types."""
    talk = Talk("pings")
    for stream in odd(10):
        talk.send("client", h2.PingFrame(0, opaque_data=b"%08d" % stream))
        talk.request(stream)
        talk.send("server", h2.PingFrame(0, opaque_data=b"%08d" % stream, flags=["ACK"]))
        talk.send("server", h2.WindowUpdateFrame(0, window_increment=100))
        talk.send("server", frame(0xFA, 0xFF, stream, b"unknown type " * 3))
        talk.send("server", frame(ALTSVC, 0, 0, b'\x00\x13https://example.comh2=":443"'))
        talk.respond(stream)
        talk.send("client", h2.WindowUpdateFrame(stream, window_increment=1))
    yield talk.end()


def interim():
    talk = Talk("interim")
    for stream in odd(10):
        talk.exchange(stream, {}, {"interim": [[100], [103], [100, 103], []][stream // 2 % 4]})
    yield talk.end()


def split(size):
    """Segments without regard to frames: every boundary comes to be at every offset of a frame."""
    talk = Talk(f"split {size}", segment=size)
    for stream in odd(2 if size == 1 else 6):
        talk.exchange(stream)
    yield talk.end()


def bodies():
    talk = Talk("bodies")
    for stream in odd(8):
        payload = b'{"aps":{"alert":"' + b"x" * (100 + 550 * (stream // 2)) + b'"}}'
        talk.exchange(stream, {"payload": payload, "chunks": 40}, {"what": replace(GONE, timestamp_ms=GONE.timestamp_ms + stream), "chunks": 12})
    yield talk.end()


def codings():
    """Four ways to write a header, and devices that come again, so that a path is a reference to the table."""
    talk = Talk("codings")
    devices = [f"{number:064x}" for number in (0xA1, 0xB2, 0xC3)]
    for index, stream in enumerate(odd(24)):
        coding = CODINGS[index % 4]
        talk.exchange(stream, {"coding": coding, "device": devices[index % 3] if index % 2 else None}, {"coding": coding})
    yield talk.end()


def unanswered():
    """The capture ends before the answers."""
    talk = Talk("unanswered")
    for stream in odd(10):
        talk.request(stream)
    for stream in odd(4):
        talk.respond(stream)
    yield talk.end(closes=False)


def others():
    """Requests of other paths among those of the service: they are no pushes."""
    talk = Talk("others")
    for number in range(10):
        stream, between = 4 * number + 1, 4 * number + 3
        talk.request(stream)
        if number % 2 == 0:
            path = ["/", "/3/device", "/4/broadcasts/apps/com.example.app"][number // 2 % 3]
            other = [(":method", "GET"), (":scheme", "https"), (":path", path), (":authority", "api.push.apple.com")]
            talk.send("client", *talk.header_frames("client", between, talk.block("client", other), end_stream=True))
            talk.truth[between] = blank(talk, between, "") | {"path": path, "status": 404, "reason": "BadPath"}
            reply = talk.block("server", [(":status", "404")])
            talk.send("server", *talk.header_frames("server", between, reply))
            talk.send("server", *talk.data_frames(between, b'{"reason":"BadPath"}'))
        talk.respond(stream)
    yield talk.end()


def no_json():
    talk = Talk("no json")
    contents = [b"<html><body>502 Bad Gateway</body></html>", b'{"reason":"Unregis', b"[1,2,3]", b"\xff\xfe{}", b"null"]
    for stream, body in zip(odd(10), contents * 2):
        talk.exchange(stream, {}, {"status": 502 if stream < 10 else 410, "body": body})
    yield talk.end()


def odd_json():
    """JSON of other types than Apple's: what is read of it may be null, and must not be wrong."""
    talk = Talk("odd json")
    contents = [b'{"reason":5}', b'{"reason":null}', b'{"timestamp":1700000000123}', b'{"reason":"Unregistered","timestamp":"1700000000123"}',
                b'{"reason":"Unregistered","timestamp":-1}', b'{"reason":"Unregistered","timestamp":1e999}',
                b'{"reason":"Unregistered","timestamp":99999999999999999999}', b'{"reason":"Unregistered","timestamp":1700000000123.5}',
                b'{"reason":{"reason":"Unregistered"}}', b'{"reason":"' + b"x" * 5000 + b'"}', b"[" * 9000, b'{"reason":"\\u0055nregistered"}']
    for stream, body in zip(odd(len(contents)), contents):
        talk.exchange(stream, {}, {"status": 410, "body": body})
        if body.startswith(b'{"timestamp"'):
            talk.truth[stream]["timestamp_ms"] = 1_700_000_000_123
    yield talk.end()


CASES = {
    "padding": padding, "priority": priority, "continuation": continuation, "interleaved": interleaved, "resets": resets,
    "goaway": goaway, "trailers": trailers, "pings": pings, "interim": interim, "bodies": bodies, "codings": codings,
    "unanswered": unanswered, "others": others, "no-json": no_json, "odd-json": odd_json,
    "table-0": lambda: table_sizes("table 0", [None, 0, 4096]), "table-65536": lambda: table_sizes("table 65536", [None, 65536, None]),
    "table-changes": lambda: table_sizes("table changes", [4096, 0, 65536, 200, 4096]),
    **{f"split-{size}": lambda size=size: split(size) for size in (1, 7, 13, 100)},
}  # fmt: skip


# Hostile: each has exchanges after the attack, which must be read, in a connection of their own where the first one is lost.


def quiet(name, number=9):
    talk = Talk(f"{name} after", number)
    for stream in odd(5):
        talk.exchange(stream)
    return talk.end()


def bomb():
    """A name of 4000 bytes in the table, and 100,000 references to it in one block of 100 KiB: 400 MB of header list."""
    talk = Talk("bomb")
    talk.exchange(1)
    name, references = b"x" * 4000, 100_000
    first = talk.block("client", [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + "ab" * 32)])
    block = first + b"\x40\x7f" + bytes([(4000 - 127) & 127 | 128, (4000 - 127) >> 7]) + name + b"\x00" + b"\xbe" * references
    items = talk.header_frames("client", 3, block, -(-len(block) // 16000), end_stream=True)
    talk.send("client", *items)
    talk.truth[3] = blank(talk, 3, "ab" * 32)
    yield talk.end()
    yield quiet("bomb")


def blank(talk, stream, device):
    """An exchange of which nothing has to be read."""
    item = new_exchange(talk.net.client.port, stream, f"/3/device/{device}", {})
    offsets = dict.fromkeys(("request_offset", "response_offset", "body_offset"))
    return item | offsets | {"payload": None, "payload_length": 0, "is_optional": True}


def flood(size, count):
    """CONTINUATION frames without an end."""
    talk = Talk(f"flood {size}")
    talk.exchange(1)
    items = [h2.HeadersFrame(3, talk.block("client", [(":method", "POST"), (":path", "/3/device/" + "cd" * 32)]))]
    part = literals_of(size)
    items += [h2.ContinuationFrame(3, part)] * count
    talk.send("client", *items, together=True)
    talk.truth[3] = blank(talk, 3, "cd" * 32)
    yield talk.end()
    yield quiet("flood")


def literals_of(size):
    """Fields of one byte each for name and value, up to a size."""
    return b"\x00\x01a\x01b" * (size // 5)


def streams():
    """Stream ids up to 2^31 - 1, and 20,000 that are opened and left open."""
    talk = Talk("streams")
    talk.exchange(1)
    block = talk.block("client", [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + "ef" * 32)])
    again = talk.block("client", [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + "ef" * 32)])
    step = (2**31 - 100_000) // 20_000 // 2 * 2
    for number in range(20_000):
        stream = 3 + number * step
        talk.raw("client", h2.HeadersFrame(stream, again if number else block, flags=["END_HEADERS"]).serialize())
        talk.truth[stream] = blank(talk, stream, "ef" * 32)
    talk.flush("client")
    for stream in (2**31 - 5, 2**31 - 3, 2**31 - 1):
        talk.exchange(stream)
    yield talk.end()


def long_lists():
    """A header list of 200 KiB, a path of 70,000 bytes, and a value of 60,000 that is referred to again and again."""
    talk = Talk("long lists")
    talk.exchange(1)
    for stream, extra in (3, [(f"x-{index}", "v" * 4000) for index in range(50)]), (5, [("x-long", "v" * 60_000)]):
        item = talk.request(stream, extra=extra, count=14)
        item["is_optional"] = True
        talk.respond(stream)
    item = talk.request(7, device="z" * 70_000, count=6)
    item["is_optional"] = True
    talk.respond(7)
    for stream in odd(5, 9):
        talk.exchange(stream)
    yield talk.end()
    yield quiet("long lists")


def tokens():
    """Last components of paths that are no hex, or odd."""
    talk = Talk("tokens")
    devices = ["", "abc", "zz", "../../etc/passwd", "%41%42", "a" * 63, "A" * 400, "ab" * 5000, "token\x00null", "ab\ncd", "0xabcd", " ab",
               "Ｚ", "..", "a?b=c", "ab/cd"]
    for stream, device in zip(odd(len(devices)), devices):
        item = talk.request(stream, device=device)
        item["is_optional"] = not device or "/" in device or "?" in device or "\n" in device or "\0" in device or not device.isascii()
        talk.respond(stream)
    yield talk.end()


HOSTILE = {
    "bomb": bomb, "flood-small": lambda: flood(0, 100_000), "flood-large": lambda: flood(16_000, 200), "streams": streams,
    "long-lists": long_lists, "tokens": tokens}  # fmt: skip
LENIENT = {"odd-json"}
TABLED = {"codings", "no-json"}  # a lost table, or a lost status without a reason, takes more than two exchanges


def write_cases(directory, pattern="*"):
    """The cases, and the hostile ones in a directory of theirs."""
    for kind, cases, where in ("case", CASES, directory), ("hostile", HOSTILE, directory / "hostile"):
        for name, make in cases.items():
            if fnmatch.fnmatch(f"{kind}-{name}", pattern):
                where.mkdir(parents=True, exist_ok=True)
                about = {"client": "written by push_cases.py", "tls": None, "is_exact": kind == "case" and name not in LENIENT}
                about |= {"is_bounded": False} if name in TABLED else {}
                write(where, f"{kind}-{name}", list(make()), about | ({"is_hostile": True} if kind == "hostile" else {}))
                print(f"{kind}-{name}: {(where / f'{kind}-{name}.pcap').stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    write_cases(Path(sys.argv[1]), *sys.argv[2:])
