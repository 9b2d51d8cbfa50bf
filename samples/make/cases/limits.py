"""Captures that reach a limit, options about streams, and captures in several files (capture.md, Limits, Rotated captures)."""

from cases.captured import PARTS, capture, feedback, on_ethernet, session
from cases.case import Case
from cases.marks import HELLO
from cases.tcp import DATA, talk
from cases.wire import bytes_of, gap, opaque, rec, skip, described
from oracle.captures import pcap
from oracle.packets import ACK, Conversation, Peer


def cases():
    return [*windows(), *buffers(), *protocols(), *joined()]


def windows():
    idle = Conversation().send("client", 0, ACK)
    opening = talk((0, 38))[:3]

    def says(begin, end):
        return Conversation().says("server", begin, DATA[begin:end])

    early = [*opening, says(38, 58), says(58, 114)]
    yield capture(
        "capture/late-within-the-window", "What is missing may come within --reorder-window more packets",
        ["capture/reorder-window"],
        on_ethernet([*early, says(0, 38), idle]), [feedback()], options=["--reorder-window", "2"],
    )  # fmt: skip
    late = {"direction": "server", "code": "late-segment", "offset": 0, "length": 38, "packet": 8}
    yield capture(
        "capture/late-behind-the-window", "After the window, a gap was declared, and bytes that come for it are left out",
        ["capture/reorder-window", "capture/late-segment"], on_ethernet([*early, idle, idle, says(0, 38)]),
        [feedback([gap(38), rec(1), rec(2)], findings=[late])], options=["--reorder-window", "2"],
    )  # fmt: skip


def buffers():
    packets = talk((38, 58), (58, 100), (100, 114))
    full = {"direction": "server", "code": "buffer-limit", "offset": 0}
    yield capture(
        "capture/stream-buffer", "Where too much waits for a missing byte, a gap is declared early, with a finding",
        ["capture/buffer-limit"],
        on_ethernet(packets), [feedback([gap(38), rec(1), rec(2)], findings=[full])], options=["--stream-buffer", "200"],
    )  # fmt: skip
    yield capture(
        "capture/total-buffer", "The same holds for all streams together", ["capture/buffer-limit"],
        on_ethernet(packets), [feedback([gap(38), rec(1), rec(2)], findings=[full])], options=["--total-buffer", "200"],
    )  # fmt: skip
    one, other = Conversation(), Conversation(client=Peer("192.0.2.11", 50000))
    parts = [rec(10), rec(11)]
    packets = [
        *one.opening(), one.says("server", 0, DATA[:38]), *other.opening(), other.says("server", 0, bytes_of(parts)),
        one.says("server", 38, DATA[38:]),
    ]  # fmt: skip
    evicted = {"code": "connection-evicted", "direction": None}
    began = {"direction": "server", "code": "midstream-start", "offset": 0, "length": 0}
    yield capture(
        "capture/forgotten-connection", "A connection that was forgotten and goes on is another stream",
        ["capture/connection-evicted", "capture/numbers"],
        on_ethernet(packets),
        [
            feedback([rec(0)], findings=[evicted]), feedback(parts, other, findings=[evicted]),
            feedback(PARTS[1:], findings=[began]),
        ],
        options=["--max-connections", "1"],
    )  # fmt: skip
    callers = [Conversation(client=Peer("192.0.2.10", 50000 + number)) for number in range(3)]
    left = {"source": "input.pcap", "stream": None, "code": "connection-evicted"}
    yield capture(
        "capture/silent-connections", "Connections that had carried nothing go first, and are only counted, in one finding",
        ["capture/connection-evicted"],
        on_ethernet([caller.opening()[0] for caller in callers]), [feedback([], caller) for caller in callers], findings=[left],
        options=["--max-connections", "1"],
    )  # fmt: skip


