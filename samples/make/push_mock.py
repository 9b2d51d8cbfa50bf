#!/usr/bin/env python3
"""A mock of the push service over HTTP/2, which writes down what was exchanged: the truth of the recordings.

It reads the preface in cleartext or over TLS, and answers by a hash of the token (push_plan.py). HTTP/2 is the library h2's; the offsets of frames are by a walk of its own over what went over the connection.

The truth has a line of JSON an exchange, by connection:

    client_port, stream (of HTTP/2), path, token_text (what follows /3/device/ in the path), topic, push_type, request_apns_id, priority,
    expiration, collapse_id (as text, null if absent), payload, payload_length, status, response_apns_id, apns_unique_id, body,
    reason, timestamp_ms, request_offset, response_offset, body_offset (of the frames HEADERS, HEADERS and DATA, in bytes from 0 of
    that direction), ending ("answered", "reset", "goaway" or "none"), client_bytes, server_bytes (of the whole connection)

usage: push_mock.py --port PORT --truth FILE [--tls 1.2|1.3 --keys FILE --certificate FILE --key FILE] [--no-alpn]
It says "ready" on standard output, and ends with SIGTERM or SIGINT.
"""

import argparse
import asyncio
import json
import signal
import ssl
import struct

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

from push_plan import PREFACE, answer, answer_headers, digest, new_exchange

DATA, HEADERS = 0, 1


class Walk:
    """Offsets of frames in one direction. `skip` bytes come before the first: the preface."""

    def __init__(self, skip=0):
        self.rest, self.offset, self.skip = b"", 0, skip
        self.first = {}  # (type, stream): offset of the first frame

    @property
    def total(self):
        return self.offset + len(self.rest)

    def feed(self, data):
        self.rest += data
        if self.skip:
            if len(self.rest) < self.skip:
                return
            self.rest, self.offset, self.skip = self.rest[self.skip :], self.skip, 0
        while len(self.rest) >= 9:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + length:
                return
            kind, _, stream = struct.unpack_from(">BBI", self.rest, 3)
            self.first.setdefault((kind, stream), self.offset)
            self.rest, self.offset = self.rest[9 + length :], self.offset + 9 + length


class Exchange:
    def __init__(self, port, stream, headers):
        fields = {name.decode(): value.decode() for name, value in headers}
        self.truth = new_exchange(port, stream, fields.get(":path"), fields)
        self.device, self.payload = self.truth["token_text"], b""

    def line(self, client, server):
        stream = self.truth["stream"]
        item = self.truth | {"payload": self.payload.decode(errors="replace"), "payload_length": len(self.payload)}
        item["request_offset"] = client.first.get((HEADERS, stream))
        item["response_offset"] = server.first.get((HEADERS, stream))
        item["body_offset"] = server.first.get((DATA, stream))
        item |= {"client_bytes": client.total, "server_bytes": server.total}
        return json.dumps(item, ensure_ascii=False)


class Connection(asyncio.Protocol):
    def __init__(self, service):
        self.service = service
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding=None))
        self.exchanges = {}
        self.client, self.server = Walk(len(PREFACE)), Walk()

    def connection_made(self, transport):
        self.transport, self.port = transport, transport.get_extra_info("peername")[1]
        self.service.connections.append(self)
        self.h2.initiate_connection()
        self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 100})

    def connection_lost(self, _):
        self.service.finish(self)

    def data_received(self, data):
        self.client.feed(data)
        try:
            for event in self.h2.receive_data(data):
                self.handle(event)
        except h2.exceptions.ProtocolError:
            pass  # a GOAWAY is in what is sent next
        self.flush()

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.exchanges[event.stream_id] = Exchange(self.port, event.stream_id, event.headers)
        elif isinstance(event, h2.events.DataReceived):
            self.exchanges[event.stream_id].payload += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.exchanges:
            exchange = self.exchanges[event.stream_id]
            asyncio.get_running_loop().call_later(answer(exchange.device).delay, self.respond, exchange)
        elif isinstance(event, h2.events.StreamReset) and event.stream_id in self.exchanges:
            self.exchanges[event.stream_id].truth["ending"] = "reset"

    def respond(self, exchange):
        if self.transport.is_closing() or exchange.truth["ending"] != "none":
            return
        what, stream, truth = answer(exchange.device), exchange.truth["stream"], exchange.truth
        draw = digest(f"id {exchange.device} {stream} {self.port}")
        headers = answer_headers(truth, what, what.status, draw)
        self.h2.send_headers(stream, headers, end_stream=not what.body)
        truth["ending"] = "answered" if not what.body else "none"
        if what.body and what.is_split:
            self.flush()
            asyncio.get_running_loop().call_later(0.003, self.send_body, exchange, what)
        elif what.body:
            self.send_body(exchange, what)
        self.flush()

    def send_body(self, exchange, what):
        if self.transport.is_closing() or exchange.truth["ending"] != "none":
            return
        self.h2.send_data(exchange.truth["stream"], what.body, end_stream=True)
        exchange.truth |= {"body": what.body.decode(), "reason": what.reason, "timestamp_ms": what.timestamp_ms, "ending": "answered"}
        self.flush()

    def flush(self):
        self.write(self.h2.data_to_send())

    def write(self, data):
        if data and not self.transport.is_closing():
            self.server.feed(data)
            self.transport.write(data)


class Service:
    def __init__(self, truth):
        self.truth, self.connections = open(truth, "w"), []

    def finish(self, connection):
        if connection in self.connections:
            self.connections.remove(connection)
            for _, exchange in sorted(connection.exchanges.items()):
                print(exchange.line(connection.client, connection.server), file=self.truth)
            self.truth.flush()


def tls_context(options):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    version = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[options.tls]
    context.minimum_version = context.maximum_version = version
    context.keylog_filename = options.keys
    if not options.no_alpn:
        context.set_alpn_protocols(["h2"])
    return context


async def serve(options):
    loop, service, end = asyncio.get_running_loop(), Service(options.truth), asyncio.Event()
    for number in signal.SIGTERM, signal.SIGINT:
        loop.add_signal_handler(number, end.set)
    context = tls_context(options) if options.tls else None
    server = await loop.create_server(lambda: Connection(service), "127.0.0.1", options.port, ssl=context)
    print("ready", flush=True)
    await end.wait()
    server.close()
    for connection in list(service.connections):
        service.finish(connection)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--truth", required=True)
    for name in "--tls", "--keys", "--certificate", "--key":
        parser.add_argument(name)
    parser.add_argument("--no-alpn", action="store_true")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
