"""Captures of pushes with missing packets: cut at the front, one packet lost, one direction only."""

from dataclasses import dataclass

from oracle.http2 import SIDES, Kept

LEAST_MISSED = 2  # exchanges after a loss that may stay unknown


@dataclass
class Variant:
    name: str
    kept: Kept
    is_exact: bool = False  # all exchanges, with all fields and offsets
    least: int = 0  # how many exchanges must have token and status
    wanted: tuple = ()  # (name of a field, keys of exchanges that must have it)
    is_compared: bool = False  # with tshark, which is slow
    has_offsets: bool = True
    options: tuple = ()


def sampled(items, count):
    """`count` of them, spread evenly, with the first and the last; all of them if there are no more."""
    if count >= len(items) or count < 2:
        return list(items[:count])
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


class Variants:
    """`limit` is the number of lost packets and of cuts to try, `compared` how many of each to compare with tshark."""

    def __init__(self, layout, positions, exchanges, is_exact, is_bounded, is_sealed, limit, compared):
        self.layout, self.positions, self.exchanges = layout, positions, exchanges
        self.is_exact, self.is_bounded, self.is_sealed = is_exact, is_bounded, is_sealed
        self.limit, self.compared = limit, compared
        self.count = len(layout.capture.packets)
        self.knowable = [exchange for exchange in exchanges.values() if exchange.is_knowable]

    def all(self):
        everything = range(self.count)
        yield Variant("whole", Kept(self.layout, everything), self.is_exact, is_compared=True)
        cuts = sampled(range(1, self.count), self.limit)
        for index in cuts:
            kept = Kept(self.layout, range(index, self.count))
            # A capture that begins in the middle of a frame does not show its protocol. tshark gets it as an option, too.
            yield Variant(f"from packet {index + 1} on", kept, is_compared=index in sampled(cuts, self.compared),
                          options=("--protocol", "pushes"))
        lost = sampled(everything, self.limit)
        compared = sampled([index for index in lost if self.layout.capture.packets[index].payload], self.compared)
        for index in lost:
            yield self.without(index, index in compared)
        for side in SIDES:
            yield self.alone(side)

    def without(self, index, is_compared):
        kept = Kept(self.layout, (other for other in range(self.count) if other != index))
        if not self.layout.is_disturbing(index):
            return Variant(f"without packet {index + 1}", kept, self.is_exact, is_compared=is_compared)
        return Variant(f"without packet {index + 1}", kept, least=self.least(index), is_compared=is_compared, has_offsets=not self.is_sealed)

    def least(self, index):
        """The number of exchanges without a loss, minus two; 0 after a damaged handshake."""
        if not (self.is_exact and self.is_bounded and self.positions.is_ready(index)):
            return 0
        return max(0, sum(not self.positions.touched(index, exchange) for exchange in self.knowable) - LEAST_MISSED)

    def alone(self, side):
        packets = self.layout.capture.packets
        kept = Kept(self.layout, (index for index, packet in enumerate(packets) if SIDES[packet.is_server] == side))
        is_wanted = self.is_exact and not self.is_sealed
        keys = tuple(exchange.key for exchange in self.exchanges.values() if exchange.is_push) if is_wanted else ()
        if side == "client":
            return Variant("client alone", kept, wanted=("token_length", keys))
        return Variant("server alone", kept, wanted=("status", tuple(key for key in keys if self.exchanges[key].item["status"])))
