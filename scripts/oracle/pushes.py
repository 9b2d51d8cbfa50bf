"""The expected record of a push, a broadcast or a request for channels, from the truth that a mock wrote
(samples/pushes/NAME.truth.ndjson).

The truth has a line of JSON an exchange, by connection:

    client_port, stream (of HTTP/2), path, token_text (what follows /3/device/ in the path), topic, push_type,
    request_apns_id, priority, expiration, collapse_id (as text, null if absent), payload, payload_length, status,
    response_apns_id, apns_unique_id, body, reason, timestamp_ms, request_offset, response_offset, body_offset (of the frames
    HEADERS, HEADERS and DATA, in bytes from 0 of that direction), ending ("answered", "reset", "goaway" or "none"),
    client_bytes, server_bytes (of the whole connection)

Of a broadcast or a request for channels also: method, channel_id, request_id, request_request_id (of the request alone), flags (of
the record), and what the bodies say, by column.
"""

import json
import re

from apnsift_tool import ROOT, sections
from oracle.captures import stamp

# The status of each reason, by docs/spec/pushes.md#reasons.
RULES = (ROOT / "docs" / "spec" / "pushes.md").read_text()
ROWS = re.findall(r"^\| (\d{3}) \| (.*) \|$", RULES, re.MULTILINE)
STATUS_OF = {reason: int(status) for status, cell in ROWS for reason in re.findall(r"`([\w ]+)`", cell)}
# What is around the bundle id in the path of a request for channels, and what each method there asks.
APP, OPERATIONS = re.compile(r"/1/apps/([^/]*)/(all-)?channels"), {"POST": "create", "GET": "read", "DELETE": "delete"}
BROADCAST = "/4/broadcasts/apps/"
OUTCOMES = {None: "unknown", 200: "accepted", 410: "invalidated"}  # of statuses; all others are "rejected"
STATIC = (200, 204, 206, 304, 400, 404, 500)  # statuses in HPACK's static table: known even after a loss
LISTED = sections(ROOT / "scripts" / "oracle" / "columns.txt")
LOCATION = LISTED["location"]
OF_CHANNELS = set(LISTED["reasons of broadcasts and channels alone"])
OF_RECORD = {*LOCATION, "line", "outcome", "flags"}  # columns that do not follow from the truth alone
COLUMNS = {kind: LOCATION + LISTED[kind] for kind in ("push", "broadcast", "channel")}
# An unprocessed push may have the flag no-response, too.
VAGUE = {"stream-reset": {"no-response"}, "goaway": {"no-response"}}


def is_hex(text):
    return text != "" and len(text) % 2 == 0 and all(digit in "0123456789abcdefABCDEF" for digit in text)


def number(text):
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def asked(path, method):
    """(kind of record, operation on channels, bundle id) of a request; no kind for one of another service."""
    if path.startswith("/3/device/"):
        return "push", None, None
    if path.startswith(BROADCAST):
        return "broadcast", None, path.removeprefix(BROADCAST)
    if found := APP.fullmatch(path):
        return "channel", "list" if found[2] else OPERATIONS.get(method), found[1]
    return None, None, None


class Exchange:
    def __init__(self, item):
        self.item = item
        self.key = item["client_port"], item["stream"]
        self.kind, self.operation, self.app = asked(item["path"] or "", item.get("method"))
        self.is_push, self.is_optional = self.kind == "push", item.get("is_optional", False)
        self.values = self.expected_values() if self.kind else {}

    def expected_values(self):
        item, text, time = self.item, self.item["token_text"] or "", self.item["timestamp_ms"]
        digits = text if is_hex(text) else None
        values = item | {
            "token": digits and digits.lower(), "token_length": digits and len(digits) // 2,
            "token_text": None if digits else text, "apns_id": item["response_apns_id"] or item["request_apns_id"],
            "unique_id": item["apns_unique_id"], "priority": number(item["priority"]), "expiration": number(item["expiration"]),
            "timestamp": None if time is None else time // 1000, "time": None if time is None else stamp(time * 1_000_000, 3),
            "app": self.app, "operation": self.operation,
        }  # fmt: skip
        return {name: values.get(name) for name in COLUMNS[self.kind] if name not in OF_RECORD}

    @property
    def flags(self):
        """The flags of the complete exchange."""
        item, length = self.item, self.values.get("token_length")
        flags = {*item.get("flags", ()), *{"reset": ["stream-reset"], "goaway": ["goaway"]}.get(item["ending"], [])}
        flags |= set() if flags or item["status"] is not None else {"no-response"}
        of_pushes = {
            "malformed-json": item["body"] and item["reason"] is None, "token-not-hex": length is None,
            "unexpected-token-length": length not in (None, 32),
        }  # fmt: skip
        return flags | {flag for flag, is_there in of_pushes.items() if is_there and self.is_push}

    @property
    def position(self):
        """(direction, offset) of the record."""
        if self.item["status"] is None:
            return "client", self.item["request_offset"]
        return "server", self.item["response_offset"]

    @property
    def is_knowable(self):
        """Whether the status is known after a single loss: from the static table, or from its reason."""
        item = self.item
        is_certain = item["status"] in STATIC or STATUS_OF.get(item["reason"]) == item["status"]
        return self.kind is not None and not self.is_optional and item["ending"] == "answered" and is_certain

    def wrong_fields(self, record, is_exact):
        """(name, found, expected) of wrong fields. Null is right if the capture is incomplete."""
        allowed = {name: {value} for name, value in self.values.items()}
        if not is_exact and self.is_push:
            allowed["apns_id"].add(self.item["request_apns_id"])
        if not is_exact and not self.is_push:
            allowed["request_id"].add(self.item["request_request_id"])
            allowed.get("body_length", set()).update(range(self.item.get("body_length") or 0))
        if self.item["ending"] == "reset":
            allowed.setdefault("payload_length", set()).add(None)  # the request may not have ended
        for name, values in allowed.items():
            found = record.get(name)
            if (found not in values or isinstance(found, bool)) and (is_exact or found is not None):
                yield name, found, self.values[name]
        outcome = OUTCOMES.get(record["status"], "rejected") if self.kind != "channel" else None
        if record.get("outcome") != outcome:
            yield "outcome", record["outcome"], outcome
        if is_exact:
            vague = set().union(*(VAGUE.get(flag, set()) for flag in self.flags))
            if set(record["flags"]) - vague != self.flags - vague:
                yield "flags", record["flags"], sorted(self.flags)
        if record["flags"] != sorted(set(record["flags"])):
            yield "flags", record["flags"], "a sorted list without doubles"
        if self.is_push:
            yield from self.wrong_loss(record, is_exact)

    def wrong_loss(self, record, is_exact):
        has_fields = record["reason"] is not None or record["timestamp_ms"] is not None
        is_read = not self.item["body"] or has_fields or "malformed-json" in record["flags"]
        is_lost = record["status"] is not None and not is_read
        if not is_exact and self.item["ending"] == "answered" and is_lost != ("body-lost" in record["flags"]):
            yield "flags", record["flags"], "body-lost, if and only if the body is not there to be read"

    def is_known(self, record):
        """Whether status, and token or app and channel are known and right."""
        names = ("token", "token_text", "status") if self.is_push else ("app", "channel_id", "status")
        return all(record.get(name) == self.values[name] for name in names) and record["status"] is not None


def read(path):
    """{(client port, stream): exchange}"""
    exchanges = (Exchange(json.loads(line)) for line in path.read_text().splitlines())
    return {exchange.key: exchange for exchange in exchanges}
