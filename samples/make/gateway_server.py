"""The notifications of the samples, and a mock gateway that accepts them until it reports an error."""

import socket
import struct
import threading
from dataclasses import dataclass

from feedback_server import digest
from oracle.wire import error_bytes, items, request_bytes

PORT = 2195  # of the gateway
INVALID_TOKEN, SHUTDOWN = 8, 10  # status codes of an error response
SANDBOX_TOKEN = digest("gateway token of the sandbox")  # no token here: the mock gateway rejects it
PATIENCE = 30  # seconds that the gateway waits for bytes
# In turn; # is replaced by a number. The last one is too long for commands 0 and 1, which take 256 bytes.
PAYLOADS = [
    '{"aps":{"alert":"Your table for # is ready","sound":"default"}}',
    '{"aps":{"alert":{"title":"Kiosk 17","body":"Grüße aus Köln: # neue Postkarten – schöne Tage!"},"badge":#}}',
    '{"aps":{"content-available":1},"sync":{"since":#,"folders":["inbox","archive"]}}',
    '{"aps": {"alert": {"loc-key": "GAME_INVITE", "loc-args": ["Mia", "#"]}, "badge": 1, "sound": "chime.aiff"}}',
    r'{"aps":{"alert":"Ann: \"See you at gate #\"\nTap to answer \u2013 it\u2019s late \ud83d\ude80"},'
    r'"url":"https:\/\/example.com\/#"}',
    '{"aps":{"alert":"新しいメッセージが#件あります 📬","badge":#,"sound":"default"},"thread":"Übersicht"}',
    '{"aps":{"badge":#}}',
    '{"aps":{"alert":{"title":"Line 7","body":"The train at 08:14 from platform # is cancelled. The next one leaves'
    ' at 08:29 from platform 2, and calls at all stations.","action-loc-key":"SHOW"},"sound":"bell.caf",'
    '"category":"TRAIN","thread-id":"line-7"},"journey":{"id":#,"from":"Dornbach","to":"Weiher","delay":900,'
    '"via":["Au","Kai"]}}',
]
LONG, SILENT = len(PAYLOADS) - 1, 2
# Ids of the items of a command 2 in the order of its frame, in turn: 1 token, 2 payload, 3 identifier, 4 expiry,
# 5 priority.
ORDERS = [(3, 1, 2, 4, 5), (3, 1, 2, 4, 5), (1, 2, 3, 4, 5), (3, 1, 2, 4, 5), (1, 2, 3), (3, 1, 2, 4, 5), (1, 2, 4, 5)]


@dataclass(frozen=True)
class Notification:
    """One request. What it does not carry is None."""

    command: int
    token: bytes
    payload: bytes
    identifier: int | None = None
    expiry: int | None = None  # UNIX seconds, 0 is "do not store"
    priority: int | None = None
    order: tuple = ()  # ids of the items, command 2 only

    def wire_bytes(self):
        return request_bytes(self.command, self.token, self.payload, self.identifier, self.expiry, self.priority, self.order)


def notification(number, token):
    """The one that an app server sends as its `number`-th, from 0: all three commands, many payloads."""
    command = 0 if number % 29 == 7 else 1 if number % 3 == 1 else 2
    kind = number % len(PAYLOADS)
    if kind == LONG and command != 2:
        kind = 0
    payload = PAYLOADS[kind].replace("#", str(number % 90 + 2)).encode()
    expiry = 0 if number % 5 == 0 else 1400000000 + 3600 * number  # 2014-05-13 and later
    if command == 0:
        return Notification(0, token, payload)
    if command == 1:
        return Notification(1, token, payload, identifier=number + 1, expiry=expiry)
    order = ORDERS[number % len(ORDERS)]
    identifier, expiry = number + 1 if 3 in order else None, expiry if 4 in order else None
    priority = (5 if kind == SILENT else 10) if 5 in order else None
    return Notification(2, token, payload, identifier, expiry, priority, order)


class Gateway:
    """Takes one connection. It accepts what it reads up to an invalid token, or up to `last`, where it shuts down.

    Then it writes its error in chunks of `error_sizes` bytes. The client goes on sending: before each chunk and before
    it closes, the gateway lets one more of the `groups` of bytes arrive, without reading them: they are discarded.
    Where nothing is wrong it reads to the end, and says nothing.
    """

    def __init__(self, listener, groups, error_sizes=(), last=None):
        self.listener = listener
        self.arrivals = list(map(len, groups))
        self.error_sizes = error_sizes
        self.last = last  # identifier
        self.accepted = []  # the bytes of each
        self.rejected = None  # likewise
        self.response = b""
        self.taken = 0  # bytes
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        self.connection, _ = self.listener.accept()
        with self.connection:
            # A timeout of Python's own would make the socket one that never waits for all bytes.
            self.connection.settimeout(None)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", PATIENCE, 0))
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if error := self.accept_until_error():
                self.send_error(error_bytes(*error))

    def accept_until_error(self):
        """Status and identifier of the error; None at the end of the stream."""
        while request := self.read_request():
            identifier, token, data = request
            if token == SANDBOX_TOKEN:
                self.rejected = data
                return INVALID_TOKEN, identifier
            self.accepted.append(data)
            if identifier is not None and identifier == self.last:
                return SHUTDOWN, identifier
        return None

    def send_error(self, error):
        """Closing with bytes unread sends RST, as the gateways did."""
        arrived, position = 0, 0
        for number, size in enumerate((*self.error_sizes, 0)):
            arrived += self.arrivals[number]
            unread = self.connection.recv(arrived - self.taken, socket.MSG_PEEK | socket.MSG_WAITALL)
            if self.taken + len(unread) < arrived:
                return  # the client fell silent; without a response the recording is refused
            self.connection.sendall(error[position : position + size])
            position += size
        self.response = error

    def read_request(self):
        """(identifier, token, all bytes) of the next request; None at the end."""
        head = self.take(1)
        if not head:
            return None
        if head[0] == 2:
            head += self.take(4)
            frame = self.take(int.from_bytes(head[1:], "big"))
            parts = {number: frame[begin:end] for number, begin, end in items(frame, 0, len(frame))}
            identifier = int.from_bytes(parts[3], "big") if 3 in parts else None
            return identifier, parts[1], head + frame
        head += self.take(8) if head[0] == 1 else b""
        identifier = int.from_bytes(head[1:5], "big") if head[0] == 1 else None
        token_length = self.take(2)
        token = self.take(int.from_bytes(token_length, "big"))
        payload_length = self.take(2)
        payload = self.take(int.from_bytes(payload_length, "big"))
        return identifier, token, head + token_length + token + payload_length + payload

    def take(self, count):
        data = self.connection.recv(count, socket.MSG_WAITALL)
        self.taken += len(data)
        return data

    def finish(self):
        self.thread.join(timeout=2 * PATIENCE)
