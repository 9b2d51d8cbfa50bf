"""Captures in which TCP does what it may: how streams are put together (capture.md, Streams)."""

from cases.captured import PARTS, capture, feedback, on_ethernet, session
from cases.wire import bytes_of, cut, gap, opaque, rec, skip, described
from oracle.packets import ACK, FIN, PSH, RST, SYN, Conversation, Peer

DATA = bytes_of(PARTS)
END = len(DATA)  # 114
MIDDLE = DATA[38:40] + b"?" + DATA[41:50] + b"?" + DATA[51:58]  # bytes 38 to 58 with others at 40 and 50
DOUBT = "conflicting-bytes"


def cases():
    return [*orders(), *copies(), *conflicts(), *damaged_copies(), *probes(), *ends(), *beginnings(), *holes()]


def talk(*chunks, conversation=None):
    """The server's segments, each a start and an end offset, between handshake and end."""
    conversation = conversation or Conversation()
    said = [conversation.says("server", begin, DATA[begin:end]) for begin, end in chunks]
    return [*conversation.opening(), *said, *conversation.closing(server=END)]


def conflict(offset, length, packet):
    return {"direction": "server", "code": "conflicting-overlap", "offset": offset, "length": length, "packet": packet}


def orders():
    packets = {("server", 0): 4, ("server", 38): 5, ("server", 76): 6}
    fields = {
        "first_packet": 1, "last_packet": 9, "started_at": "2014-04-01T00:00:00.000000Z",
        "ended_at": "2014-04-01T00:00:00.008000Z",
    }
    parts = [described(part, captured_at=f"2014-04-01T00:00:00.00{packet - 1}000Z") for part, packet in zip(PARTS, packets.values())]
    yield capture(
        "capture/whole-session",
        "The payload of the segments makes the stream; a record is of the packet that brought its first byte",
        ["capture/stream", "capture/provenance"], on_ethernet(session()), [feedback(parts, packets=packets, fields=fields)],
    )  # fmt: skip
    yield capture(
        "capture/out-of-order", "Segments in another order make the same stream", ["capture/order", "capture/same-streams"],
        on_ethernet(talk((58, 114), (0, 38), (38, 58))),
        [feedback(packets={("server", 0): 5, ("server", 38): 6, ("server", 76): 4})],
    )  # fmt: skip
    yield capture(
        "capture/reversed", "A capture that is reversed as a whole makes the same stream",
        ["capture/order", "capture/same-streams"],
        on_ethernet(session()[::-1]), [feedback(fields={"first_packet": 1, "last_packet": 9})],
    )  # fmt: skip
    near_end = Conversation(starts=(2**32 - 5, 2**32 - 60))
    yield capture(
        "capture/wrap-around", "Sequence numbers go on from 0 after their largest value", ["capture/wrap-around"],
        on_ethernet(talk((0, 38), (58, 114), (38, 58), (38, 58), conversation=near_end)), [feedback()],
    )  # fmt: skip
    at_end = Conversation(starts=(2**32 - 1, 2**32 - 1))
    yield capture(
        "capture/wrap-around-at-the-syn", "A SYN may have the largest sequence number", ["capture/wrap-around"],
        on_ethernet(talk((0, 100), (100, 114), conversation=at_end)), [feedback()],
    )  # fmt: skip
    one, other = Conversation(), Conversation(client=Peer("192.0.2.11", 49152))
    parts = [rec(10), rec(11)]
    late = other.says("server", 0, bytes_of(parts))
    whole = [*one.opening()[:1], *other.opening(), *one.opening()[1:], late, *talk((0, 114))[3:], *other.closing(server=76)]
    yield capture(
        "capture/two-connections", "Streams are numbered in the order of their first packets, with payload or without",
        ["capture/numbers"],
        on_ethernet(whole), [feedback(fields={"first_packet": 1}), feedback(parts, other, fields={"first_packet": 2})],
    )  # fmt: skip


def copies():
    yield capture(
        "capture/retransmission", "Bytes that come again and are the same change nothing", ["capture/copies"],
        on_ethernet(talk((0, 38), (38, 58), (0, 38), (38, 58), (58, 114), (0, 114))), [feedback()],
    )  # fmt: skip
    yield capture(
        "capture/overlaps", "Segments that overlap and agree change nothing", ["capture/copies"],
        on_ethernet(talk((0, 50), (30, 100), (20, 60), (99, 114), (10, 114))), [feedback()],
    )  # fmt: skip
    patched = Conversation().says("server", 30, DATA[30:38] + DATA[38:60])
    yield capture(
        "capture/copy-with-more", "What a copy has beyond the first one is new, and counts",
        ["capture/copies", "capture/first-copy"],
        on_ethernet([*talk((0, 38))[:4], patched, *talk((60, 114))[3:]]), [feedback()],
    )  # fmt: skip


