"""What `apnsift-lab generate` writes, held against the truth that it writes.

Options are drawn: dumps, captures, gateway sessions, pushes and their logs with all that a network and a capture do to them,
damaged or not. Without damage the truth must be what `export` says, object for object, but for messages; with it every tuple,
request and push that neither damage nor its neighbourhood touched must come out, unflagged, and of the other pushes no field may
be wrong.
"""

import json
import re
from collections import Counter
from pathlib import Path

from apnsift_tool import binary, lab, run

RATES = ["loss", "reordering", "retransmission", "overlaps", "conflicts"]
OUTCOMES = ["invalidated", "bad-tokens", "throttled", "other-errors", "stream-resets", "goaways"]
PROMISED = ('{"type":"feedback",', '{"type":"request",', '{"type":"response",', '{"type":"push",')
# Fields that damage may make null, but not change.
CERTAIN = ["token", "token_length", "token_text", "topic", "push_type", "apns_id", "apns_unique_id", "priority"]
CERTAIN += ["expiration", "collapse_id", "payload_length", "status", "reason", "timestamp_ms", "timestamp", "time"]
# Numbers that damage of a capture file changes: what cannot be read is not counted, and may look like something new.
NUMBERS = re.compile(r'"(?:stream|packet|request_packet)":\d+,')


def draw_options(draw):
    """The options of one input, as words."""
    kind = draw.choice(["dump", "capture", "gateway", "pair", "pushes", "push-log"])
    is_dump, is_push = kind in ("dump", "pair"), kind.startswith("push")
    drawn = {
        "kind": kind,
        "seed": draw.randrange(2**64),
        "tuples": draw.choice([1, 2, 5, 30, 300, 1000, 3000]),
        "token-length": draw.choice(["32", "32", "32,54", "1,2,32", "1,100", "3,5,6,32", "80", "1-100"]),
        "compression": draw.choice(["none", "none", "none", "gzip", "zstd", "lz4"]),
    }
    if draw.random() < 0.3:
        drawn["tokens"] = draw.randint(1, drawn["tuples"])
    if draw.random() < 0.3:
        drawn["earliest"] = draw.randrange(1245196800, 1619740800 - 86400)
        drawn["latest"] = draw.choice([drawn["earliest"] + 86400, 1619740800])
    if is_push:
        drawn |= {name: draw.choice([0, 50, 300]) for name in OUTCOMES}
    elif draw.random() < (0.7 if is_dump else 0.3):
        drawn |= {name: draw.choice([0, 0, 5, 50, 300]) for name in ("lost-bytes", "flipped-bytes", "lost-blocks", "padding")}
        drawn["cut-tail"] = draw.random() < 0.5
    if kind == "push-log":
        drawn |= {"log-format": draw.choice(["ndjson", "csv"]), "log-times": draw.choice(["milliseconds", "seconds", "rfc3339"])}
        # If all statuses were 410, it would be in doubt whose time the others are.
        drawn["tuples"] = max(30, drawn["tuples"])
    elif not is_dump:
        draw_capture(draw, drawn, is_push or "lost-bytes" in drawn)
        # Pushes are long. With more segments, not all retransmissions are compared.
        if is_push and drawn["segments"] in ("1", "1-5"):
            drawn |= {name: min(drawn[name], 300) for name in ("tuples", "tokens") if name in drawn}
    words = ([f"--{name}"] if value is True else [f"--{name}", str(value)] for name, value in drawn.items() if value is not False)
    return [word for pair in words for word in pair]


