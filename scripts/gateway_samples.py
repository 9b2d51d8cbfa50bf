"""Compares the output for the gateway samples with the logs of client and gateway.

Each function yields a sentence for everything that is not as logged.
"""

import collections
import csv
import io
import json
import re
import subprocess

from oracle import recorded
from oracle.recorded import read_table

LOGS = {"requests": recorded.requests, "responses": recorded.responses}
OUTCOME = re.compile(r"([0-9]+) (accepted|rejected|discarded|unknown)")
# The name in the vectors: the name that the command gives the same thing.
VECTOR_FIELDS = {
    "token": "token", "payload": "payload", "identifier": "identifier", "expiry": "expiry", "expiration": "expiry",
    "priority": "priority", "status": "status", "status_text": "status_text",
}  # fmt: skip


def protocol(path):
    """What a dump holds, by the name that it has in samples/; None for feedback."""
    if path.name.endswith(".requests.bin") or path.name.startswith("cmd"):
        return "requests"
    is_response = path.name.endswith(".responses.bin") or path.name.startswith("error-")
    return "responses" if is_response else None


def exported_rows(command, inputs, kind, columns):
    """Stream number: the rows of the exported CSV in their order, which is that of offsets in each stream."""
    arguments = ["--records", kind, "--columns", ",".join(columns), *map(str, inputs)]
    run = subprocess.run([command, "export", *arguments], stdout=subprocess.PIPE, check=True)
    header, *rows = csv.reader(io.StringIO(run.stdout.decode(), newline=""))
    if header != columns:
        raise ValueError(f"apnsift export {' '.join(arguments)}: the columns are {header}, not {columns}")
    streams = collections.defaultdict(list)
    for row in rows:
        streams[row[0]].append(row)
    return streams


def compare_table(command, inputs, kind, table):
    """The columns of a log, which has rows, and no flags, in the order of the log."""
    columns = [*table[0], "flags"]
    truth = collections.defaultdict(list)
    for row in table:
        truth[row["stream"]].append([*row.values(), ""])
    answer = exported_rows(command, inputs, kind, columns)
    for stream in sorted(truth.keys() | answer.keys()):
        if len(truth[stream]) != len(answer[stream]):
            yield f"{kind} of stream {stream}: {len(truth[stream])} were logged, apnsift has {len(answer[stream])}"
        differing = (pair for pair in zip(truth[stream], answer[stream]) if pair[0] != pair[1])
        for expected, row in differing:
            yield f"{kind} of stream {stream}: logged {expected}, apnsift has {row}"


def compare_capture(command, directory):
    """The capture, against all that was logged."""
    inputs = [directory / recorded.GATEWAY]
    for kind, log in LOGS.items():
        yield from compare_table(command, inputs, kind, read_table(log(directory)))


def compare_dumps(command, dumps, directory):
    """The pair of dumps, compared with the log of the first connection."""
    for kind, log in LOGS.items():
        first = [row for row in read_table(log(directory)) if row["stream"] == "0"]
        yield from compare_table(command, pair_arguments(dumps), kind, first)


def pair_arguments(dumps):
    requests, responses = dumps
    return ["--requests", requests, "--responses", responses]


def promised_outcomes(cell):
    """`119 accepted, 1 rejected`: how many requests have each outcome."""
    return {outcome: int(count) for count, outcome in OUTCOME.findall(cell)}


def outcomes(requests):
    return dict(collections.Counter(item["outcome"] for item in requests))


def compare_vectors(fixtures, directory, exported):
    """The literal values that the vectors come with. `exported(path)` has all that the command exports, by type."""
    for vector in json.loads(fixtures.read_text())["vectors"]:
        objects = exported(directory / f"{vector['id']}.bin")
        for record in objects["request"] + objects["response"]:
            for key, name in VECTOR_FIELDS.items():
                # A lone response has no token: its expectation names none either.
                expected = vector["expected"].get(key)
                if expected is not None and str(record[name]).lower() != str(expected).lower():
                    yield f"{vector['id']}: {name} is {record[name]!r}, expected {expected!r}"
