"""Captures that have one thing wrong each, so that every finding about captures can be had."""

import struct

from oracle.captures import frames, pcap
from oracle.packets import ACK, SYN, Peer, ipv4, segment
from oracle.tcp import HEADER, records

LINK_TYPE = 20  # offset of the link type in the header
IPV4 = 228  # the link type of packets that begin with an IPv4 header
SERVER, CLIENT = Peer("192.0.2.2", 2196), Peer("192.0.2.1", 40000)
MORE_FRAGMENTS = 0x2000


def snapped(capture, length):
    """The capture, truncated to a snap length in bytes."""
    cut = []
    for header, data in records(capture):
        data = data[:length]
        cut.append(header[:8] + struct.pack("<I", len(data)) + header[12:] + data)
    return capture[:HEADER] + b"".join(cut)


def contradicting(capture):
    """The capture with another copy of its longest packet, the last byte of which differs."""
    header, data = max(records(capture), key=lambda packet: len(packet[1]))
    return capture + header + data[:-1] + bytes([data[-1] ^ 1])


def of_link_type(capture, number):
    return capture[:LINK_TYPE] + struct.pack("<I", number) + capture[LINK_TYPE + 4 :]


def ipv4_capture(*contents, fragment=0):
    """A capture of IPv4 packets from the server; all are said to be the same fragment of one datagram."""
    packets = [ipv4(SERVER, CLIENT, content, number=7, fragment=fragment) for content in contents]
    return pcap(frames(packets), link=IPV4).data


def answer(flags, number=0):
    """A segment of the server, to one of many ports."""
    return segment(SERVER, Peer(CLIENT.address, CLIENT.port + number), 1, 0, flags)


def incomplete_datagram():
    return ipv4_capture(answer(ACK)[:16], fragment=MORE_FRAGMENTS)


def contradicting_fragments():
    first = answer(ACK)[:16]
    return ipv4_capture(first, first[:-1] + b"\x01", fragment=MORE_FRAGMENTS)


def malformed():
    """A TCP header that claims to be 4 bytes long."""
    head = answer(ACK)
    return ipv4_capture(head[:12] + b"\x10" + head[13:])


def silent_connections(count):
    """A number of connections of which only the reply to the first packet was captured."""
    return ipv4_capture(*(answer(SYN | ACK, number) for number in range(count)))
