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

from apnsift_tool import CHECKS, binary, lab, run

# Groups of options, each with what is drawn for it, or how likely a flag is; what is there twice is twice as likely.
OPTIONS = json.loads((CHECKS / "generated.json").read_text())
PROMISED = ('{"type":"feedback",', '{"type":"request",', '{"type":"response",', '{"type":"push",')
# Fields that damage may make null, but not change.
CERTAIN = ["token", "token_length", "token_text", "topic", "push_type", "apns_id", "apns_unique_id", "priority"]
CERTAIN += ["expiration", "collapse_id", "payload_length", "status", "reason", "timestamp_ms", "timestamp", "time"]
# Numbers that damage of a capture file changes: what cannot be read is not counted, and may look like something new.
NUMBERS = re.compile(r'"(?:stream|packet|request_packet)":\d+,')


def draw_options(draw):
    """The options of one input, as words."""
    drawn = one_of_each(draw, "kinds") | {"seed": draw.randrange(2**64)} | one_of_each(draw, "all")
    kind = drawn["kind"]
    is_dump, is_push = kind in ("dump", "pair"), kind.startswith("push")
    if draw.random() < 0.3:
        drawn["tokens"] = draw.randint(1, drawn["tuples"])
    if draw.random() < 0.3:
        drawn["earliest"] = draw.randrange(1245196800, 1619740800 - 86400)
        drawn["latest"] = draw.choice([drawn["earliest"] + 86400, 1619740800])
    if is_push:
        drawn |= one_of_each(draw, "pushes")
    elif draw.random() < (0.7 if is_dump else 0.3):
        drawn |= one_of_each(draw, "damage")
    if kind == "push-log":
        # If all statuses were 410, it would be in doubt whose time the others are.
        drawn |= one_of_each(draw, "log") | {"tuples": max(30, drawn["tuples"])}
    elif not is_dump:
        draw_capture(draw, drawn, is_push or "lost-bytes" in drawn)
        # Pushes are long. With more segments, not all retransmissions are compared.
        if is_push and drawn["segments"] in ("1", "1-5"):
            drawn |= {name: min(drawn[name], 300) for name in ("tuples", "tokens") if name in drawn}
    words = ([f"--{name}"] if value is True else [f"--{name}", str(value)] for name, value in drawn.items() if value is not False)
    return [word for pair in words for word in pair]


def one_of_each(draw, group):
    return {name: draw.random() < values if isinstance(values, float) else draw.choice(values)
        for name, values in OPTIONS[group].items()}


def draw_capture(draw, drawn, is_damaged):
    drawn |= one_of_each(draw, "capture")
    if draw.random() < 0.2:
        drawn |= one_of_each(draw, "cut packets")
    elif draw.random() < 0.3:
        drawn |= one_of_each(draw, "fragments")
    if drawn["kind"] == "gateway" and not is_damaged and "snap-length" not in drawn:
        drawn |= one_of_each(draw, "responses")
    if draw.random() < 0.8:
        drawn |= one_of_each(draw, "rates")
        # Checksums of cut packets prove nothing, and neither do those of a sender half of which are wrong.
        drawn["conflicts"] = 0 if "snap-length" in drawn else min(drawn["conflicts"], 100)
        # A response names a request only if others are left, too.
        if "responses" in drawn:
            drawn["loss"] = 0 if drawn["tuples"] < 100 * drawn["connections"] else min(drawn["loss"], 10)
    if draw.random() < 0.25:
        drawn |= one_of_each(draw, "damage of the file")


def without_message(line):
    """A finding's message is its last member; the words are the decoder's own."""
    return line.split(',"message":')[0]


def wrong_fields(truth, exported):
    """Lines of pushes near damage with a field that is neither null nor right. Empty after damage of the file, which
    may change any byte."""
    doubtful = [json.loads(line) for line in truth if line.startswith('{"type":"push-')]
    if not doubtful or any('"kind":"file-' in line for line in truth):
        return
    known = {(push["stream"], push["http2_stream"]): push for push in doubtful}
    for line in (line for line in exported if line.startswith('{"type":"push",')):
        found = json.loads(line)
        push = known.get((found["stream"], found["http2_stream"]))
        if fields := [name for name in CERTAIN if push and found[name] not in (None, push[name])]:
            yield f"wrong   {', '.join(fields)} in {line}"


def differences(truth, exported):
    """Lines that say what the two do not share."""
    if any('"kind":"file-' in line for line in truth):
        truth, exported = ([NUMBERS.sub("", line) for line in lines] for lines in (truth, exported))
    yield from wrong_fields(truth, exported)
    truth, exported = Counter(truth), Counter(exported)
    if not any(line.startswith('{"type":"stream"') for line in truth):
        # Damaged: no more than the records that nothing touched is promised.
        truth = Counter(line for line in truth.elements() if line.startswith(PROMISED))
        exported &= truth
    yield from (f"truth   {line}" for line in (truth - exported).elements())
    yield from (f"export  {line}" for line in (exported - truth).elements())


class Generated:
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
        if found := list(differences(truth, list(map(without_message, exported)))):
            yield "what was generated", self.generate, found
