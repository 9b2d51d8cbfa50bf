"""Captures of pushes with missing packets: cut at the front, one packet lost, one direction only."""

from dataclasses import dataclass

from oracle.http2 import SIDES, Kept

LEAST_MISSED = 2  # exchanges after a loss that may stay unknown


@dataclass
class Part:
    name: str
    kept: Kept
    is_exact: bool = False  # all exchanges, with all fields and offsets
    least: int = 0  # how many exchanges must have token and status
    wanted: tuple = ((), ())  # names of fields, keys of exchanges that must have them
    is_compared: bool = False  # with tshark, which is slow
    has_offsets: bool = True
    options: tuple = ()


def sampled(items, count):
    """`count` of them, spread evenly, with the first and the last; all of them if there are no more."""
    if count >= len(items) or count < 2:
        return list(items[:count])
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


def variants(case, limit, compared):
    """`limit` is the number of lost packets and of cuts to try, `compared` how many of each to compare with tshark."""
    packets = case.layout.capture.packets
    everything, keeping = range(len(packets)), lambda indexes: Kept(case.layout, indexes)
    yield Part("whole", keeping(everything), case.is_exact, is_compared=True)
    cuts, lost = sampled(everything[1:], limit), sampled(everything, limit)
    for index in cuts:
        # A capture that begins in the middle of a frame does not show its protocol. tshark gets it as an option, too.
        yield Part(f"from packet {index + 1} on", keeping(everything[index:]), is_compared=index in sampled(cuts, compared),
                   options=("--protocol", "pushes"))
    with_data = sampled([index for index in lost if packets[index].payload], compared)
    for index in lost:
        part = Part(f"without packet {index + 1}", keeping([other for other in everything if other != index]), case.is_exact)
        part.is_compared = index in with_data
        if case.layout.is_disturbing(index):
            part.is_exact, part.least, part.has_offsets = False, least(case, index), not case.keys
        yield part
    # Both sides say all of what they know, but for TLS.
    asked = [exchange for exchange in case.exchanges.values() if exchange.is_push and case.is_exact and not case.keys]
    for side, names in (("client", ("token", "token_text")), ("server", ("status",))):
        keys = tuple(exchange.key for exchange in asked if side == "client" or exchange.item["status"])
        yield Part(f"{side} alone", keeping([index for index in everything if SIDES[packets[index].is_server] == side]),
            wanted=(names, keys))


def least(case, index):
    """The number of exchanges without a loss, minus two; 0 after a damaged handshake."""
    if not (case.is_exact and case.is_bounded and case.positions.is_ready(index)):
        return 0
    knowable = [exchange for exchange in case.exchanges.values() if exchange.is_knowable]
    return max(0, sum(not case.positions.touched(index, exchange) for exchange in knowable) - LEAST_MISSED)
