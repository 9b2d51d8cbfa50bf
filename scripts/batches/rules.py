"""Dumps of feedback and of gateways, pairs of dumps, and captures, most of them damaged, held against the oracle.

Every record and every finding is compared, with offset, length, flags, severity, outcome, packet and so on, and so are the order
of offsets, the sums of each stream, and those of each run of the command.
"""

import json
from pathlib import Path

from apnsift_tool import CHECKS, binary
from oracle.compare import Expected, differences, in_order, in_stream_order, run_export, same
from oracle.conversations import FEEDBACK, GATEWAY, Habits, draw_capture
from oracle.damage import draw_conversation, draw_stream
from oracle.decoder import decode_dump, decode_dumps, streams_of
from oracle.runs import Limits

BOTH = "requests", "responses"  # directions of a gateway connection
LIMITS = json.loads((CHECKS / "limits.json").read_text())
TOKENS, TIMES, PAYLOADS = LIMITS["tokens"], LIMITS["times"], LIMITS["payloads"]  # values of options


class Batch:
    """Inputs of one process with its options. Subclasses draw the inputs and build the arguments."""

    option_values = TOKENS | PAYLOADS
    can_limit_pending = False

    def __init__(self, draw, directory, count):
        self.expected, self.sources = Expected(), []
        self.draw_options(draw)
        self.draw_inputs(draw, directory, count)
        self.expected.add_repeated({source: Path(source).read_bytes() for source in self.sources})

    def draw_options(self, draw):
        """Half of the batches have the defaults, the others have some limits changed."""
        changes = {}
        if draw.random() < 0.5:
            drawn = sorted((name, draw.choice(values)) for name, values in self.option_values.items())
            changes = dict(draw.sample(drawn, draw.randint(1, len(drawn))))
        if self.can_limit_pending and draw.random() < 0.25:
            changes["max-pending"] = draw.choice([1, 2, 5, 20])
        self.options = [word for name, value in changes.items() for word in (f"--{name}", str(value))]
        self.is_pending_limited, self.limits = "max-pending" in changes, Limits.of(changes)
        self.lengths = sorted(self.limits.allowed)  # of tokens of sound records
        # What a second response may find where few requests are remembered, the rules leave open.
        self.most_responses = 1 if self.is_pending_limited else 5

    def command(self, inputs):
        return [binary(), "export", "-t", "ndjson", *self.options, *inputs]

    def check(self):
        """Yields (what, command, lines) for each input that differs, and for the summary."""
        objects, summary = run_export(self.command(self.inputs_of(self.sources)))
        for source in self.sources:
            expected = self.expected.of(source)
            actual = [item for item in objects if item["source"] == source]
            if not same(in_order(expected), in_order(actual)) or not in_stream_order(actual):
                yield self.what, self.command(self.inputs_of([source])), differences(expected, actual)
        sums = self.expected.summary()
        if not same([sums], [summary]):
            yield f"the summary of {self.what}", self.command(self.inputs_of(self.sources)), differences([sums], [summary])


class Dumps(Batch):
    """Lone directions of a gateway, all of one kind."""

    what, kinds = "a dump", BOTH

    def draw_inputs(self, draw, directory, count):
        self.kind = draw.choice(self.kinds)
        for number in range(count):
            shape, content = draw_stream(draw, self.lengths, self.kind)
            path = directory / f"{number:05}-{shape}.bin"
            path.write_bytes(content)
            self.sources.append(str(path))
            self.expected.add(str(path), 0, [decode_dump(content, self.kind, self.limits)])

    def inputs_of(self, sources):
        return ["--from", "raw", "--protocol", self.kind, *sources]


class Streams(Dumps):
    """Dumps of feedback, whose protocol is that of any dump."""

    what, kinds, option_values = "a stream", ["feedback"], TOKENS | TIMES

    def inputs_of(self, sources):
        return ["--from", "raw", *sources]


class Pairs(Batch):
    """Both directions of one connection, as dumps; the source is the name of the first."""

    what = "a pair"
    can_limit_pending = True

    def draw_inputs(self, draw, directory, count):
        requests, answers = draw_conversation(draw, self.lengths, self.most_responses)
        contents = dict(zip(BOTH, (requests, b"".join(answers))))
        self.paths = {kind: str(directory / f"{kind}.bin") for kind in BOTH}
        for kind, content in contents.items():
            Path(self.paths[kind]).write_bytes(content)
        self.sources = [self.paths["requests"]]
        self.expected.add(self.sources[0], 0, decode_dumps(contents, self.limits))

    def inputs_of(self, sources):
        return ["--from", "raw", *(word for kind, path in self.paths.items() for word in (f"--{kind}", path))]


class Captures(Batch):
    """Captures of one or several connections to a gateway each."""

    what, port, kinds = "a capture", GATEWAY, BOTH
    can_limit_pending = True

    def draw_inputs(self, draw, directory, count):
        window = draw.choice([16, 40, 200]) if draw.random() < 0.4 else None
        self.options += ["--reorder-window", str(window)] if window else []
        has_copies = not self.is_pending_limited and window in (None, 200)
        habits = Habits(self.lengths, self.most_responses, self.is_pending_limited, has_copies, self.port)
        for number in range(count):
            path = directory / f"{number:05}.pcap"
            path.write_bytes(draw_capture(draw, habits))
            self.sources.append(str(path))
            for number, directions, keys in streams_of(path.read_bytes(), self.port, self.kinds, self.limits):
                self.expected.add(str(path), number, directions, **keys)

    def inputs_of(self, sources):
        return ["--from", "capture", *sources]


class Feedback(Captures):
    """Captures of one or several connections to a feedback server each."""

    what, port, kinds, option_values = "a capture of feedback", FEEDBACK, ["feedback"], TOKENS | TIMES
    can_limit_pending = False
