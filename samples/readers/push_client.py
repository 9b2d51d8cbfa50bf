#!/usr/bin/env python3
"""A client of pushes that gets it right, to copy from: sends a push to each token on standard input, and prints a line
`token,status,reason,timestamp`.

HTTP/2 is that of curl, which sends a push again that a GOAWAY or REFUSED_STREAM excluded. Where there was no answer, the last
three are empty.
"""

import json
import os
import subprocess
import sys

SERVER = "{APNSIFT_HOST}:{APNSIFT_PORT}".format_map(os.environ)
CA = os.environ.get("APNSIFT_CA")
CURL = ["curl", "-q", "--silent", "--output", "-", "--write-out", "\n%{http_code}", "--data", '{"aps":{}}']
CURL += ["--header", "apns-topic: com.example.app"]
CURL += ["--http2", "--cacert", CA] if CA else ["--http2-prior-knowledge"]


def push(token):
    """Status, reason and timestamp (milliseconds since 1970) of the answer to a push."""
    url = f"{'https' if CA else 'http'}://{SERVER}/3/device/{token}"
    done = subprocess.run([*CURL, url], stdout=subprocess.PIPE, text=True)
    if done.returncode == 60:  # the certificate is not to be trusted: no push may be sent
        sys.exit(f"{SERVER}: the certificate is refused")
    body, _, status = done.stdout.rpartition("\n")
    answer = json.loads(body) if body else {}
    return ("" if status == "000" else status), answer.get("reason", ""), answer.get("timestamp", "")


for line in sys.stdin:
    print(line.strip(), *push(line.strip()), sep=",", flush=True)
