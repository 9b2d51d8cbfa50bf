"""Captures of gateway connections: what was captured before what decides (decoding-rules.md, Correlation)."""

from cases.captured import capture, on_ethernet
from cases.case import Stream
from cases.correlation import ACCEPTED, DISCARDED, rejected
from cases.wire import cut, enhanced, error, framed, gap, position_of, simple, skip, token
from oracle.packets import Conversation, Peer


def cases():
    return [*order(), *losses()]


def connection(name, shows, covers, requests, responses, talk, **more):
    """`talk` is a list of ("client", first request, after the last) and ("server", position, after the end)."""
    conversation = Conversation(port=2195)
    sent = {"client": b"".join(part.data for part in requests), "server": b"".join(part.data for part in responses)}
    starts = [position_of([part for part in requests if part.missing is None], index) for index in range(len(requests) + 1)]
    packets = list(conversation.opening())
    for side, begin, end in talk:
        begin, end = (starts[begin], starts[end]) if side == "client" else (begin, end)
        packets.append(conversation.says(side, begin, sent[side][begin:end]))
    stream = Stream(
        client=requests, server=responses, protocol="gateway", peers=conversation.peers, packets=more.pop("packets", {}),
    )
    return capture(name, shows, covers, on_ethernet(packets), [stream], **more)


def order():
    requests = [enhanced(1, **ACCEPTED), framed(2, **rejected(8)), simple(3, **DISCARDED), enhanced(4, **DISCARDED)]
    yield connection(
        "capture/gateway", "Requests after the named one were discarded, even if captured after the response",
        ["correlation/rejected", "correlation/captured-behind", "capture/protocol"], requests,
        [error(8, 2, names=position_of(requests, 1), body=token(2))],
        [("client", 0, 2), ("client", 2, 3), ("server", 0, 6), ("client", 3, 4)],
        packets={
            ("client", 0): 4, ("client", position_of(requests, 1)): 4, ("client", position_of(requests, 3)): 7, ("server", 0): 6,
        },
    )  # fmt: skip
    yield connection(
        "capture/response-before-its-request", "A response names no request that was captured after it",
        ["correlation/captured-before", "correlation/uncorrelated"],
        [enhanced(1), enhanced(2)], [error(8, 2, "uncorrelated")], [("client", 0, 1), ("server", 0, 6), ("client", 1, 2)],
    )  # fmt: skip
    first, second = enhanced(1).data, enhanced(2).data
    for name, shows, chunks, parts, described in (
        (
            "behind-the-response", "A request whose first byte was captured after the response is none before it", [(20, None), (0, 20)],
            [enhanced(1), enhanced(2)], error(8, 2, "uncorrelated"),
        ),
        (
            "before-the-response", "A request counts as captured before the response if its first byte was", [(0, 20), (20, None)],
            [enhanced(1, **ACCEPTED), enhanced(2, **rejected(8))], error(8, 2, names=len(first), body=token(2)),
        ),
    ):  # fmt: skip
        talk = Conversation(port=2195)
        halves = [talk.says("client", len(first) + begin, second[begin:end]) for begin, end in chunks]
        packets = [*talk.opening(), talk.says("client", 0, first), halves[0], talk.says("server", 0, described.data), halves[1]]
        yield capture(
            f"capture/first-byte-{name}", shows, ["correlation/captured-before"], on_ethernet(packets),
            [Stream(client=parts, server=[described], protocol="gateway", peers=talk.peers)],
        )  # fmt: skip
    requests = [enhanced(1, **ACCEPTED), enhanced(7, **rejected(8)), enhanced(3, identifier=7, **DISCARDED)]
    yield connection(
        "capture/identifier-again-behind-the-response",
        "A request with the identifier that was captured after the response is none of those that it may be about",
        ["correlation/captured-before"], requests,
        [error(8, 7, names=position_of(requests, 1), body=token(7))],
        [("client", 0, 2), ("server", 0, 6), ("client", 2, 3)],
    )  # fmt: skip
    requests = [enhanced(1, identifier=0, **rejected(1)), enhanced(2, identifier=0, **DISCARDED)]
    yield connection(
        "capture/identifier-0-again-behind-the-response", "Identifier 0 counts among the requests before the response alone",
        ["correlation/captured-before", "correlation/identifier-0"], requests, [error(1, 0, names=0, body=token(1))],
        [("client", 0, 1), ("server", 0, 6), ("client", 1, 2)],
    )  # fmt: skip
    requests = [enhanced(1, **ACCEPTED), enhanced(2, **ACCEPTED), enhanced(3, **DISCARDED)]
    yield connection(
        "readers/php-segments", "A shutdown in segments of 2 and 4 bytes: php misses it",
        ["reader/php/two-pieces", "reader/chunks", "correlation/shutdown"],
        requests, [error(10, 2, names=position_of(requests, 1), body=token(2))], [
            ("client", 0, 2), ("server", 0, 2), ("client", 2, 3), ("server", 2, 6),
        ],
        readers={"php": (0, 0, 0, 1, "completed")},
    )  # fmt: skip
    one, other = Conversation(port=2195), Conversation(port=2195, client=Peer("192.0.2.10", 49153))
    named = [enhanced(1, **ACCEPTED), enhanced(2, **rejected(8))]
    silent = [enhanced(1), enhanced(2), enhanced(3)]
    packets = [
        *one.opening(), *other.opening(), other.says("client", 0, b"".join(part.data for part in silent)),
        one.says("client", 0, named[0].data + named[1].data), one.says("server", 0, error(8, 2).data),
    ]  # fmt: skip
    answer = error(8, 2, names=position_of(named, 1), body=token(2))
    yield capture(
        "capture/two-gateway-connections", "An error concerns the requests of its own connection alone",
        ["correlation/per-connection", "correlation/no-response"],
        on_ethernet(packets),
        [
            Stream(client=named, server=[answer], protocol="gateway", peers=one.peers),
            Stream(client=silent, protocol="gateway", peers=other.peers),
        ],
    )  # fmt: skip


