"""Error responses that readers take for others: identifiers of four bytes, errors in parts, and other commands."""

import struct

from cases.captured import capture, on_ethernet, segments
from cases.case import Stream
from cases.responses import FIRST, answered
from cases.wire import STATUS_TEXTS, enhanced, error, error_bytes, skip, token
from oracle.packets import Conversation, Peer

CUTS = [[size, 6 - size] for size in range(1, 6)] + [6 * [1], [2, 2, 2]]
OTHERS = [0, 1, 2, 7, 9, 0x18, 0x80, 0x88, 0xFF]  # all but 8, also where only some bits are looked at


def cases():
    yield answered(
        "readers/identifiers-of-four-bytes",
        "An identifier is an unsigned number of 32 bits, whatever the status: its bytes are all different",
        ["reader/identifiers", "responses/status", "responses/unknown-status"],
        {f"{status:03}": [stated(status)] for status in (*range(11), 128, 255)}, chunks=[6],
    )  # fmt: skip
    yield in_pieces()
    yield answered(
        "readers/another-command", "Six bytes that do not begin with an 8 are no error, whatever follows",
        ["reader/other-commands", "responses/unknown-command"], {f"{command:03}": [other(command)] for command in OTHERS},
        chunks=[6],
    )  # fmt: skip
    yield answered(
        "readers/another-command-behind-an-error", "Nor are they after an error, which is read",
        ["reader/other-commands", "responses/boundaries-not-asked"],
        {f"{command:03}": [error(8, identifier(command), *FIRST), other(command)] for command in OTHERS}, chunks=[6],
    )  # fmt: skip


def identifier(number):
    """Four different bytes: from 2^31 on for even numbers, from 2^16 on for odd ones. Numbers are below 16."""
    return 0x81A2C3E4 + 0x01010101 * (number % 16) if number % 2 == 0 else 0x00012345 + 0x00010101 * (number % 16)


def stated(status):
    flags = FIRST if status in STATUS_TEXTS else (*FIRST, "unknown-status")
    return error(status, identifier(status), *flags)


def other(command):
    """As an error, but for its command."""
    return skip(struct.pack(">B", command) + error_bytes(8, identifier(command))[1:], "unknown-command")


def in_pieces():
    """A connection for each way to cut an error."""
    packets, streams = [], []
    for number, sizes in enumerate(CUTS):
        talk = Conversation(port=2195, client=Peer("192.0.2.10", 49152 + number))
        asked = enhanced(number, identifier=identifier(number), outcome="rejected", status=8)
        answer = error(8, identifier(number), names=0, body=token(number))
        talked = [talk.says("server", at, part) for at, part in segments(answer.data, sizes)]
        packets += [*talk.opening(), talk.says("client", 0, asked.data), *talked, *talk.closing(len(asked.data), 6)]
        streams.append(Stream(client=[asked], server=[answer], protocol="gateway", peers=talk.peers))
    return capture(
        "readers/errors-in-pieces", "An error comes in one part or in up to six, cut anywhere",
        ["reader/errors-in-pieces", "reader/chunks", "correlation/per-connection"], on_ethernet(packets), streams,
    )  # fmt: skip
