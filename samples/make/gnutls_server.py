"""A feedback server over the library of GnuTLS, whose own server program sends text only.

It takes connections one after the other, waits for a line of the client, sends standard input in records of the given
sizes, used in turn, and closes. A client that sends no line gets nothing.

usage: gnutls_server.py PORT PRIORITY KEY CERTIFICATE CONNECTIONS SIZES
"""

import ctypes
import socket
import sys

from feedback_server import chunks

# gnutls/gnutls.h
SERVER, CERTIFICATE, PEM, SHUT_WR, REHANDSHAKE = 1, 1, 1, 1, -37
gnutls = ctypes.CDLL("libgnutls.so.30")
gnutls.gnutls_record_send.restype = gnutls.gnutls_record_recv.restype = ctypes.c_ssize_t
gnutls.gnutls_strerror.restype = ctypes.c_char_p


class Datum(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint)]


def check(result):
    if result < 0 and gnutls.gnutls_error_is_fatal(ctypes.c_int(result)):
        sys.exit(f"gnutls_server.py: {gnutls.gnutls_strerror(ctypes.c_int(result)).decode()}")
    return result


def credentials(key, certificate):
    made = ctypes.c_void_p()
    check(gnutls.gnutls_certificate_allocate_credentials(ctypes.byref(made)))
    check(gnutls.gnutls_certificate_set_x509_key_file(made, certificate.encode(), key.encode(), PEM))
    return made


def begin(connection, priority, identity, ticket_key):
    session = ctypes.c_void_p()
    check(gnutls.gnutls_init(ctypes.byref(session), SERVER))
    check(gnutls.gnutls_priority_set_direct(session, priority.encode(), None))
    check(gnutls.gnutls_credentials_set(session, CERTIFICATE, identity))
    if ticket_key:
        check(gnutls.gnutls_session_ticket_enable_server(session, ctypes.byref(ticket_key)))
    gnutls.gnutls_transport_set_int2(session, connection.fileno(), connection.fileno())
    return session


def handshake(session):
    while check(gnutls.gnutls_handshake(session)) < 0:
        pass


def receive_line(session):
    """Whether the client sent a line, before it closed."""
    buffer, line = ctypes.create_string_buffer(4096), b""
    while not line.endswith(b"\n"):
        count = gnutls.gnutls_record_recv(session, buffer, ctypes.c_size_t(len(buffer)))
        if count == REHANDSHAKE:
            handshake(session)
        elif count > 0:
            line += buffer.raw[:count]
        elif count == 0 or gnutls.gnutls_error_is_fatal(ctypes.c_int(count)):
            return False
    return True


def main():
    port, priority, key, certificate, connections, sizes = sys.argv[1:]
    dump, sizes = sys.stdin.buffer.read(), list(map(int, sizes.split(",")))
    identity, ticket_key = credentials(key, certificate), None
    if int(connections) > 1:
        ticket_key = Datum()
        check(gnutls.gnutls_session_ticket_key_generate(ctypes.byref(ticket_key)))
    with socket.create_server(("127.0.0.1", int(port))) as listener:
        print("ready", flush=True)
        for _ in range(int(connections)):
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                session = begin(connection, priority, identity, ticket_key)
                handshake(session)
                if receive_line(session):
                    for chunk in chunks(dump, sizes):
                        check(gnutls.gnutls_record_send(session, chunk, ctypes.c_size_t(len(chunk))))
                gnutls.gnutls_bye(session, SHUT_WR)


if __name__ == "__main__":
    main()
