"""Runs tshark for comparison: statuses in a capture, and exports that apnsift reads."""

import os
import re
import subprocess
import xml.etree.ElementTree as tree

PORT = 2197


def options(keys):
    """Cleartext or TLS, on the port of the service."""
    if keys is None:
        return ["-d", f"tcp.port=={PORT},http2"]
    return ["-d", f"tcp.port=={PORT},tls", "-o", f"tls.keylog_file:{keys}"]


def run(path, keys, *more, binary=False):
    command = ["tshark", "-n", "-r", str(path), *options(keys), *more]
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
    return answer.stdout if binary else answer.stdout.decode(errors="replace")


def statuses(path, keys):
    """{(client port, stream): status} of final responses. PDML, because a packet can have several."""
    known = {}
    text = run(path, keys, "-Y", f"tcp.srcport=={PORT} && http2.type==1", "-T", "pdml", "-J", "tcp http2")
    text = re.sub("[^\t\n\r -\ud7ff]", "", text)
    if not text.rstrip().endswith("</pdml>"):
        return known
    for packet in tree.fromstring(text).iter("packet"):
        ports = [field.get("show") for field in packet.iter("field") if field.get("name") == "tcp.dstport"]
        for frame in (field for field in packet.iter("field") if field.get("name") == "http2.stream"):
            fields = {field.get("name"): field.get("show") for field in frame.iter("field")}
            status = fields.get("http2.headers.status")
            if status is not None and status.isdigit() and int(status) >= 200:
                known[int(ports[0]), int(fields["http2.streamid"])] = int(status)
    return known


def pdus(path, keys, output):
    """Exports HTTP/2 PDUs, like Wireshark's menu; true if there are any. Captures without TLS have none."""
    run(path, keys, "-U", "OSI layer 7", "-w", output)
    return os.path.exists(output) and os.path.getsize(output) > 300


def follow(path, keys, output, form="yaml"):
    """Writes the followed stream of the first connection."""
    text = run(path, keys, "-q", "-z", f"follow,{'tcp' if keys is None else 'tls'},{form},0", binary=True)
    with open(output, "wb") as file:
        file.write(text)
