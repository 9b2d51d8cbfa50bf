"""Captures of several connections to a gateway or a feedback server at once, drawn from a seed: segments that are lost, late, or there twice.

Positions are byte offsets from 0 in the data that a side sends, after its SYN.
"""

from collections import namedtuple
from dataclasses import dataclass

from oracle.captures import RAW_IP, frames, pcap
from oracle.damage import damaged, draw_conversation
from oracle.packets import ACK, FIN, PSH, SYN, Conversation, Peer

GATEWAY, FEEDBACK = 2195, 2196  # ports


# A packet that one side sends. The position is that of its first byte, or -1 for a SYN.
Segment = namedtuple("Segment", "connection side position flags payload", defaults=[b""])


@dataclass
class Habits:
    """What may happen in a capture; `is_plain` rules out all that makes bytes be known later than they came.

    Copies of other bounds may bring lost bytes more than 40 packets late.
    """

    lengths: list
    most_responses: int = 5
    is_plain: bool = False
    has_copies: bool = False
    port: int = GATEWAY


def draw_connection(draw, number, habits):
    """The captured segments of a connection, in the order in which they were sent."""
    starts = draw.getrandbits(32), draw.choice([draw.getrandbits(32), 2**32 - draw.randrange(1, 2000)])
    connection = Conversation(habits.port, client=Peer(f"10.0.0.{1 + number}", 40_000 + number), starts=starts)
    if habits.port == FEEDBACK:
        data, answers = b"", [damaged(draw, habits.lengths, "feedback")]
    else:
        data, answers = draw_conversation(draw, habits.lengths, habits.most_responses)
    answer = b"".join(answers)
    asked = cut(draw, connection, "client", data)
    answered = cut(draw, connection, "server", answer, most=draw.choice([1, 3, 6, 100]))
    if habits.has_copies and draw.random() < 0.3:
        asked, answered = with_copies(draw, asked, data), with_copies(draw, answered, answer)
    segments = handshake(draw, connection, habits) + merged(draw, asked, answered)
    for side, sent in (("client", len(data)), ("server", len(answer))):
        if draw.random() < 0.5:
            segments.append(Segment(connection, side, sent, FIN | ACK))
    return segments if habits.is_plain else thinned(draw, segments)


def cut(draw, connection, side, data, most=None):
    """The bytes in segments: of one byte, of some, or of the largest size."""
    most = most or draw.choice([1, 7, 40, 200, 1400, 1400])
    most = max(most, len(data) // 200)  # no capture has to be large
    segments, position = [], 0
    while position < len(data):
        size = draw.randint(1, most)
        segments.append(Segment(connection, side, position, PSH | ACK, data[position : position + size]))
        position += size
    return segments


def with_copies(draw, segments, data):
    """Some bytes a second time, in segments of other bounds, near those that have them."""
    order = list(enumerate(segments))
    for index, segment in draw.sample(order, min(len(order), draw.randint(1, 4))):
        begin = max(0, segment.position + draw.randint(-9, len(segment.payload) - 1))
        again = segment._replace(position=begin, payload=data[begin : begin + draw.choice([1, 5, 40, 200])])
        order.append((index + draw.randint(-2, 3) + 0.5, again))
    return [segment for _, segment in sorted(order, key=lambda one: one[0])]


def merged(draw, asked, answered):
    """The server's segments somewhere between the client's, mostly near each other."""
    first, merged = draw.choice([0, len(asked) // 2, len(asked) // 2, len(asked)]), list(asked)
    index = draw.randint(first, len(asked))
    for number, segment in enumerate(answered):
        index = min(len(merged), index + draw.choice([0, 0, 0, 1, draw.randrange(4)]))
        merged.insert(index, segment)
        index += 1
    return merged


def handshake(draw, connection, habits):
    syn, answer = Segment(connection, "client", -1, SYN), Segment(connection, "server", -1, SYN | ACK)
    everything = [syn, answer, Segment(connection, "client", 0, ACK)]
    return everything if habits.is_plain else draw.choice([everything, everything, [], [syn], [answer]])


def thinned(draw, segments):
    """One direction may be missing, and any segment with bytes."""
    kind = draw.random()
    if kind < 0.15:
        there = draw.choice(["client", "server"])
        return [segment for segment in segments if segment.side == there]
    if kind < 0.45:
        lost = draw.choice([1, 2, 5, 5, len(segments) // 4]) / max(1, len(segments))
        return [segment for segment in segments if not segment.payload or draw.random() >= lost]
    return segments


def interleaved(draw, lists):
    """All segments in one order that keeps each connection's own."""
    lists = [list(reversed(segments)) for segments in lists if segments]
    order = []
    while lists:
        one = draw.choice(lists)
        for _ in range(min(len(one), draw.choice([1, 1, 3]))):
            order.append(one.pop())
        lists = [segments for segments in lists if segments]
    return order


def disturbed(draw, order):
    """Some segments up to four positions late, and some a second time."""
    positioned = []
    chance = draw.choice([0, 0.05, 0.2])
    for position, segment in enumerate(order):
        late = draw.randint(1, 4) + 0.5 if draw.random() < chance else 0
        positioned.append((position + late, segment))
        if segment.payload and draw.random() < chance / 2:
            positioned.append((position + late + draw.randint(1, 4) + 0.25, segment))
    return [segment for _, segment in sorted(positioned, key=lambda one: one[0])]


def opened_first(order):
    """The order with no SYN after a FIN of its connection, where it would begin another stream."""
    opened = []
    for segment in order:
        at = len(opened)
        if segment.flags & SYN:
            ends = (index for index, other in enumerate(opened) if other.flags & FIN and other.connection is segment.connection)
            at = next(ends, at)
        opened.insert(at, segment)
    return opened


def draw_capture(draw, habits):
    """A pcap file of connections."""
    drawn = [draw_connection(draw, number, habits) for number in range(draw.choice([1, 1, 2, 3, 5]))]
    order = interleaved(draw, drawn)
    order = order if habits.is_plain else opened_first(disturbed(draw, order))
    packets = (one.connection.send(one.side, one.position, one.flags, one.payload) for one in order)
    return pcap(frames(packets), link=RAW_IP)
