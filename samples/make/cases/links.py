"""Captures of the same conversation by every link layer, in tunnels, over both families of IP (capture.md, Link layers)."""

import struct

from cases.captured import PARTS, SIZES, capture, captures, feedback, segments, session
from cases.wire import bytes_of, cut, gap, rec, skip, described
from oracle import packets as network
from oracle.captures import Frame, Section, frames, pcap, sections
from oracle.packets import Conversation, Peer, ethernet, exported_pdu

FEW, FEW_SIZES = PARTS[:1], [20, 18]  # enough to see that a layer is looked through
V6 = {"client": Peer("2001:db8::10", 49152), "server": Peer("2001:db8::20", 2196)}


def cases():
    return [*layers(), *tunnels(), *addresses(), *fragments(), *lengths(), *pdus(), *unread()]


def by(wrap, link, version=4, **more):
    """A file of the conversation by a link layer."""
    conversation = Conversation(**(V6 if version == 6 else {}))
    return pcap(frames(session(FEW, FEW_SIZES, conversation), wrap), link, **more)


def layer(name, shows, label, files, versions=None):
    """One case of files by link layer; `versions` names the files that are of IPv6."""

    def streams(key):
        return [feedback(FEW, Conversation(**(V6 if (versions or {}).get(key) == 6 else {})))]

    return captures(name, shows, [label, "capture/same-streams"], files, streams)


def layers():
    yield layer(
        "capture/ethernet", "Ethernet carries IPv4 and IPv6", "capture/ethernet",
        {"ipv4": by(ethernet, 1), "ipv6": by(ethernet, 1, version=6)}, {"ipv6": 6},
    )  # fmt: skip
    yield layer(
        "capture/ethernet-tags", "One tag (802.1Q) or two (QinQ) are between addresses and packet", "capture/vlan",
        {"802.1q": by(network.vlan, 1), "qinq": by(network.qinq, 1)},
    )  # fmt: skip
    yield layer(
        "capture/ethernet-snap", "LLC and SNAP precede the packet where the frame has a length", "capture/llc-snap",
        {"llc": by(network.snap, 1)},
    )
    yield layer(
        "capture/pppoe", "PPPoE in Ethernet, with IPv4 or IPv6", "capture/pppoe",
        {"ipv4": by(network.pppoe, 1), "ipv6": by(network.pppoe, 1, version=6)}, {"ipv6": 6},
    )  # fmt: skip
    yield layer("capture/mpls", "Two labels of MPLS in Ethernet", "capture/mpls", {"labels": by(network.mpls, 1)})
    yield layer(
        "capture/ppp", "PPP with its address and control bytes (ff 03) or without, and as link type 50", "capture/ppp",
        {"9": by(network.ppp, 9), "9-with-ff03": by(network.ppp_hdlc, 9), "50": by(network.ppp_hdlc, 50)},
    )  # fmt: skip
    yield layer(
        "capture/null-and-loop", "Loopbacks of BSD name the family in the byte order of their host, or of the net",
        "capture/null-loop",
        {
            "null-little": by(network.null, 0), "null-big": by(lambda packet: network.null(packet, ">"), 0, order=">"),
            "null-foreign": by(lambda packet: network.null(packet, ">"), 0), "loop": by(network.loop, 108),
        },
    )  # fmt: skip
    yield layer(
        "capture/raw-ip", "Packets of IP without any link layer, by all numbers that this has", "capture/raw",
        {
            "101": by(network.bare, 101), "12": by(network.bare, 12), "228-ipv4": by(network.bare, 228),
            "229-ipv6": by(network.bare, 229, version=6), "101-ipv6": by(network.bare, 101, version=6),
        },
        {"229-ipv6": 6, "101-ipv6": 6},
    )  # fmt: skip
    yield layer(
        "capture/linux-cooked", "Linux' cooked captures, of both versions", "capture/cooked",
        {"sll": by(network.sll, 113), "sll2": by(network.sll2, 276)},
    )
    yield layer(
        "capture/nflog", "The packet is one of several values in a packet of NFLOG", "capture/nflog",
        {"nflog": by(network.nflog, 239)},
    )
    yield layer(
        "capture/wifi", "Data frames of 802.11, plain and after radiotap, with quality of service and without",
        "capture/802-11",
        {"plain": by(network.wifi, 105), "radiotap": by(network.radiotap, 127)},
    )  # fmt: skip


    secret = pcap(frames(session(FEW, FEW_SIZES), network.wifi_encrypted), 105)
    yield capture(
        "capture/wifi-encrypted", "Data frames of 802.11 that are encrypted are not read", ["capture/802-11"], secret, [],
    )  # fmt: skip