def losses():
    lost = enhanced(2).data
    requests = [enhanced(1, **ACCEPTED), gap(len(lost)), enhanced(3, **rejected(8)), enhanced(4, **DISCARDED)]
    conversation = Conversation(port=2195)
    positions = [position_of(requests, index) for index in range(4)]
    packets = [
        *conversation.opening(), conversation.says("client", 0, requests[0].data),
        conversation.says("client", positions[2], requests[2].data),
        conversation.says("server", 0, error(8, 3).data), conversation.says("client", positions[3], requests[3].data),
    ]  # fmt: skip
    answer = error(8, 3, names=positions[2], body=token(3))
    yield capture(
        "capture/gateway-with-a-gap", "A request that was not captured is in no list; the outcomes of the others are as ever",
        ["correlation/gap", "capture/gap"],
        on_ethernet(packets), [Stream(client=requests, server=[answer], protocol="gateway", peers=conversation.peers)],
    )  # fmt: skip
    torn = enhanced(1).data
    requests = [skip(torn[20:]), enhanced(2, **ACCEPTED), enhanced(3, **rejected(8)), cut(enhanced(4).data[:9])]
    sent = b"".join(part.data for part in requests)
    packets = [conversation.says("client", 20, sent), conversation.says("server", 0, error(8, 3).data)]
    began = [{"direction": side, "code": "midstream-start", "offset": 0, "length": 0} for side in ("client", "server")]
    answer = error(8, 3, names=position_of(requests, 2), body=token(3))
    yield capture(
        "capture/gateway-midstream", "Where the beginning was not captured, requests are read from the first that can be one",
        ["capture/midstream-start", "requests/run-start"],
        on_ethernet(packets),
        [Stream(client=requests, server=[answer], protocol="gateway", peers=conversation.peers, findings=began)],
    )  # fmt: skip
