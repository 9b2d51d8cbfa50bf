"""Faulty copies of a sound JSON value, made systematically, so that a schema can show that it refuses each of them."""

import copy

CODE_KEYS = {"type", "schema", "code", "severity", "protocol", "direction", "format", "from", "environment", "outcome"}
PEER_FAULTS = ["", "192.0.2.1", ":2196", "2001:db8::1:2196"]
CAPTURE_TIME_FAULTS = ["yesterday", "2013-05-01 09:30:00Z", "2013-05-01T09:30:00.1", "2013-13-01T09:30:00.5Z"]
# The token's case and the times' form are patterns; so are the hash, the set of lengths, peers and names of files.
PATTERN_FAULTS = {
    "token": ["0", "0g", "aA", " 00"],
    "time": ["yesterday", "2013-05-01 09:30:00Z", "2013-05-01T09:30:00", "2013-13-01T09:30:00Z"],
    "registered_at": ["yesterday", "2013-05-01T09:30Z", ""],
    "invalidated_at": ["yesterday", "2013-05-01T09:30Z", ""],
    "invalidated_before": ["yesterday", "2013-05-01T09:30Z", ""],
    "at": ["yesterday", "2013-05-01T09:30Z", ""],
    "payload_hex": ["", "0", "0G"],
    "sha256": ["00", "G" * 64, "A" * 64],
    "token_length": ["", "a", "1-", "1,"],
    "version": ["", "one"],
    "store": ["", "tokens.sqlite"],
    "file": ["", "stream-0.raw", "stream-0-c.raw", "../stream-0-a.raw", "0-stream-0-a.raw"],
    **{peer: PEER_FAULTS for peer in ("client", "server", "src", "dst")},
    **{time: CAPTURE_TIME_FAULTS for time in ("captured_at", "started_at", "ended_at")},
}
# Objects whose keys are data: one may be missing, but none may be added that is no code.
OPEN_OBJECTS = {"findings", "flags", "statuses"}
SIGNED = {"median_ms", "p90_ms", "max_ms"}  # an answer may have an earlier time than Apple's
OPTIONAL = {"chunk_size"}  # keys that may be missing


def reduced(value):
    """The value with lists that hold only the first object of each type, as mutating the others shows nothing more."""
    if isinstance(value, dict):
        return {key: reduced(part) for key, part in value.items()}
    if isinstance(value, list):
        firsts = {}
        for part in value:
            kind = part.get("type") if isinstance(part, dict) else repr(part)
            firsts.setdefault(kind, reduced(part))
        return list(firsts.values())
    return value


def mutations(value, format_is_checked, path=()):
    """Yields (what was done, the faulty copy) for every position in `value`."""
    for what, change in changes(value, path[-1] if path else None, format_is_checked):
        yield f"{'.'.join(map(str, path)) or 'the whole'}: {what}", change
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        for what, part in mutations(value[key], format_is_checked, (*path, key)):
            faulty = copy.copy(value)
            faulty[key] = part
            yield what, faulty


def changes(value, name, format_is_checked):
    """Yields (what was done, the replacement of `value`), `name` being the key or index that it has."""
    if isinstance(value, dict):
        yield from object_changes(value, name)
    yield "another type", other_type(value)
    if isinstance(value, int) and not isinstance(value, bool):
        yield from [("a negative number", -1)] * (name not in SIGNED) + [("a fraction", 1.5), ("digits", str(value))]
    if isinstance(value, str) and (name in CODE_KEYS or isinstance(name, int)):
        yield "an unknown code", "no-such-code"
    if isinstance(value, str):
        for fault in PATTERN_FAULTS.get(name, []):
            # 2013-13-01 has the pattern of a time: only a validator that knows the format finds it.
            if format_is_checked or not fault.startswith("2013-13"):
                yield f"{fault!r}", fault


def object_changes(value, name):
    yield "a key too many", {**value, "no_such_key": 1}
    for key in [] if name in OPEN_OBJECTS else [key for key in value if key not in OPTIONAL]:
        yield f"without {key}", {other: part for other, part in value.items() if other != key}


def other_type(value):
    """A value of a type that is invalid in the position of `value`; for null, one that is invalid everywhere."""
    if isinstance(value, (dict, list)):
        return "text"
    return [] if value is None or isinstance(value, bool) else {}