def conflicts():
    """Copies that differ. All have right checksums, so that none of them counts more than another."""
    conversation = Conversation()
    doubtful = [rec(0), rec(1, DOUBT), rec(2)]
    before, rest = talk((0, 38), (38, 58)), talk((58, 114))[3:]
    again = conversation.says("server", 38, MIDDLE)
    yield capture(
        "capture/other-bytes-behind",
        "Of a byte that comes twice with other content, the first copy counts, in doubt, and the finding spans all that differs",
        ["capture/first-copy", "capture/conflict", "capture/doubt"], on_ethernet([*before[:5], again, *rest]),
        [feedback(doubtful, findings=[conflict(40, 11, 6)])],
    )  # fmt: skip
    both = DATA[30:32] + b"?" + DATA[33:60] + b"?" + DATA[61:70]
    across = conversation.says("server", 30, both)
    yield capture(
        "capture/other-bytes-over-two-segments",
        "A copy that differs from two packets is reported for each of them, and records that have no such byte are not in doubt",
        ["capture/first-copy", "capture/conflict", "capture/doubt"],
        on_ethernet([*talk((0, 38), (58, 114))[:5], across, *conversation.closing(server=END)]),
        [feedback([rec(0, DOUBT), rec(1, DOUBT), rec(2)], findings=[conflict(32, 1, 6), conflict(60, 1, 6)])],
    )  # fmt: skip
    late = Conversation().says("server", 38, b"?" + DATA[39:58])
    yield capture(
        "capture/other-bytes-behind-the-end", "Also after the end of a connection, other bytes are reported, and cast doubt",
        ["capture/conflict", "capture/doubt"],
        on_ethernet([*talk((0, 38), (38, 58), (58, 114)), late]), [feedback(doubtful, findings=[conflict(38, 1, 10)])],
    )  # fmt: skip
    wrong = bytes(32)
    parts = [rec(0), rec(1, DOUBT, "zero-filled-token", body=wrong), rec(2)]
    forged = conversation.says("server", 44, wrong)
    yield capture(
        "capture/other-bytes-in-front", "The copy that was read first counts, in doubt, also where it came before its turn",
        ["capture/first-copy", "capture/conflict", "capture/doubt"],
        on_ethernet([*before[:3], forged, *talk((38, 114), (0, 38))[3:]]), [feedback(parts, findings=[conflict(44, 32, 5)])],
    )  # fmt: skip


def damaged_copies():
    """Two copies, of which one was damaged on its way: it has the checksum of the other one."""
    conversation = Conversation()
    good, found = conversation.says("server", 38, DATA[38:58]), [conflict(40, 11, 6)]
    bad, rest = good[:-20] + MIDDLE, talk((58, 114))[3:]

    def sent(*copies):
        return on_ethernet([*talk((0, 38))[:4], *copies, *rest])

    yield capture(
        "capture/damaged-copy-in-front", "Of two copies, the one with a right checksum counts, with its own packet",
        ["capture/right-checksum", "capture/conflict"],
        sent(bad, good), [feedback(findings=found, packets={("server", 0): 4, ("server", 38): 6, ("server", 76): 7})],
    )  # fmt: skip
    yield capture(
        "capture/damaged-copy-behind", "A copy with a wrong checksum changes nothing, and casts no doubt",
        ["capture/right-checksum", "capture/conflict"],
        sent(good, bad), [feedback(findings=found, packets={("server", 0): 4, ("server", 38): 5, ("server", 76): 7})],
    )  # fmt: skip
    none = [conversation.says("server", 38, data, checksum=0) for data in (DATA[38:58], MIDDLE)]
    yield capture(
        "capture/other-bytes-without-checksums", "A checksum of 0 proves nothing: the first copy counts, in doubt",
        ["capture/first-copy", "capture/doubt", "capture/conflict"],
        sent(*none), [feedback([rec(0), rec(1, DOUBT), rec(2)], findings=found)],
    )  # fmt: skip