def protocols():
    tls = [opaque(HELLO)]
    conversation = Conversation()
    packets = [
        *conversation.opening(), conversation.says("client", 0, HELLO), conversation.says("server", 0, HELLO),
        *Conversation().closing(45, 45),
    ]
    found = [
        {"direction": side, "code": "encrypted-stream", "offset": 0, "length": len(HELLO)}
        for side in ("client", "server")
    ]
    yield capture(
        "capture/ciphertext", "Each direction of a TLS connection is one finding, also on the port of feedback",
        ["feedback/ciphertext"],
        on_ethernet(packets), [feedback(tls, client=tls, protocol="encrypted", findings=found)],
    )  # fmt: skip
    holed = [opaque(HELLO), gap(30, described=False), opaque(HELLO)]
    packets = [conversation.says("server", at, HELLO) for at in (500, 500 + len(HELLO) + 30)]
    found = [
        {"direction": "server", "code": "encrypted-stream", "offset": 0, "length": 2 * len(HELLO) + 30},
        {"direction": "server", "code": "midstream-start", "offset": 0, "length": 0},
    ]  # fmt: skip
    yield capture(
        "capture/ciphertext-midstream-with-a-gap",
        "Ciphertext is known by the first bytes that were captured; gaps in it are only counted",
        ["feedback/ciphertext", "capture/midstream-start"], on_ethernet(packets),
        [feedback(holed, protocol="encrypted", findings=found)],
    )  # fmt: skip
    text = b"[5 bytes missing in capture file]"
    parts = [rec(0, "unconfirmed-boundary"), skip(text), rec(1, "resynchronised")]
    packets = [*conversation.opening(), conversation.says("server", 0, bytes_of(parts))]
    yield capture(
        "capture/text-of-a-mark", "A capture has no marks: their text in a stream is bytes like others", ["feedback/gap-mark"],
        on_ethernet(packets), [feedback(parts)],
    )  # fmt: skip
    other_port = Conversation(port=12196)
    yield capture(
        "capture/feedback-on-another-port", "On other ports, the protocol follows from the content", ["capture/protocol"],
        on_ethernet(session(conversation=other_port)), [feedback(conversation=other_port)],
    )  # fmt: skip
    garbage = 60 * b"\xff"
    packets = [*other_port.opening(), other_port.says("server", 0, garbage)]
    yield capture(
        "capture/another-protocol", "Streams of other protocols are counted, not decoded",
        ["capture/protocol", "capture/undecoded"],
        on_ethernet(packets), [feedback([opaque(garbage)], other_port, protocol="other")],
    )  # fmt: skip
    yield capture(
        "capture/feedback-port-given", "--feedback-port says what is feedback, whatever it looks like", ["capture/protocol"],
        on_ethernet(packets), [feedback([skip(garbage)], other_port)], options=["--feedback-port", "12196"],
    )  # fmt: skip
    yield capture(
        "capture/protocol-given", "--protocol says what all streams are", ["capture/protocol"],
        on_ethernet(packets), [feedback([skip(garbage)], other_port)], options=["--protocol", "feedback"],
    )  # fmt: skip
    left_out = Conversation(client=Peer("192.0.2.11", 50000))
    packets = [*session(conversation=left_out), *session()]
    yield capture(
        "capture/filter",
        "Packets that a filter leaves out are as if they were not there, but that the others keep their numbers",
        ["capture/filter", "capture/numbers"], on_ethernet(packets), [feedback(fields={"first_packet": 10, "last_packet": 18})],
        options=["--filter", "host 192.0.2.10 and tcp port 2196"],
    )  # fmt: skip


def joined():
    whole = on_ethernet(session())
    first, second = pcap(whole[:5]), pcap(whole[5:])
    sources = ["input.1.pcap", "input.1.pcap", "input.2.pcap", "input.2.pcap"]
    yield Case(
        "capture/rotated",
        "With --join, a connection goes on in the next file; a record is of the file that brought its first byte",
        ["capture/join", "capture/provenance"], {"input.1.pcap": first.data, "input.2.pcap": second.data},
        [of_files(sources, fields={"first_packet": 1, "last_packet": 4})], options=["--join"], format="capture",
        spans={"input.1.pcap": first.spans, "input.2.pcap": second.spans},
    )  # fmt: skip
    again = [{"source": "input.2.pcap", "direction": "server", "code": "unverified-retransmission"}]
    file = pcap(whole)
    yield Case(
        "capture/joined-twice", "Bytes repeated in another file cannot be compared, and are not used; the same file is reported",
        ["capture/join", "capture/copies"],
        {"input.1.pcap": file.data, "input.2.pcap": file.data}, [of_files(4 * ["input.1.pcap"], findings=again)],
        options=["--join"], format="capture", findings=[{"source": "input.2.pcap", "code": "duplicate-input"}],
        spans={"input.1.pcap": file.spans},
    )  # fmt: skip


def of_files(sources, **more):
    """The stream of PARTS with the file that each of them is of."""
    return feedback([described(part, source=source) for part, source in zip(PARTS, sources)], **more)
