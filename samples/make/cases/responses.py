"""Dumps of error responses (decoding-rules.md, Error responses). Without requests they are all uncorrelated."""

from cases.case import Case, Stream
from cases.wire import STATUS_TEXTS, cut, error, error_bytes, gap, join, skip

RESPONSES = ["--from", "raw", "--protocol", "responses"]
FIRST, LATER = ("uncorrelated",), ("after-close", "uncorrelated")


def cases():
    return [*sound(), *damaged()]


def answered(name, shows, covers, lists, options=RESPONSES, **more):
    """Dumps of responses: lists of parts, by the middle part of the input's name."""
    names = {key: f"input.{key}.bin" if key else "input.bin" for key in lists}
    inputs = {names[key]: join(parts) for key, parts in lists.items()}
    streams = [Stream(server=parts, protocol="gateway", source=names[key]) for key, parts in lists.items()]
    return Case(name, shows, covers, inputs, streams, options=options, **more)


def sound():
    yield answered(
        "responses/every-status", "Every status that Apple named has its words; responses are known by their content",
        ["responses/status", "format/recognised-responses"],
        {f"{status:03}": [error(status, 2**32 - 1 - status, *FIRST)] for status in STATUS_TEXTS}, options=[],
    )  # fmt: skip
    yield answered(
        "responses/unknown-statuses", "A status that Apple did not name is flagged", ["responses/unknown-status"],
        {f"{status:03}": [error(status, 7, "unknown-status", *FIRST)] for status in (9, 129, 254)},
    )  # fmt: skip
    yield answered(
        "responses/several", "Responses after the first one are records with a flag",
        ["responses/record", "correlation/after-close"],
        {"": [error(8, 1, *FIRST), error(8, 1, *LATER), error(10, 2, *LATER)]}, options=[],
    )  # fmt: skip


def damaged():
    noise = b"\x07\x01\x02"
    tails = {"1": b"\x08", "2": b"\x08\x08", "5": error_bytes(8, 9)[:5], "noise": b"\xff\xff\xff\xff\xff"}
    yield answered(
        "responses/cut-tails", "Fewer than six bytes are a cut response, whatever they are",
        ["responses/truncated-record", "law/accounting"],
        {key: [error(8, 1, *FIRST), cut(data)] for key, data in tails.items()},
    )  # fmt: skip
    yield answered(
        "responses/noise-in-front", "Where there is no 8, bytes are skipped up to a response that is plausible",
        ["responses/unknown-command", "responses/start", "responses/resynchronised"],
        {"": [skip(noise, "unknown-command"), error(8, 1, "resynchronised", *FIRST), error(1, 2, *LATER)]},
    )  # fmt: skip
    yield answered(
        "responses/noise-behind", "The bytes after a response do not affect it",
        ["responses/boundaries-not-asked", "responses/unknown-command"],
        {"": [error(8, 1, *FIRST), skip(2 * noise, "unknown-command")]},
    )  # fmt: skip
    doubtful = {"unknown-status": error_bytes(9, 1), "noise-behind": error_bytes(8, 1) + noise, "cut": error_bytes(8, 1)[:5]}
    yield answered(
        "responses/no-resuming-at-doubtful-responses",
        "After damage, a response needs a known status, all its bytes, and nothing or an 8 after it",
        ["responses/start", "responses/unknown-command"],
        {
            "unknown-status": [
                skip(noise + doubtful["unknown-status"], "unknown-command"), error(8, 2, "resynchronised", *FIRST),
            ],
            "noise-behind": [skip(noise + doubtful["noise-behind"], "unknown-command"), error(8, 2, "resynchronised", *FIRST)],
            "cut": [skip(noise + doubtful["cut"], "unknown-command")],
        },
    )  # fmt: skip
    yield answered(
        "responses/unknown-status-behind-a-start",
        "Where a response is expected, its status may be unknown; where one is searched for, it may not",
        ["responses/start", "responses/unknown-status"],
        {"": [skip(noise, "unknown-command"), error(8, 1, "resynchronised", *FIRST), error(9, 2, "unknown-status", *LATER)]},
    )  # fmt: skip
    yield answered(
        "responses/gap", "After a gap, decoding begins at the first response that can be one",
        ["responses/run-start", "feedback/gap-mark"],
        {"": [error(8, 1, *FIRST), cut(error_bytes(8, 2)[:2]), gap(6), skip(error_bytes(8, 3)[2:]), error(8, 4, *LATER)]},
    )  # fmt: skip
