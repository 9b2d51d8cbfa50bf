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
    has_offsets: bool = True
    options: tuple = ()


def sampled(items, count):
    """`count` of them, spread evenly, with the first and the last; all of them if there are no more."""
    if count >= len(items) or count < 2:
        return list(items[:count])
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


def variants(case, limit):
    """`limit` is the number of lost packets and of cuts to try."""
    packets = case.layout.capture.packets
    everything, keeping = range(len(packets)), lambda indexes: Kept(case.layout, indexes)
    yield Part("whole", keeping(everything), case.is_exact)
    for index in sampled(everything[1:], limit):
        # A capture that begins in the middle of a frame does not show its protocol.
        yield Part(f"from packet {index + 1} on", keeping(everything[index:]), least=least(case, everything[:index]),
                   options=("--protocol", "pushes"))
    for index in sampled(everything, limit):
        part = Part(f"without packet {index + 1}", keeping([other for other in everything if other != index]), case.is_exact)
        if case.layout.is_disturbing(index):
            part.is_exact, part.least, part.has_offsets = False, least(case, [index]), not case.keys
        yield part
    # Both sides say all of what they know, but for TLS.
    asked = [exchange for exchange in case.exchanges.values() if exchange.is_push and case.is_exact and not case.keys]
    for side, names in (("client", ("token", "token_text")), ("server", ("status",))):
        keys = tuple(exchange.key for exchange in asked if side == "client" or exchange.item["status"])
        yield Part(f"{side} alone", keeping([index for index in everything if SIDES[packets[index].is_server] == side]),
            wanted=(names, keys))


def least(case, lost):
    """The number of exchanges without a loss, minus two; 0 after a damaged handshake."""
    if not (case.is_exact and case.is_bounded and all(map(case.positions.is_ready, lost))):
        return 0
    knowable = [exchange for exchange in case.exchanges.values() if exchange.is_knowable]
    untouched = [exchange for exchange in knowable if not any(case.positions.touched(index, exchange) for index in lost)]
    return max(0, len(untouched) - LEAST_MISSED)