def probes():
    conversation = Conversation()
    opening, closing = conversation.opening(), Conversation().closing(server=END)
    keep_alives = [
        conversation.says("server", 37, b"\0"), conversation.send("client", 0, ACK), conversation.says("server", 37, b""),
        conversation.send("server", 37, ACK, b"?"),
    ]  # fmt: skip
    yield capture(
        "capture/keep-alives", "A keep-alive repeats the last byte with any value: it adds nothing, and is no conflict",
        ["capture/keep-alive"],
        on_ethernet(
            [
                *opening, conversation.says("server", 0, DATA[:38]), *keep_alives, conversation.says("server", 38, DATA[38:]),
                *closing,
            ]
        ),
        [feedback()],
    )  # fmt: skip
    before = conversation.send("server", -1, ACK, b"\0")
    yield capture(
        "capture/keep-alive-in-front", "A keep-alive before the first byte replaces the SYN",
        ["capture/keep-alive"],
        on_ethernet([*opening, before, conversation.says("server", 0, DATA), *closing]), [feedback()],
    )  # fmt: skip
    shut, open_again = conversation.send("client", 0, ACK, window=0), conversation.send("client", 0, ACK)
    first, rest = conversation.says("server", 0, DATA[:38]), conversation.says("server", 38, DATA[38:])
    probe, other_probe = (conversation.send("server", 38, ACK, byte) for byte in (DATA[38:39], b"?"))
    yield capture(
        "capture/window-probe", "A byte that probes a closed window was not accepted: the next bytes replace it",
        ["capture/window-probe"],
        on_ethernet([*opening, first, shut, other_probe, shut, open_again, rest, *closing]), [feedback()],
    )  # fmt: skip
    yield capture(
        "capture/window-probe-without-an-answer", "A probe at the end of the capture adds nothing", ["capture/window-probe"],
        on_ethernet([*opening, first, shut, probe, shut, probe]), [feedback([rec(0)])],
    )  # fmt: skip
    after = conversation.says("server", 39, DATA[39:])
    yield capture(
        "capture/window-probe-that-was-taken", "A probe that the bytes after it continue was taken", ["capture/window-probe"],
        on_ethernet([*opening, first, shut, probe, open_again, after, *closing]), [feedback()],
    )  # fmt: skip


def ends():
    conversation = Conversation()
    opening = conversation.opening()
    first, rest = conversation.says("server", 0, DATA[:76]), conversation.says("server", 76, DATA[76:])
    last = conversation.send("server", 76, FIN | PSH | ACK, DATA[76:])
    yield capture(
        "capture/fin-with-data", "A FIN may bring the last bytes", ["capture/end"], on_ethernet([*opening, first, last]),
        [feedback()],
    )  # fmt: skip
    yield capture(
        "capture/fin-before-data", "A FIN ends a direction when all bytes before it are there, also if these come later",
        ["capture/end"],
        on_ethernet([*opening, first, *Conversation().closing(server=END), rest]), [feedback()],
    )  # fmt: skip
    reset = conversation.send("server", END, RST | ACK)
    yield capture(
        "capture/reset", "A RST ends a direction when all bytes before it are there", ["capture/end"],
        on_ethernet([*opening, first, reset, rest]),
        [feedback()],
    )  # fmt: skip
    reason = conversation.send("server", 76, RST | ACK, b"no application")
    yield capture(
        "capture/reset-with-text", "The text of a RST is no part of the stream", ["capture/end"],
        on_ethernet([*opening, first, reason]),
        [feedback([rec(0), rec(1)])],
    )  # fmt: skip
    later = Conversation(starts=(90_000_000, 80_000_000))
    parts = [rec(10), rec(11)]
    again = [*later.opening(), later.says("server", 0, bytes_of(parts)), *later.closing(server=76)]
    yield capture(
        "capture/port-reuse", "A SYN with another sequence number begins another stream between the same peers",
        ["capture/port-reuse", "capture/numbers"],
        on_ethernet([*session(), *again]), [feedback(fields={"last_packet": 9}), feedback(parts, fields={"first_packet": 10})],
    )  # fmt: skip
    yield capture(
        "capture/port-reuse-of-an-open-connection", "That holds also where the first connection was not seen to end",
        ["capture/port-reuse"],
        on_ethernet([*opening, first, *again]), [feedback([rec(0), rec(1)]), feedback(parts)],
    )  # fmt: skip
    yield capture(
        "capture/syn-again", "A SYN that comes again with the same number begins nothing", ["capture/port-reuse"],
        on_ethernet([opening[0], opening[0], opening[1], opening[0], opening[1], opening[2], first, opening[1], rest]),
        [feedback()],
    )  # fmt: skip