def tunnels():
    yield layer(
        "capture/tunnels", "GRE, VXLAN and IP in IP carry the packet that counts", "capture/tunnels",
        {
            "gre-with-key": by(lambda packet: ethernet(network.gre_with_key(packet)), 1),
            "gre": by(lambda packet: ethernet(network.gre(packet)), 1),
            "vxlan": by(lambda packet: ethernet(network.vxlan(packet)), 1),
            "ip-in-ip": by(lambda packet: ethernet(network.ip_in_ip(packet)), 1),
            "ipv6-in-ipv4": by(lambda packet: ethernet(network.ip_in_ip(packet)), 1, version=6),
        },
        {"ipv6-in-ipv4": 6},
    )  # fmt: skip
    yield layer(
        "capture/tunnel-in-a-tunnel", "Headers are looked through one within another", "capture/tunnels",
        {"vxlan-in-gre-in-vlan": by(lambda packet: network.vlan(network.gre(network.vxlan(packet))), 1)},
    )  # fmt: skip


def addresses():
    options = bytes.fromhex("94040000" "01010100")  # router alert, then no operations and the end
    with_options = Conversation(wrap=lambda source, target, content: network.ipv4(source, target, content, options=options))
    yield capture(
        "capture/ipv4-options", "Options of IPv4 make its header longer", ["capture/ip-options"],
        frames(session(conversation=with_options), ethernet), [feedback(conversation=with_options)],
    )  # fmt: skip
    extensions = bytes.fromhex("3c00" "050200000100") + bytes.fromhex("0601" "010c") + bytes(12)  # hop by hop, then destination
    extended = Conversation(
        **V6, wrap=lambda source, target, content: network.ipv6(source, target, content, extensions=extensions, first=0)
    )
    yield capture(
        "capture/ipv6-extensions", "Extension headers are between IPv6 and TCP", ["capture/ip-options"],
        frames(session(conversation=extended), ethernet), [feedback(conversation=extended)],
    )  # fmt: skip
    offloaded = Conversation(
        wrap=lambda source, target, content: network.ipv4(source, target, content[:16] + b"\x12\x34" + content[18:]),
    )
    yield capture(
        "capture/wrong-checksums", "Checksums are not judged: senders leave them to the network card", ["capture/checksums"],
        frames(session(conversation=offloaded), ethernet), [feedback(conversation=offloaded)],
    )  # fmt: skip


def fragmented(order, family, **more):
    """The conversation with its largest segment, packet 6, in three fragments in this order."""
    conversation = Conversation(**(V6 if family == 6 else {}))
    packets = session(conversation=conversation)
    cut_up = network.fragments6 if family == 6 else network.fragments4
    chunks = cut_up(packets[5], 48, 24)
    packets[5:6] = [chunks[index] for index in order]
    return pcap(frames(packets, ethernet)), conversation


def fragments():
    for family in (4, 6):
        orders = {"reversed": [2, 1, 0], "twice": [1, 0, 1, 2]}
        files = {key: fragmented(order, family)[0] for key, order in orders.items()}
        conversation = Conversation(**(V6 if family == 6 else {}))
        yield captures(
            f"capture/ipv{family}-fragments", f"Fragments of IPv{family} are put together in any order, copies among them",
            ["capture/fragments"], files, lambda key, conversation=conversation: [feedback(conversation=conversation)],
        )  # fmt: skip
    lost = [rec(0), cut(bytes_of([rec(1)])[:20]), gap(56)]
    content, conversation = fragmented([0, 2], 4)
    yield capture(
        "capture/fragment-missing", "A datagram of which a fragment is missing is not used, and the stream lacks it",
        ["capture/fragments", "capture/gap-at-the-end"], content, [feedback(lost, conversation)],
        findings=[{"code": "fragment-missing", "stream": None, "direction": None, "offset": None, "packet": 6}],
    )  # fmt: skip
    packets = session()
    first, second, third = network.fragments4(packets[5], 48, 24)
    again = network.fragments4(packets[5][:-1] + b"?", 40)[1]  # from byte 40 on, over both others
    packets[5:6] = [first, again, second, third]
    yield capture(
        "capture/fragment-overlap", "Fragments that overlap and are no copies are refused, and the stream lacks their datagram",
        ["capture/fragments"], frames(packets, ethernet), [feedback(lost)],
        findings=[{"code": "fragment-overlap", "stream": None, "direction": None, "offset": None, "packet": 7}],
    )  # fmt: skip


