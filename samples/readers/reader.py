#!/usr/bin/env python3
"""A feedback reader that gets it right, to copy from: prints a line `timestamp,token` for each tuple.

It reads standard input or, where APNSIFT_HOST and APNSIFT_PORT are set, a server; with APNSIFT_CA over TLS. A read may
return any number of bytes, so what has come is kept until a tuple is whole.
"""

import os
import socket
import ssl
import struct

HEADER = struct.Struct(">IH")  # seconds since 1970 and the token's length, both unsigned and big-endian


def chunks():
    """What each read returns, until there is no more."""
    if "APNSIFT_HOST" not in os.environ:
        while chunk := os.read(0, 65536):
            yield chunk
        return
    host, port = os.environ["APNSIFT_HOST"], int(os.environ["APNSIFT_PORT"])
    with socket.create_connection((host, port)) as connection:
        if ca := os.environ.get("APNSIFT_CA"):
            connection = ssl.create_default_context(cafile=ca).wrap_socket(connection, server_hostname=host)
        while chunk := connection.recv(65536):
            yield chunk


def tuples(stream):
    """(time, token) of each tuple. One that the end cuts off was not received, and is not reported."""
    buffer = b""
    for chunk in stream:
        buffer += chunk
        start = 0
        while len(buffer) - start >= HEADER.size:
            time, length = HEADER.unpack_from(buffer, start)
            end = start + HEADER.size + length
            if end > len(buffer):
                break  # the rest is still to come
            yield time, buffer[start + HEADER.size : end]
            start = end
        buffer = buffer[start:]


for time, token in tuples(chunks()):
    if token:  # an empty token names no device
        print(f"{time},{token.hex()}", flush=True)
