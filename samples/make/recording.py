"""What it takes to record a capture: a loopback of its own, and tcpdump."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000  # linux/sched.h
SETTLE = 0.3  # seconds until tcpdump has taken and written what the kernel holds for it


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def enter_own_network():
    """A new network namespace for this process, with which it goes. Ends with a word about what is missing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        fail("network namespaces and capturing need root on Linux, found another user or system. Run it as root.")
    for tool in ("ip", "tcpdump", "openssl"):
        if shutil.which(tool) is None:
            fail(f"{tool} is needed and was not found. Install it (Debian: tcpdump openssl iproute2).")
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        error = os.strerror(ctypes.get_errno())
        fail(f"unshare of a network namespace failed: {error}. It takes CAP_SYS_ADMIN, which containers often lack.")
    subprocess.run(["ip", "link", "set", "lo", "mtu", "1500", "up"], check=True)


@contextlib.contextmanager
def tcpdump(path, port):
    """Packets come one at a time, so that a short capture is not empty.

    Then the buffer (here 32 MiB) has a slot of 256 KiB for each packet: the default has room for eight.
    """
    command = ["tcpdump", "-Z", "root", "--immediate-mode", "-B", "32768", "-i", "lo", "-s", "0", "-U", "-w", path]
    process = subprocess.Popen([*command, f"tcp port {port}"], stderr=subprocess.PIPE, text=True)
    if not any("listening on" in line for line in process.stderr):
        fail("tcpdump ended before it was ready")
    try:
        yield
        time.sleep(SETTLE)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
