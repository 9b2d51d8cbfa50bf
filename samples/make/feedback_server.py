"""The tuples of the samples, and a mock feedback server whose log has the expected records of the capture."""

import csv
import hashlib
import itertools
import socket
import threading
import time

import shared  # noqa: F401
from oracle.wire import tuples_bytes

PORT = 2196  # of the feedback service
EARLIEST, LATEST = 1356998400, 1609459199  # 2013-01-01T00:00:00Z to 2020-12-31T23:59:59Z
# Bytes a write, used in turn and again from the front.
CHUNKS = [1, 37, 380, 39, 5, 608, 76, 2, 33, 114, 3, 38, 60, 1140]
BURST = 5  # writes; then the server rests
REST = 0.02  # seconds


def digest(text):
    """Bytes that look random and are the same everywhere, whatever the version of Python."""
    return hashlib.sha256(f"apnsift sample: {text}".encode()).digest()


def feedback_tuples(name, count):
    """`count` pairs of time and token, in no order of time; others for each `name`."""
    for number in range(count):
        draw = int.from_bytes(digest(f"{name} time {number}")[:8], "big")
        yield EARLIEST + draw % (LATEST - EARLIEST + 1), digest(f"{name} token {number}")


def chunks(data, sizes):
    position = 0
    for size in itertools.cycle(sizes):
        if position >= len(data):
            return
        yield data[position : position + size]
        position += size


class FeedbackServer:
    """Writes one list to each client, in odd chunks and bursts, and closes. Its log is the truth of a capture."""

    def __init__(self, listener, lists):
        """Streams have numbers from 0 in the order of their connections, as in a capture of nothing else."""
        self.listener = listener
        self.lists = lists
        self.log = []  # (stream, offset from 0, time, token in hex) of every tuple that was written
        self.writers = []
        self.accepted = [threading.Event() for _ in lists]
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    def accept(self):
        for stream, tuples in enumerate(self.lists):
            connection, _ = self.listener.accept()
            writer = threading.Thread(target=self.write, args=(connection, stream, tuples), daemon=True)
            writer.start()
            self.writers.append(writer)
            self.accepted[stream].set()

    def write(self, connection, stream, tuples):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            for number, chunk in enumerate(chunks(tuples_bytes(tuples), CHUNKS)):
                connection.sendall(chunk)
                if number % BURST == BURST - 1:
                    time.sleep(REST)
        offset = 0
        for moment, token in tuples:
            self.log.append((stream, offset, moment, token.hex()))
            offset += len(tuples_bytes([(moment, token)]))

    def finish(self, path):
        """Waits for all lists to be written, and saves the log."""
        for thread in [self.acceptor, *self.writers]:
            thread.join(timeout=60)
        write_table(path, ["stream", "offset", "timestamp", "token"], sorted(self.log))


def write_table(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def read_to_end(connection):
    received = b""
    while block := connection.recv(65536):
        received += block
    return received
