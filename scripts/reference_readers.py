"""The faulty readers of feedback, written down a second time, each as its article has it: buffers that grow, loops that would
spin. They share no code with apnsift, and are slow on purpose. `recv(k)` gives at most k bytes of a chunk, and nothing at the end.

scripts/check-vectors and the tests of the Python package let them read.
"""

import struct


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