def draw_capture(draw, drawn, is_damaged):
    drawn |= {
        "connections": draw.choice([1, 1, 2, 7, 30]),
        "open": draw.randint(1, 5),
        "segments": draw.choice(["1400", "1-1460", "37-39", "1", "1-5", "30-80"]),
        "link": draw.choice(["ethernet", "vlan", "sll", "sll2", "null", "loop", "raw"]),
        "ip": draw.choice([4, 6]),
        "container": draw.choice(["pcap", "pcapng"]),
        "resets": draw.choice([0, 0, 300, 1000]),
        **{name: draw.random() < 0.4 for name in ("wrap", "port-reuse", "midstream", "big-endian", "nanoseconds")},
    }
    if draw.random() < 0.2:
        drawn["snap-length"] = draw.choice([100, 120, 300, 1000])
    elif draw.random() < 0.3:
        drawn["fragments"] = draw.choice([10, 100, 500])
    if drawn["kind"] == "gateway" and not is_damaged and "snap-length" not in drawn:
        drawn["responses"] = draw.choice([0, 500, 1000])
    if draw.random() < 0.8:
        drawn |= {name: draw.choice([0, 0, 10, 100, 500]) for name in RATES}
        # Checksums of cut packets prove nothing, and neither do those of a sender half of which are wrong.
        drawn["conflicts"] = 0 if "snap-length" in drawn else min(drawn["conflicts"], 100)
        # A response names a request only if others are left, too.
        if "responses" in drawn:
            drawn["loss"] = 0 if drawn["tuples"] < 100 * drawn["connections"] else min(drawn["loss"], 10)
    if draw.random() < 0.25:
        drawn |= {name: draw.choice([0, 5, 50, 300]) for name in ("file-lost-bytes", "file-flipped-bytes")}
        drawn["file-cut-tail"] = draw.random() < 0.5


def without_message(line):
    """A finding's message is its last member; the words are the decoder's own."""
    return line.split(',"message":')[0]


def wrong_fields(truth, exported):
    """Lines of pushes near damage with a field that is neither null nor right. Empty after damage of the file, which
    may change any byte."""
    doubtful = [json.loads(line) for line in truth if line.startswith('{"type":"push-')]
    if not doubtful or any('"kind":"file-' in line for line in truth):
        return []
    known = {(push["stream"], push["http2_stream"]): push for push in doubtful}
    wrong = []
    for line in exported:
        if not line.startswith('{"type":"push",'):
            continue
        found = json.loads(line)
        push = known.get((found["stream"], found["http2_stream"]))
        fields = [name for name in CERTAIN if push and found[name] not in (None, push[name])]
        if fields:
            wrong.append(f"wrong   {', '.join(fields)} in {line}")
    return wrong


def differences(truth, exported):
    """Lines that say what the two do not share."""
    if any('"kind":"file-' in line for line in truth):
        truth, exported = ([NUMBERS.sub("", line) for line in lines] for lines in (truth, exported))
    wrong = wrong_fields(truth, exported)
    truth, exported = Counter(truth), Counter(exported)
    if not any(line.startswith('{"type":"stream"') for line in truth):
        # Damaged: no more than the records that nothing touched is promised.
        truth = Counter(line for line in truth.elements() if line.startswith(PROMISED))
        exported &= truth
    return wrong + [f"truth   {line}" for line in (truth - exported).elements()] + [
        f"export  {line}" for line in (exported - truth).elements()
    ]


class Generated:
    """One set of options."""

    def __init__(self, draw, directory, _):
        source = str(directory / "generated")
        self.truth = Path(source + ".truth.ndjson")
        self.generate = [lab(), "generate", *draw_options(draw), "-o", source, "--force"]
        run(self.generate)
        inputs = ["--requests", source, "--responses", source + ".responses"] if "pair" in self.generate else [source]
        self.export = [binary(), "export", "-t", "ndjson", *inputs]

    def check(self):
        # Where the file is damaged, late packets may contradict bytes that were written, which is exit code 2.
        codes = (0, 2) if "--file-flipped-bytes" in self.generate else (0,)
        exported = run(self.export, codes).split("\n")[1:-2]
        truth = list(map(without_message, self.truth.read_text(encoding="utf-8").removesuffix("\n").split("\n")))
        if found := differences(truth, list(map(without_message, exported))):
            yield "what was generated", self.generate, found