def lengths():
    zero = Conversation(wrap=lambda source, target, content: network.ipv4(source, target, content, length=0))
    yield capture(
        "capture/total-length-0",
        "A total length of 0 is what segmentation offload leaves: the packet is as long as it was captured",
        ["capture/total-length-0"], frames(session(conversation=zero), ethernet), [feedback(conversation=zero)],
    )  # fmt: skip
    yield capture(
        "capture/padding-and-trailers", "Padding of short frames and trailers of others never enter a stream",
        ["capture/padding"],
        frames(session(sizes=[1, 2, 35, 76]), network.padded), [feedback()],
    )  # fmt: skip
    jumbo = Conversation(**V6, wrap=jumbogram)
    yield capture(
        "capture/jumbograms", "A jumbogram has its length in an option", ["capture/jumbo"],
        frames(session(conversation=jumbo), ethernet), [feedback(conversation=jumbo)],
    )  # fmt: skip


def jumbogram(source, target, content):
    """A packet of IPv6 whose own length is 0 and is in a hop-by-hop option instead."""
    option = struct.pack(">BBBBI", 6, 0, 0xC2, 4, 8 + len(content))
    packet = bytearray(network.ipv6(source, target, content, extensions=option, first=0))
    packet[4:6] = bytes(2)
    return bytes(packet)


def pdus():
    conversation = Conversation()
    data, ends = bytes_of(PARTS), (conversation.server, conversation.client)
    chunks = list(segments(data, SIZES))
    plain = [exported_pdu(chunk, *ends, number=40 + at) for at, chunk in chunks]
    stream = feedback()
    stream.server = [described(part, original_packet=number) for part, number in zip(PARTS, (40, 78, 98))]
    yield capture(
        "capture/exported-pdus", "Exported PDUs follow each other, and keep the number of the packet that they were made from",
        ["capture/exported-pdu"], pcap(frames(plain), 252), [stream],
    )  # fmt: skip
    short = [exported_pdu(data[at : at + size], *ends) for at, size in ((0, 1), (1, 2), (3, 111))]
    yield capture(
        "capture/exported-pdus-of-odd-lengths", "Lengths of tags are used unchanged, including padding",
        ["capture/exported-pdu"],
        pcap(frames(short), 252), [feedback()],
    )  # fmt: skip
    other = Conversation(**V6)
    yield capture(
        "capture/exported-pdus-of-ipv6", "Exported PDUs have addresses of either family", ["capture/exported-pdu"],
        pcap(frames([exported_pdu(data, other.server, other.client)]), 252), [feedback(conversation=other)],
    )  # fmt: skip
    numbers = [exported_pdu(chunk, *ends, sequence=1 + at) for at, chunk in chunks]
    yield capture(
        "capture/exported-pdus-with-sequence-numbers", "Exported PDUs with TCP's numbers are put in order by them",
        ["capture/exported-pdu"],
        pcap(frames([numbers[0], numbers[2], numbers[1], numbers[1]]), 252), [feedback()],
    )  # fmt: skip


def unread():
    other = Frame(bytes(40), frames([b""])[0].time, 40)
    noted = {"code": "unsupported-link-type", "stream": None}
    yield capture(
        "capture/no-supported-link-type", "A capture in which no packet has a link type that is read is an input that failed",
        ["capture/unsupported-link-type"], pcap([other, other], 147), [],
        findings=[{**noted, "packet": 1}, {"code": "unreadable-input"}], exit=2,
    )  # fmt: skip
    packets = session()
    mixed, (*read, last) = Section().interface().interface(147), frames(packets, ethernet)
    mixed.packets(read).packet(Frame(other.data, read[-1].time, 40, 1)).packet(Frame(other.data, read[-1].time, 40, 1)).packet(last)
    yield capture(
        "capture/unsupported-link-type", "Packets of a link type that is not read are skipped, and reported once",
        ["capture/unsupported-link-type"], sections(mixed), [feedback()], suffix="pcapng",
        findings=[{**noted, "packet": len(packets)}],
    )  # fmt: skip
    broken = bytearray(packets[4])
    broken[32] = 0x10  # a TCP header of 4 bytes
    packets[4] = bytes(broken)
    yield capture(
        "capture/malformed-packet", "A packet with an invalid header is skipped, and the stream lacks its bytes",
        ["capture/malformed-packet"],
        frames(packets, ethernet), [feedback([rec(0), gap(20), skip(bytes_of([rec(1)])[20:]), rec(2)])],
        findings=[{"code": "malformed-packet", "stream": None, "packet": 5}],
    )  # fmt: skip
