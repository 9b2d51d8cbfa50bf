"""The captures of samples/tls: what samples/README.md says of them, and what they hold by the log of the server."""

import re

from apnsift_tool import ROOT
from oracle import recorded
from oracle.decoder import decode_dump
from oracle.wire import with_marks

DIRECTORY = ROOT / "samples" / "tls"
CODE = re.compile(r"`([^`]+)`")
TUPLE = 38  # bytes


def rows():
    """(file, file of its secrets or None, records, codes of findings) of each row of the table."""
    for line in (ROOT / "samples" / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `tls/"):
            secrets = CODE.findall(cells[1])
            path = DIRECTORY.parent / CODE.findall(cells[0])[0]
            yield path, DIRECTORY.parent / secrets[0] if secrets else None, int(cells[-2]), set(CODE.findall(cells[-1]))


def options(secrets):
    if secrets is None:
        return []
    return ["--rsa-key" if secrets.suffix == ".key" else "--keys", secrets]


def sent():
    """What the server sent on each of these connections."""
    return recorded.streams(DIRECTORY / "truth.csv", recorded.tuple_of)[0]


def expected(path):
    """By the rules: (offset, time, token, flags) of records, (code, offset, length) of findings.

    A capture that begins in the middle has no offsets: how much of the plaintext came before is not known.
    """
    missing = [hole for _, *hole in recorded.holes(path)]
    begins_late = any(offset == 0 for offset, _ in missing)
    decoded = decode_dump(with_marks(sent(), missing))
    records = [(item["offset"], item["timestamp"], item["token"], tuple(item["flags"])) for item in decoded.records]
    findings = [(item["code"], item["offset"], item["length"]) for item in decoded.findings]
    return ([(None, *item[1:]) for item in records], None) if begins_late else (records, sorted(findings))


def faults(read):
    """Where the table, the log and the command differ. `read` gives (records, findings) of (options, path)."""
    promised = set()
    for path, secrets, count, codes in rows():
        promised.add(path.name)
        name = f"samples/tls/{path.name}"
        records, findings = read(options(secrets), path)
        findings = [item for item in findings if item["stream"] is not None]
        answer = len(records), {item["code"] for item in findings}
        if answer != (count, codes):
            yield f"{name}: samples/README.md says {count} {sorted(codes)}, apnsift says {answer[0]} {sorted(answer[1])}"
        if count:
            yield from (f"{name}: {fault}" for fault in compare(path, records, findings))
    files = {path.name for path in DIRECTORY.iterdir() if path.suffix.startswith(".pcap")}
    yield from (f"samples/tls/{name}: has no row in samples/README.md" for name in sorted(files ^ promised))


def compare(path, records, findings):
    true_records, true_findings = expected(path)
    offsets = true_findings is not None
    found = [(item["offset"] if offsets else None, item["timestamp"], item["token"], tuple(item["flags"])) for item in records]
    if found != true_records:
        yield f"{len(set(found) & set(true_records))} of {len(true_records)} records as the server sent them, {len(found)} found"
    # What is said before TLS is no plaintext of it.
    findings = [item for item in findings if item["code"] != "plaintext-before-tls"]
    got = sorted((item["code"], item["offset"], item["length"]) for item in findings)
    if offsets and got != true_findings:
        yield f"findings {got}, expected {true_findings}"
