"""What the cross-checks share: to run the command, to compare objects in the keys that are known, to report."""

import argparse
import json
import random
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from apnsift_tool import ROOT

BATCHES = ROOT / ".build" / "cross-check"
NAME = Path(sys.argv[0]).name
SHOWN = 5  # differences that are printed
LINES = 12  # of one difference
BYTE_SUMS = ["stream_bytes", "record_bytes", "skipped_bytes", "truncated_bytes", "undecoded_bytes", "gap_bytes"]
# Of the findings that references know; the others are errors.
WARNINGS = {"midstream-start", "pending-limit", "duplicate-input"}


def severity(code):
    return "warning" if code in WARNINGS else "note" if code == "separating-bytes" else "error"


def severities(findings):
    """As in a summary."""
    counted = Counter(severity(finding["code"]) for finding in findings)
    return {name: counted[name] for name in ("error", "warning", "note")}


def repeated_inputs(contents):
    """Findings about each input that repeats an earlier one, of {path: bytes} (docs/reference/findings.md)."""
    seen = set()
    for path, content in contents.items():
        if content and content in seen:
            code = "duplicate-input"
            location = {"source": path, "stream": None, "direction": None, "offset": None}
            yield {"type": "finding", **location, "code": code, "severity": severity(code)}
        seen.add(content)


def flag_counts(records):
    return dict(Counter(flag for record in records for flag in record["flags"]))


def identity(item):
    """The identity of an object; objects of one location may be in any order."""
    offset = item.get("offset")
    stream = item.get("stream", 0)
    return (
        -1 if stream is None else stream,
        item.get("direction") or "",
        -1 if offset is None else offset,
        item["type"],
        item.get("code") or "",
    )


def in_order(objects):
    """Objects in a comparable order."""
    return sorted(objects, key=lambda item: (identity(item), item.get("length") or 0))


def wrong_keys(expected, actual):
    return [key for key, value in expected.items() if key not in actual or actual[key] != value]


def same(expected, actual):
    """The command may say more than a reference knows (message …), but not differ in what it knows."""
    return len(expected) == len(actual) and not any(map(wrong_keys, expected, actual))


def in_stream_order(objects):
    """In each direction in order of offset; only a ciphertext's finding comes at its end, when its length is known."""
    last = {}
    for item in objects:
        if item.get("offset") is None or item.get("code") == "encrypted-stream":
            continue
        direction = item["source"], item["stream"], item["direction"]
        if item["offset"] < last.get(direction, 0):
            return False
        last[direction] = item["offset"]
    return True


def run_command(command):
    """The objects between header and summary, and the summary."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if run.returncode != 0:
        sys.exit(f"{NAME}: exit code {run.returncode}: {shlex.join(command)}\n{run.stderr[-2000:]}")
    # Only a line feed ends a line here: texts may hold what Unicode takes for the end of one.
    header, *objects, summary = [json.loads(line) for line in run.stdout.removesuffix("\n").split("\n")]
    if header["type"] != "header" or summary["type"] != "summary":
        sys.exit(f"{NAME}: the first object is no header or the last no summary: {shlex.join(command)}")
    return objects, summary


def text(item, keys=None):
    """An object in a line, without what does not apply to it."""
    keys = keys or [key for key, value in item.items() if value is not None]
    text = json.dumps({key: item.get(key, "(absent)") for key in keys}, ensure_ascii=False)
    return text if len(text) <= 400 else text[:400] + "…"


def differences(expected, actual):
    """Lines about objects that are missing, too many, or differ in some keys."""
    waiting = {}
    for item in in_order(actual):
        waiting.setdefault(identity(item), []).append(item)
    for item in in_order(expected):
        there = waiting.get(identity(item))
        if not there:
            yield f"missing   {text(item)}"
            continue
        other = there.pop(0)
        keys = wrong_keys(item, other)
        if keys:
            location = " ".join(str(part) for part in identity(item) if part != "")
            yield f"at {location}\n    expected  {text(item, keys)}\n    apnsift   {text(other, keys)}"
    for item in (one for items in waiting.values() for one in items):
        yield f"too many  {text(item)}"


def report(what, command, expected, actual):
    """Prints one difference."""
    print(f"{NAME}: {what} differs: {shlex.join(command)}", file=sys.stderr)
    lines = list(differences(expected, actual)) or ["the order of offsets in a direction"]
    for line in lines[:LINES]:
        print(f"  {line}", file=sys.stderr)
    if len(lines) > LINES:
        print(f"  … and {len(lines) - LINES} more", file=sys.stderr)


def parse_options(document, seed, counts, has_self_test=False):
    """`counts` has the default of each option that says how many of something are drawn, with its meaning."""
    parser = argparse.ArgumentParser(description=document.split("\n")[0])
    for name, (count, meaning) in counts.items():
        parser.add_argument(f"--{name}", type=int, default=count, help=f"{meaning} (default {count})")
    parser.add_argument("--seed", type=int, default=seed, help=f"of the random generator (default {seed})")
    if has_self_test:
        parser.add_argument("--self-test", action="store_true", help="the reference against cases worked out by hand")
    return parser.parse_args()


class Tally:
    """Runs batches, prints the first differences, and keeps the inputs of batches that differ."""

    def __init__(self, seed):
        self.seed = seed
        self.differing = 0

    def check(self, name, make_batch):
        """`make_batch` takes a generator and a directory; its batch yields (what, command, expected, actual)."""
        directory = BATCHES / f"{self.seed}-{name}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        before = self.differing
        for difference in make_batch(random.Random(f"{self.seed} {name}"), directory).check():
            self.differing += 1
            if self.differing <= SHOWN:
                report(*difference)
        if self.differing == before:
            shutil.rmtree(directory)

    def finish(self, agreed, what):
        if self.differing:
            sys.exit(f"{NAME}: {self.differing} of {what} differ (seed {self.seed})")
        print(f"{NAME}: {agreed} (seed {self.seed})")