def beginnings():
    conversation = Conversation()
    began = {"direction": "server", "code": "midstream-start", "offset": 0, "length": 0, "packet": 1}
    after = [skip(DATA[58:76]), rec(2)]
    yield capture(
        "capture/midstream",
        "A direction whose SYN was not captured begins at the lowest byte known, and at the first tuple that can be one",
        ["capture/midstream-start", "feedback/run-start"], on_ethernet(talk((58, 114))[3:]),
        [feedback(after, findings=[began])],
    )  # fmt: skip
    yield capture(
        "capture/midstream-out-of-order", "The lowest byte counts, also if it was not captured first",
        ["capture/midstream-start", "capture/order"],
        on_ethernet(talk((100, 114), (76, 100), (58, 76))[3:]), [feedback(after, findings=[{**began, "packet": 3}])],
    )  # fmt: skip
    yield capture(
        "capture/midstream-at-a-tuple", "Where the capture begins at a tuple, no byte is skipped and no record flagged",
        ["capture/midstream-start", "feedback/run-start"],
        on_ethernet(talk((38, 100), (100, 114))[3:]), [feedback([rec(1), rec(2)], findings=[began])],
    )  # fmt: skip
    late_syn = talk((0, 114))
    yield capture(
        "capture/syn-behind-the-data", "A SYN that comes after the data is still the beginning",
        ["capture/midstream-start", "capture/order"],
        on_ethernet([late_syn[3], *late_syn[:3], *late_syn[4:]]), [feedback()],
    )  # fmt: skip
    of_server = [packet for index, packet in enumerate(session()) if index not in (0, 2, 7)]
    yield capture(
        "capture/one-direction", "One direction alone is enough", ["capture/one-direction"], on_ethernet(of_server),
        [feedback()],
    )  # fmt: skip
    syn_ack = conversation.send("server", -1, SYN | ACK, DATA[:38])
    yield capture(
        "capture/payload-in-syn", "Payload in a SYN is delivered", ["capture/payload-in-syn"],
        on_ethernet([conversation.opening()[0], syn_ack, *talk((38, 114))[2:]]), [feedback()],
    )  # fmt: skip
    hello = b"list, please\r\n"
    asked = [
        *conversation.opening(), conversation.says("client", 0, hello), *talk((0, 114))[3:-3],
        *Conversation().closing(len(hello), END),
    ]
    yield capture(
        "capture/client-that-speaks", "What a client sends to a feedback server is counted, not decoded", ["capture/undecoded"],
        on_ethernet(asked),
        [feedback(client=[opaque(hello)])],
    )  # fmt: skip


def holes():
    lost = [rec(0), gap(20, packet=5), skip(DATA[58:76]), rec(2)]
    yield capture(
        "capture/gap", "A segment that is missing is a gap with its length, and never zeros", ["capture/gap", "law/accounting"],
        on_ethernet(talk((0, 38), (58, 114))), [feedback(lost)],
    )  # fmt: skip
    yield capture(
        "capture/two-gaps", "Every hole is a gap of its own", ["capture/gap"], on_ethernet(talk((0, 20), (38, 58), (76, 114))),
        [feedback([cut(DATA[:20]), gap(18), skip(DATA[38:58]), gap(18), rec(2)])],
    )  # fmt: skip
    yield capture(
        "capture/gap-at-the-end", "A FIN shows that bytes before it are missing", ["capture/gap-at-the-end"],
        on_ethernet(talk((0, 38), (38, 58))),
        [feedback([rec(0), cut(DATA[38:58]), gap(56)])],
    )  # fmt: skip
    conversation = Conversation()
    conversation.acknowledged["server"] = END
    ahead = conversation.send("client", 0, ACK)
    yield capture(
        "capture/acknowledged-but-not-there", "Acknowledgements are no evidence of a loss", ["capture/acknowledgements"],
        on_ethernet([*talk((0, 38), (38, 58))[:5], ahead]), [feedback([rec(0), cut(DATA[38:58])])],
    )  # fmt: skip
    told_short = {"direction": "server", "code": "truncated-packet"}
    short = [{**told_short, "offset": 30, "length": 8, "packet": 4}, {**told_short, "offset": 88, "length": 26, "packet": 6}]
    kept = [cut(DATA[:30]), gap(8), rec(1), cut(DATA[76:88]), gap(26)]
    yield capture(
        "capture/snap-length", "Packets that were cut by the snap length yield what is there, then a gap",
        ["capture/snap-length"],
        on_ethernet(session(), snap=84), [feedback(kept, findings=short)],
    )  # fmt: skip
    healed = [*talk((0, 38), (30, 38), (38, 60), (60, 90), (90, 114))]
    yield capture(
        "capture/snap-length-and-a-copy", "Bytes that the snap length cut may come again",
        ["capture/snap-length", "capture/copies"],
        on_ethernet(healed, snap=84), [feedback(findings=short[:1])],
    )  # fmt: skip
