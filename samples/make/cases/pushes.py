"""What a client of today's service can be answered: pushes of a provider's log (docs/spec/pushes.md#reasons), and captures
of samples/pushes, whose pushes an independent reader of HTTP/2 found (scripts/oracle/pushes.py)."""

import json
from pathlib import Path

from cases.case import Case, Stream
from cases.wire import Part, token
from oracle.pushes import REASONS, is_hex, outcome

OTHER_SPELLING = "BadEnvironmentKeyIdInToken"  # of a reason, which the service does not send
CAPTURES = Path(__file__).resolve().parents[2] / "pushes"


def cases():
    answers = [(status, reason) for status, reasons in REASONS.items() for reason in reasons if reason != OTHER_SPELLING]
    mixed = [answer for pair in zip([(200, None)] * len(answers), answers) for answer in pair]
    parts = [line(number, *answer) for number, answer in enumerate(mixed)]
    yield Case(
        "pushes/every-reason", "Every reason of the service, each after a push that is accepted",
        ["push/reasons", "reader/pushes"], {"input.ndjson": b"".join(part.data for part in parts)},
        [Stream(server=parts, protocol="provider-log")], format="provider-log",
    )  # fmt: skip
    yield captured("goaway", "Connections that end with a GOAWAY, which excludes pushes")
    yield captured("resets", "Pushes whose streams are reset")


def captured(name, shows):
    """A capture of samples/pushes."""
    lines = (CAPTURES / f"case-{name}.truth.ndjson").read_text().splitlines()
    return Case(
        f"pushes/{name}", shows, ["reader/pushes"], {"input.pcap": (CAPTURES / f"case-{name}.pcap").read_bytes()}, [],
        format="capture", positions=None, pushes=[push(json.loads(line)) for line in lines],
    )  # fmt: skip


def push(found):
    """What an export says of a push that the other reader found."""
    text = found["token_text"]
    known = {"http2_stream": found["stream"]}
    known |= {"token": text.lower()} if is_hex(text) else {"token_text": text}
    if found["ending"] == "answered":
        known |= {key: found[key] for key in ("status", "reason", "timestamp_ms", "topic")}
    return known


def line(number, status, reason):
    """A line of the log, and the push that it is."""
    text = {"token": token(number).hex(), "status": status}
    truth = {"type": "push", "line": number + 1, "token": text["token"], "status": status, "reason": reason}
    if reason:
        text["reason"] = reason
    if status == 410:
        text["timestamp"] = truth["timestamp_ms"] = 1_700_000_000_123 + 1001 * number
    truth |= {"outcome": outcome(status), "flags": []}
    return Part(data=json.dumps(text).encode() + b"\n", truth=(truth,), kind="record")
