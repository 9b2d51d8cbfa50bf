"""Capture files of every kind, sound and damaged (capture.md, Files, Damage)."""

import struct

from cases.captured import PARTS, capture, captures, feedback, on_ethernet, session
from cases.wire import cut, gap, rec, skip, described
from oracle.captures import BEGIN, Capture, Frame, Section, pcap, sections
from oracle.packets import bare, ethernet, vlan

FIRST = 3  # packets of the handshake before the first one with data
TIME = "2014-04-01T00:00:00.003"  # of packet 4, which brings the first tuple
ONE = PARTS[:1]


def cases():
    return [*pcaps(), *blocks(), *interfaces(), *clocks(), *damaged_pcap(), *damaged_pcapng()]


def few():
    """Frames of a connection with one tuple: 7 packets."""
    return on_ethernet(session(ONE, [38]))


def timed(text):
    """Its stream, with the time that the record must have."""
    return feedback([described(part, captured_at=text) for part in ONE])


def pcaps():
    packets = few()
    files = {
        "little": pcap(packets), "big": pcap(packets, order=">"), "little-nanoseconds": pcap(packets, nanoseconds=True),
        "big-nanoseconds": pcap(packets, order=">", nanoseconds=True),
    }  # fmt: skip
    ends = {"little": "000Z", "big": "000Z", "little-nanoseconds": "000000Z", "big-nanoseconds": "000000Z"}
    yield captures(
        "capture/pcap", "pcap in either byte order, with microseconds and with nanoseconds; times keep their precision",
        ["capture/pcap", "capture/byte-orders", "capture/time-resolution"], files,
        lambda key: [timed(TIME + ends[key])],
    )  # fmt: skip
    yield captures(
        "capture/pcap-modified", "Kuznetzov's variant of pcap has longer records", ["capture/pcap"],
        {"little": pcap(packets, modified=True), "big": pcap(packets, order=">", modified=True)}, lambda key: [feedback(ONE)],
    )  # fmt: skip
    yield capture("capture/no-packets", "A capture without packets has no streams", ["capture/pcap"], pcap([]), [])


def pcapng(order="<", **more):
    return Section(order, **more).interface()


def blocks():
    packets = few()
    files = {"little": sections(pcapng().packets(packets)), "big": sections(pcapng(">").packets(packets))}
    yield captures(
        "capture/pcapng", "pcapng in either byte order", ["capture/pcapng", "capture/byte-orders"], files,
        lambda key: [timed(TIME + "000Z")], suffix="pcapng",
    )  # fmt: skip
    packets = on_ethernet(session())
    first, second = pcapng(">").packets(packets[:5]), pcapng("<").packets(packets[5:])
    yield capture(
        "capture/sections", "A file may have several sections, each in its own byte order; packets are counted through",
        ["capture/sections", "capture/byte-orders"],
        sections(first, second), [feedback(packets={("server", 0): 4, ("server", 76): 6})], suffix="pcapng",
    )  # fmt: skip
    length = len(pcapng().packets(packets[:5]).data) - 28  # without the section's own header
    known = Section(length=length).interface().packets(packets[:5])
    yield capture(
        "capture/section-with-its-length", "A section may say how long it is", ["capture/sections"],
        sections(known, pcapng().packets(packets[5:])), [feedback()], suffix="pcapng",
    )  # fmt: skip
    simple, old = pcapng(), pcapng()
    for frame in few():
        simple.simple_packet(frame)
        old.old_packet(frame)
    yield capture(
        "capture/simple-packets", "Simple packet blocks have no time", ["capture/packet-blocks"], sections(simple),
        [timed(None)], suffix="pcapng",
    )  # fmt: skip
    yield capture(
        "capture/obsolete-packets", "Obsolete packet blocks are read", ["capture/packet-blocks"], sections(old),
        [timed(TIME + "000Z")],
        suffix="pcapng",
    )  # fmt: skip
    short, kept = pcapng_with_snap(84), [cut(PARTS[0].data[:30]), gap(8)]
    lost = {"direction": "server", "code": "truncated-packet", "offset": 30, "length": 8, "packet": 4}
    yield capture(
        "capture/simple-packets-with-a-snap-length",
        "Of a simple packet, the interface's snap length says how much was captured",
        ["capture/packet-blocks", "capture/snap-length"], sections(short), [feedback(kept, findings=[lost])], suffix="pcapng",
    )  # fmt: skip
    yield capture(
        "capture/option-beyond-its-block", "An option that reaches beyond its block does not harm the packet",
        ["capture/other-blocks"], sections(with_long_option(few())), [feedback(ONE)], suffix="pcapng",
    )  # fmt: skip
    yield capture(
        "capture/options-and-unknown-blocks", "Options, statistics, names, secrets and blocks of unknown types are skipped",
        ["capture/other-blocks"],
        sections(with_everything(packets)), [feedback()], suffix="pcapng",
    )  # fmt: skip


