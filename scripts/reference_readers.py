#!/usr/bin/env python3
"""The five faulty readers, written down a second time, each as its article has it: a socket that returns chunks,
buffers that grow, loops that would spin. It shares no code with apnsift and is slow on purpose.

It draws streams and chunks by a fixed seed, lets every reader read them, counts what is right, and prints the table
that the tests of ReaderModels and Corpora compare with:

usage: reference_readers.py > Tests/Fixtures/readers.json
"""

import itertools
import json
import random
import struct
from collections import Counter

CASES = 120
LONGEST_TABLE = 3000  # hex digits that all readers together may report in a case, so that the table stays small


class Socket:
    """recv(k) gives at most k bytes of the chunk that is there, and nothing at the end."""

    def __init__(self, chunks):
        self.chunks = [bytes(chunk) for chunk in chunks]

    def recv(self, limit):
        if not self.chunks:
            return b""
        chunk = self.chunks.pop(0)
        if len(chunk) > limit:
            self.chunks.insert(0, chunk[limit:])
        return chunk[:limit]


def cookbook(socket, clears=False):
    said, buffer = [], bytearray(38)
    while came := socket.recv(38):
        buffer = bytearray(38) if clears else buffer
        buffer[: len(came)] = came
        said.append((struct.unpack(">i", buffer[:4])[0], bytes(buffer[6:])))
    return said, "completed"


def java(socket):
    return cookbook(socket, clears=True)


def csharp(socket):
    said, data = [], b""
    while came := socket.recv(4096):
        data += came
        while len(data) >= 4 + 2 + 32:
            seconds, length = struct.unpack(">ih", data[:6])
            if len(data) < 4 + 2 + length:
                return said, "hangs"  # nothing in its loop changes any more
            if length < 0:
                return said, "throws"
            said.append((seconds, data[6 : 6 + length]))
            data = data[6 + length :]
    return said, "completed"


def node(socket):
    data = b"".join(iter(lambda: socket.recv(65536), b""))
    said, k = [], 0
    while k < len(data):
        time = int.from_bytes(data[k : k + 4], "big") if k + 3 < len(data) else 0
        k += 4
        length = (data[k] << 8) + data[k] if k < len(data) else 0
        k += 2
        said.append((time, data[k : k + length].ljust(length, b"\0")))
        k += length
    return said, "completed"


READERS = {"cookbook": cookbook, "csharp": csharp, "node": node, "java": java}


def php(socket):
    came = socket.recv(6)
    return [struct.unpack(">BI", came[1:])] if len(came) == 6 else []


def judge(said, truth):
    """Both are lists of (number, value); the truth is without empty tokens."""
    correct = sum((Counter(said) & Counter(truth)).values())
    pairs = enumerate(itertools.zip_longest(said, truth))
    difference = next((number for number, (one, other) in pairs if one != other), None)
    return {"correct": correct, "missed": len(truth) - correct, "difference": difference}


def cut(draw, data):
    """The chunks of a stream, in the form of the tests and as bytes."""
    if draw.random() < 0.4:
        ends = sorted(draw.sample(range(1, len(data)), min(len(data) - 1, draw.randint(0, 6)))) + [len(data)]
        return {"ends": ends}, [data[a:b] for a, b in zip([0] + ends, ends)]
    sizes = draw.choice([[38], [38], [37], [39], [76], [6], [4096], [38, 20], [30, 8], [64, 12, 100]])
    chunks, at, turn = [], 0, 0
    while at < len(data):
        chunks.append(data[at : at + sizes[turn % len(sizes)]])
        at, turn = at + sizes[turn % len(sizes)], turn + 1
    return {"sizes": sizes}, chunks


def draw_stream(draw):
    """Bytes, and the offset and token length of every tuple in them."""
    data, positions, made = b"", [], []
    lengths = draw.choice([[32], [32], [32, 32, 32, 54, 5], [0, 32], [257], [3, 5, 6], [31, 32, 33], [100, 32, 16]])
    times = draw.choice([[1400000000], [1400000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]])
    for _ in range(draw.randint(1, 8)):
        if draw.random() < 0.06:
            data += draw.choice([b"\0", b"\x01\x02\x03", struct.pack(">IH", 1400000000, 0x8005), bytes(40)])
        if made and draw.random() < 0.2:
            made.append(draw.choice(made))
        else:
            token = bytes(draw.choice([0, 0, 0, 0, 0, 1, 2]) for _ in range(draw.choice(lengths)))
            made.append((draw.choice(times), token))
        time, token = made[-1]
        positions.append([len(data), len(token)])
        data += struct.pack(">IH", time, len(token)) + token
    if draw.random() < 0.3:
        lost = draw.randint(1, len(made[-1][1]) + 5)
        data, positions = data[:-lost], positions[:-1]
    return data, positions


def feedback_case(draw):
    data, positions = draw_stream(draw)
    truth = [(int.from_bytes(data[o : o + 4], "big"), data[o + 6 : o + 6 + n]) for o, n in positions if n]
    chunking, chunks = cut(draw, data)
    readers = {}
    for name, reader in READERS.items():
        said, outcome = reader(Socket(chunks))
        texts = [f"{time},{token.hex()}" for time, token in said]
        readers[name] = {"said": texts, "outcome": outcome, **judge(said, truth)}
    return {"stream": data.hex(), "tuples": positions, **chunking, "readers": readers}


def response_case(draw):
    said = [(draw.choice([0, 1, 8, 10, 255]), draw.getrandbits(32)) for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.3:
        said.append(said[0])
    noise = draw.choice([b"", b"", b"", b"\x07\x01\0\0\0\x02", b"\x01\x02"])
    data = noise + b"".join(struct.pack(">BBI", 8, *one) for one in said)
    ends = sorted(draw.sample(range(1, len(data)), draw.randint(0, 3))) + [len(data)]
    heard = php(Socket([data[a:b] for a, b in zip([0] + ends, ends)]))
    offsets = [len(noise) + 6 * number for number in range(len(said))]
    responses = [[offset, *one] for offset, one in zip(offsets, said)]
    texts = [f"{status},{identifier}" for status, identifier in heard]
    return {"stream": data.hex(), "responses": responses, "ends": ends, "said": texts, **judge(heard, said)}


def main():
    draw = random.Random(1)
    drawn = iter(lambda: feedback_case(draw), None)
    short = (case for case in drawn if sum(len(text) for one in case["readers"].values()
        for text in one["said"]) <= LONGEST_TABLE)
    lines = {"feedback": list(itertools.islice(short, CASES)), "responses": [response_case(draw) for _ in range(CASES // 3)]}
    print("{\n" + ",\n".join(f'"{kind}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]" for kind,
        cases in lines.items()) + "\n}")


if __name__ == "__main__":
    main()
