"""What the clients of the recordings send: pushes that are the same at every run, and the answer that the mock gives to each.

Both are drawn from hashes, so that client and mock agree on nothing but the bytes of the token.
"""

import hashlib
import json
import uuid
from dataclasses import dataclass

TOPICS = ["com.example.app", "com.example.app.voip", "com.example.watch"]
TYPES = {"com.example.app": ["alert", "background", "alert"], "com.example.app.voip": ["voip"], "com.example.watch": ["complication"]}
COLLAPSE = [None, "news", None, "score-17"]
AUTHORIZATION = "bearer example.provider.token"
# Reasons with their status, and whether the body has a time. Apple's table has one status for each reason.
REFUSALS = [
    (400, "BadDeviceToken", False), (410, "Unregistered", True), (400, "DeviceTokenNotForTopic", False),
    (410, "ExpiredToken", True), (403, "ExpiredProviderToken", False), (410, "Unregistered", True),
    (429, "TooManyRequests", False), (413, "PayloadTooLarge", False), (503, "ServiceUnavailable", False),
    (410, "Unregistered", True), (500, "InternalServerError", False)]  # fmt: skip
HEADERS = {  # of a request: field of the truth, name
    "topic": "apns-topic", "push_type": "apns-push-type", "request_apns_id": "apns-id", "priority": "apns-priority",
    "expiration": "apns-expiration", "collapse_id": "apns-collapse-id"}  # fmt: skip
EARLIEST_MS, SPAN_MS = 1_700_000_000_000, 60_000_000_000


def digest(text):
    return hashlib.sha256(f"apnsift push: {text}".encode()).digest()


@dataclass(frozen=True)
class Push:
    path: str
    headers: list  # (name, value) of the request, without those that begin with a colon
    payload: bytes
    method: str = "POST"


def token(name, number):
    """Hex; every ninth in upper case, one of another length, one that is no hex."""
    draw = digest(f"{name} token {number}")
    if number == 13:
        return (draw + digest(f"{name} more {number}")).hex()
    if number == 17:
        return f"device-{draw.hex()[:12]}"
    return draw.hex().upper() if number % 9 == 4 else draw.hex()


def pushes(name, count):
    for number in range(count):
        draw = digest(f"{name} headers {number}")
        topic = TOPICS[draw[0] % 8 // 3 % 3]
        headers = [("apns-topic", topic), ("apns-push-type", TYPES[topic][draw[1] % len(TYPES[topic])])]
        headers += [("apns-priority", str(value)) for value in [(10, 5, 1, None)[draw[2] % 4]] if value]
        headers += [("apns-expiration", str(value)) for value in [(0, None, 1_800_000_000 + number)[draw[3] % 3]] if value is not None]
        headers += [("apns-collapse-id", value) for value in [COLLAPSE[draw[4] % 4]] if value]
        if draw[5] % 3 == 0:
            headers.append(("apns-id", str(uuid.UUID(bytes=draw[8:24], version=4))))
        headers.append(("authorization", AUTHORIZATION))
        alert = {"alert": f"Grüße {number}" if draw[6] % 4 == 0 else f"message {number} " + "x" * (draw[7] % 90)}
        yield Push(f"/3/device/{token(name, number)}", headers, json.dumps({"aps": alert}, ensure_ascii=False).encode())


def write_plan(path, items):
    """A line a push: method and path, headers with | between them, payload; tabs between the three."""
    lines = ("\t".join([f"{item.method} {item.path}", "|".join(": ".join(pair) for pair in item.headers), item.payload.decode()]) for item in items)
    path.write_text("".join(f"{line}\n" for line in lines))


def read_plan(path):
    for line in path.read_text().splitlines():
        where, headers, payload = line.split("\t")
        method, path = where.split(" ")
        yield Push(path, [tuple(pair.split(": ", 1)) for pair in headers.split("|")], payload.encode(), method)


def answer(device):
    """Status, reason and time, by a hash of the last component of the path; what is no hex is a bad token."""
    draw = digest(f"answer {device}")
    status, reason, is_timed = (200, None, False) if draw[0] < 120 else REFUSALS[draw[1] % len(REFUSALS)]
    try:
        bytes.fromhex(device)
    except ValueError:
        status, reason, is_timed = 400, "BadDeviceToken", False
    return status, reason, EARLIEST_MS + int.from_bytes(draw[2:10], "big") % SPAN_MS if is_timed else None


def new_exchange(port, stream, path, fields):
    """The truth of an exchange before its answer; `fields` are the headers of the request."""
    item = {"client_port": port, "stream": stream, "path": path, "token_text": (path or "").removeprefix("/3/device/")}
    item |= {name: fields.get(header) for name, header in HEADERS.items()}
    item |= dict.fromkeys(("status", "response_apns_id", "apns_unique_id", "body", "reason", "timestamp_ms"))
    return item | {"ending": "none"}