def pcapng_with_snap(snap):
    section = Section().interface(snap=snap)
    for frame in on_ethernet(session(ONE, [38]), snap=snap):
        section.simple_packet(frame)
    return section


def with_long_option(packets):
    """A section whose interface has an option of 999 bytes, of which 4 are there."""
    section = Section()
    section.block(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HH", 2, 999) + b"eth0")
    return section.packets(packets)


def with_everything(packets):
    """A section with options of odd lengths and a block of another kind between any two packets."""
    comment = (1, b"a remark of 20 bytes")
    section = Section(options=[(2, b"hardware"), (4, b"made by hand")]).interface(
        options=[(2, b"eth0"), (3, b"x"), (0x4BAD, b"abcde"), comment]
    )
    others = [
        (5, struct.pack("<III", 0, 0, 0) + section.options([(4, bytes(8))])), (4, struct.pack("<HH", 0, 0)),
        (10, struct.pack("<II", 0x544C534B, 14) + b"CLIENT_RANDOM "), (0x0BAD, struct.pack("<I", 32473) + b"custom"),
        (0x40000BAD, struct.pack("<I", 32473)), (0x7ABCDEF0, b""), (0x80000001, bytes(range(64))),
    ]  # fmt: skip
    for index, frame in enumerate(packets):
        section.packet(frame, options=[(2, b"\x01\0\0\0"), comment, (1, b"one byte more")] if index % 2 else ())
        section.block(*others[index % len(others)])
    return section


def interfaces():
    frames = session()
    mixed = Section().interface(1).interface(101, snap=70).interface(1)
    for index, packet in enumerate(frames):
        time = BEGIN + index * 1_000_000
        wrapped = (ethernet(packet), bare(packet), vlan(packet))[index % 3]
        mixed.packet(Frame(wrapped[:70] if index % 3 == 1 else wrapped, time, len(wrapped), index % 3))
    # Packet 5 is of interface 1: 20 + 20 + 20 bytes fit into its snap length.
    yield capture(
        "capture/interfaces", "Interfaces of one file may have different link types and snap lengths",
        ["capture/interfaces", "capture/same-streams"],
        sections(mixed), [feedback()], suffix="pcapng",
    )  # fmt: skip


def clock(options, ticks, texts):
    """A file whose interface counts time in units of its own; `ticks` is a function of the packet's number from 0."""
    section = Section().interface(options=options)
    for index, frame in enumerate(few()):
        section.packet(frame, ticks=ticks(index))
    return sections(section), texts


def clocks():
    seconds = BEGIN // 1_000_000_000
    files = {
        "milliseconds": clock([(9, b"\x03")], lambda index: seconds * 1000 + index, TIME + "Z"),
        "nanoseconds": clock(
            [(9, b"\x09")], lambda index: (seconds * 1000 + index) * 1_000_000, TIME + "000000Z",
        ),
        "seconds": clock(
            [(9, b"\0")], lambda index: seconds + index, "2014-04-01T00:00:03Z",
        ),
        "offset": clock([(14, struct.pack("<q", seconds))], lambda index: index * 1000, TIME + "000Z"),
        "offset-back": clock(
            [(14, struct.pack("<q", -1000))], lambda index: (seconds + 1000) * 1_000_000 + index * 1000,
            TIME + "000Z",
        ),
    }  # fmt: skip
    yield captures(
        "capture/time-resolutions",
        "An interface may count time in units of its own, and from another second; times keep their precision",
        ["capture/time-resolution"], {key: file for key, (file, _) in files.items()}, lambda key: [timed(files[key][1])],
        suffix="pcapng",
    )  # fmt: skip
    quarter, texts = clock([(9, b"\x82")], lambda index: seconds * 4 + index, None)
    yield capture(
        "capture/time-in-quarters", "The unit may be a power of two: here 2^-2 seconds", ["capture/time-resolution"], quarter,
        [feedback([described(part, captured_at="2014-04-01T00:00:00.75Z") for part in ONE])], suffix="pcapng",
    )  # fmt: skip


def damage(offset, length, **more):
    return {
        "stream": None, "direction": None, "offset": None, "code": "damaged-capture", "file_offset": offset, "length": length,
        **more,
    }


def damaged_pcap():
    open_end = pcap(on_ethernet(session()[:6]))  # ends with 56 bytes of data
    data, spans = open_end.data, open_end.spans
    kept = [rec(0), rec(1), cut(PARTS[2].data[:18]), gap(20)]
    short = {"direction": "server", "code": "truncated-packet", "offset": 94, "length": 20, "packet": 6}
    yield capture(
        "capture/cut-in-a-packet", "Of a packet that the end of the file cuts, what is there is read",
        ["capture/cut-file", "capture/damage"],
        Capture(data[:-20], spans), [feedback(kept, findings=[short])], findings=[damage(spans[5].begin - 16, 16 + 110 - 20)],
    )  # fmt: skip
    yield capture(
        "capture/cut-in-a-header", "A file may be cut in the header of a record", ["capture/cut-file", "capture/damage"],
        Capture(data[: spans[5].begin - 6], spans[:5]), [feedback([rec(0), cut(PARTS[1].data[:20])])],
        findings=[damage(spans[5].begin - 16, 10)],
    )  # fmt: skip
    whole = pcap(on_ethernet(session()))
    at = whole.spans[4].begin - 16  # where the record of packet 5 begins
    moved = whole.spans[:4] + [span.moved(40) for span in whole.spans[4:]]
    yield capture(
        "capture/zeros-put-in", "After bytes that are no record, reading goes on at the next one that is plausible",
        ["capture/damage"],
        Capture(whole.data[:at] + bytes(40) + whole.data[at:], moved), [feedback()], findings=[damage(at, 40)],
    )  # fmt: skip
    lost = [rec(0), gap(20), skip(PARTS[1].data[20:]), rec(2)]
    length = whole.spans[4].end - at
    yield capture(
        "capture/zeros-over-a-header", "Where a record's header is lost, its packet is, too, and the stream has a gap",
        ["capture/damage"],
        Capture(whole.data[:at] + bytes(16) + whole.data[at + 16 :], whole.spans[:4] + whole.spans[5:]), [feedback(lost)],
        findings=[damage(at, length)],
    )  # fmt: skip
    other = whole.data[:4] + struct.pack("<HH", 3, 7) + whole.data[8:]
    yield capture(
        "capture/pcap-of-another-version", "A file of a version that is not known is read as one of the last known",
        ["capture/damage", "capture/versions"],
        Capture(other, whole.spans), [feedback()], findings=[damage(0, 24)],
    )  # fmt: skip


def damaged_pcapng():
    section = pcapng().packets(on_ethernet(session()))
    at = section.spans[4].begin - 28  # where the block of packet 5 begins
    length = struct.unpack_from("<I", section.data, at + 4)[0]
    lost = [rec(0), gap(20), skip(PARTS[1].data[20:]), rec(2)]
    spans = section.spans[:4] + section.spans[5:]
    for name, shows, changed in (
        ("pcapng-block-without-a-length", "A block whose length is no multiple of 4 is damage", struct.pack("<I", length + 1)),
        ("pcapng-block-too-long", "A block whose length reaches beyond the file is damage", struct.pack("<I", 0x00FFFFF0)),
    ):
        data = section.data[: at + 4] + changed + section.data[at + 8 :]
        yield capture(
            f"capture/{name}", f"{shows}, and reading goes on after it", ["capture/damage", "capture/pcapng"],
            Capture(data, spans),
            [feedback(lost)], suffix="pcapng", findings=[damage(at, length)],
        )  # fmt: skip
    strange = pcapng()
    for index, frame in enumerate(on_ethernet(session())):
        strange.packet(Frame(frame.data, frame.time, frame.length, interface=7 if index == 4 else 0))
    begin = strange.spans.pop(4).begin - 28
    yield capture(
        "capture/pcapng-packet-of-no-interface", "A packet of an interface that the section does not have is damage",
        ["capture/damage", "capture/interfaces"], sections(strange), [feedback(lost)], suffix="pcapng",
        findings=[damage(begin, length)],
    )  # fmt: skip
    cut_off = section.data[: section.spans[8].begin - 10]
    yield capture(
        "capture/pcapng-cut", "A file may be cut in a block", ["capture/cut-file", "capture/pcapng"],
        Capture(cut_off, section.spans[:8]),
        [feedback()], suffix="pcapng", findings=[damage(section.spans[8].begin - 28, 18)],
    )  # fmt: skip
    other = section.data[:12] + struct.pack("<HH", 2, 0) + section.data[16:]
    yield capture(
        "capture/pcapng-of-another-version", "A section of another version is read as one of 1.0", ["capture/versions"],
        Capture(other, section.spans), [feedback()], suffix="pcapng", findings=[damage(0, 28)],
    )  # fmt: skip
