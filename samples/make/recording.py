"""What it takes to record captures: namespaces of the network, and the tools that capture."""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

from feedback_server import read_to_end

SETTLE = 1.5  # seconds until a capturing tool has taken and written what the kernel holds for it
CLONE_NEWNET = 0x40000000  # linux/sched.h


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def require(tools, devices=()):
    """Ends with a word about what is missing, before anything was begun."""
    if sys.platform != "linux" or os.geteuid() != 0:
        fail("network namespaces and capturing need root on Linux, found another user or system. Run it as root.")
    for tool in tools:
        if shutil.which(tool) is None:
            fail(f"{tool} is needed and was not found. Install it (Debian: tcpdump tshark stunnel4 openssl iproute2).")
    for device in devices:
        if not os.access(device, os.R_OK | os.W_OK):
            fail(f"{device} is needed and cannot be opened. Load its module, or pass the device into the container.")


class Network:
    """A new network namespace, entered by the calling thread.

    It has no name, so it goes when this process does, however that ends.
    """

    def __init__(self):
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            error = os.strerror(ctypes.get_errno())
            fail(f"unshare of a network namespace failed: {error}. It takes CAP_SYS_ADMIN, which containers often lack.")
        self.handle = os.open("/proc/thread-self/ns/net", os.O_RDONLY)  # keeps it when the thread enters another one
        ip("link set lo up")


def ip(arguments):
    subprocess.run(["ip", *arguments.split()], check=True)


def make_certificate(directory, name):
    """Certificate and key of a server; `name` is its alternative name, such as DNS:localhost."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", f"subjectAltName={name}", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return certificate, key


def receive(address, certificate, name, keys=None):
    """One session of a client: what its reads return, to the end of the stream. `keys` gets the key log."""
    context = ssl.create_default_context(cafile=certificate)
    context.keylog_filename = keys and str(keys)
    with socket.create_connection(address) as connection:
        with context.wrap_socket(connection, server_hostname=name) as session:
            received = read_to_end(session)
            with contextlib.suppress(OSError):
                session.unwrap()
    return received


@contextlib.contextmanager
def running(command, ready):
    """Runs a tool until the block ends; the block begins when the tool's standard error says `ready`."""
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if ready in line:
                break
        else:
            fail(f"{command[0]} ended before it was ready:\n{''.join(said)}")
        drain = threading.Thread(target=lambda: said.extend(process.stderr), daemon=True)
        drain.start()
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        process.stderr.close()


@contextlib.contextmanager
def tcpdump(interface, path, expression, settle=SETTLE):
    """Packets come one at a time, so that a short capture is not empty; `settle` is in seconds.

    Then the buffer (here 32 MiB) has a slot of 256 KiB for each packet: the default has room for eight.
    """
    command = ["tcpdump", "-Z", "root", "--immediate-mode", "-B", "32768", "-i", interface, "-s", "0", "-U"]
    command += ["-w", path, expression]
    with running(command, "listening on"):
        yield
        time.sleep(settle)


@contextlib.contextmanager
def dumpcap(interfaces, path, expression):
    """Writes pcapng, with nanoseconds where the kernel has them."""
    command = ["dumpcap", "-q", "-f", expression, "-w", path]
    for interface in interfaces:
        command += ["-i", interface]
    with running(command, "File:"):
        yield
        time.sleep(SETTLE)
    forget_kernel(path)


def forget_kernel(path):
    """Crosses out the release of the kernel in the header of a pcapng: it is private."""
    release = os.uname().release.encode()
    path.write_bytes(path.read_bytes().replace(release, b"x" * len(release)))
    path.chmod(0o644)  # dumpcap keeps what it writes to its owner
