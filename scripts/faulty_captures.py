"""Captures that have one thing wrong each, so that every finding about captures can be had."""

import struct

HEADER = 24  # bytes that a pcap file begins with; each packet has 16 before it
LINK_TYPE = 20  # offset of the link type in the header
IPV4 = 228  # the link type of packets that begin with an IPv4 header
SERVER, CLIENT = bytes([192, 0, 2, 2]), bytes([192, 0, 2, 1])
MORE_FRAGMENTS = 0x2000


def packets(capture):
    """(header of the record, bytes) of each packet of a little-endian pcap file."""
    place = HEADER
    while place < len(capture):
        length = struct.unpack_from("<I", capture, place + 8)[0]
        yield capture[place : place + 16], capture[place + 16 : place + 16 + length]
        place += 16 + length


def snapped(capture, length):
    """The capture as a snap length of so many bytes would have made it."""
    cut = []
    for header, data in packets(capture):
        data = data[:length]
        cut.append(header[:8] + struct.pack("<I", len(data)) + header[12:] + data)
    return capture[:HEADER] + b"".join(cut)


def contradicting(capture):
    """The capture with another copy of its longest packet, the last byte of which differs."""
    header, data = max(packets(capture), key=lambda packet: len(packet[1]))
    return capture + header + data[:-1] + bytes([data[-1] ^ 1])


def of_link_type(capture, number):
    return capture[:LINK_TYPE] + struct.pack("<I", number) + capture[LINK_TYPE + 4 :]


def ipv4_capture(*payloads):
    """A capture of IPv4 packets, one a second: (payload, flags and place of the fragment) of each."""
    file = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, IPV4)
    for number, (payload, place) in enumerate(payloads):
        length = 20 + len(payload)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 7, place, 64, 6, 0) + SERVER + CLIENT
        file += struct.pack("<IIII", 1_365_000_000 + number, 0, length, length) + ip + payload
    return file


def segment(port, flags, payload=b"", header_words=5):
    return struct.pack(">HHIIBBHHH", 2196, port, 1, 0, header_words << 4, flags, 65535, 0, 0) + payload


def incomplete_datagram():
    return ipv4_capture((segment(40000, 0x10)[:16], MORE_FRAGMENTS))


def contradicting_fragments():
    first = segment(40000, 0x10)[:16]
    return ipv4_capture((first, MORE_FRAGMENTS), (first[:-1] + b"\x01", MORE_FRAGMENTS))


def malformed():
    return ipv4_capture((segment(40000, 0x10, header_words=1), 0))


def silent_connections(count):
    """So many connections of which nothing but the answer to the first packet was captured."""
    return ipv4_capture(*((segment(40000 + number, 0x12), 0) for number in range(count)))
