"""A relay on loopback between two programs, which saves what either side sent, and helpers for such programs."""

import socket
import subprocess
import threading
import time


class Relay:
    """Passes connections on, one after the other, and saves their chunks as (side, bytes), side "c" or "s".

    A segment of a capture has at most `segment` bytes, as on Ethernet: loopback would take much more at once.
    """

    def __init__(self, port=0, segment=65536, connections=1):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.segment = segment
        self.target = None
        self.connections = [[] for _ in range(connections)]
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def count(self):
        return sum(map(len, self.connections))

    def run(self):
        with self.listener:
            for chunks in self.connections:
                client, _ = self.listener.accept()
                with client, socket.create_connection(("127.0.0.1", self.target)) as server:
                    self.relay(client, server, chunks)

    def relay(self, client, server, chunks):
        for end in client, server:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        other = threading.Thread(target=self.pump, args=(server, client, "s", chunks), daemon=True)
        other.start()
        self.pump(client, server, "c", chunks)
        other.join()

    def pump(self, source, sink, side, chunks):
        try:
            while block := source.recv(self.segment):
                with self.lock:
                    chunks.append((side, block))
                sink.sendall(block)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def finish(self):
        """Waits until both sides have closed."""
        self.thread.join(timeout=5)
        self.listener.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def feed(process, parts, pause=0.04):
    for part in parts:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(pause)


def settle(relay, quiet=0.3, limit=10):
    """Waits until nothing has come for a while."""
    deadline = time.time() + limit
    count = -1
    while relay.count != count and time.time() < deadline:
        count = relay.count
        time.sleep(quiet)


def stop(*processes):
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
