"""The clients of the recordings: libraries and programs that send the pushes of a plan (push_plan.py) over HTTP/2.

Each function gives the commands of a client; those of one list run at the same time. As a program it is the clients in Python.

usage: push_clients.py aioapns|httpx URL PLAN [--debug]     (--debug: the log of the library, on standard error)
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from push_plan import read_plan

HERE = Path(__file__).resolve().parent


def aioapns(work, url, plans, *options):
    return [[sys.executable, HERE / "push_clients.py", "aioapns", url, plan, *options] for plan in plans]


def httpx(work, url, plans, *options):
    return [[sys.executable, HERE / "push_clients.py", "httpx", url, plan, *options] for plan in plans]


def node(work, url, plans):
    return [["node", HERE / "push_client.js", url, plan] for plan in plans]


def java(work, url, plans, *options):
    # The name in the certificate is not that of the address. The source is compiled at each start.
    return [["java", "-Djdk.internal.httpclient.disableHostnameVerification", *options, HERE / "PushClient.java", url, plan] for plan in plans]


def go(work, url, plans):
    program = work / "push_client"
    if not program.exists():
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(work / "gocache"), "GOFLAGS": ""}
        subprocess.run(["go", "build", "-o", program, HERE / "push_client.go"], check=True, env=environment)
    return [[program, url, plan] for plan in plans]


def curl_config(url, items, directory, name, more=('output = "/dev/null"',)):
    blocks = []
    for number, item in enumerate(items):
        body = directory / f"{name}-{number}.json"
        body.write_bytes(item.payload)
        lines = [f'url = "{url}{item.path}"', f'request = "{item.method}"', "insecure", "silent", *more]
        lines += [f'data-binary = "@{body}"'] if item.payload else []
        lines += ["http2-prior-knowledge" if url.startswith("http:") else "http2"]
        lines += [f'header = "{key}: {value}"' for key, value in item.headers]
        lines.append('header = "content-type:"')
        blocks.append("\n".join(lines) + "\n")
    path = directory / f"{name}.curl"
    path.write_text("next\n".join(blocks))
    return path


def curl(work, url, plans, *options, **more):
    """The first half one after the other over one connection, the second at the same time.

    In cleartext a connection each, as 7.88.1 begins with the preface again at every transfer, and ends with exit code 16.
    """
    commands = []
    for plan in plans:
        items = list(read_plan(plan))
        if url.startswith("http:"):
            configs = [curl_config(url, [item], work, f"{plan.stem}-{number}", **more) for number, item in enumerate(items)]
            commands += [["curl", *options, "-K", config] for config in configs]
            continue
        half = len(items) // 2
        commands.append(["curl", *options, "-K", curl_config(url, items[:half], work, f"{plan.stem}-1", **more)])
        parallel = ["--parallel", "--parallel-max", "10"]
        commands.append(["curl", *options, *parallel, "-K", curl_config(url, items[half:], work, f"{plan.stem}-2", **more)])
    return commands


def nghttp(work, url, plans, *options):
    """All URLs of a command have the same headers and the same body, so there are several; each is a connection."""
    commands = []
    for plan in plans:
        items = list(read_plan(plan))
        for number, begin in enumerate(range(0, len(items), 10)):
            first, body = items[begin], work / f"{plan.stem}-{number}.json"
            body.write_bytes(first.payload)
            headers = [f"-H{name}: {value}" for name, value in first.headers]
            kind = ["--no-dep"] if number % 2 else []
            urls = [f"{url}{item.path}" for item in items[begin : begin + 10]]
            commands.append(["nghttp", *(options or ["-n"]), *kind, "-d", body, "-HX-Hop: 1", *headers, *urls])
    return commands


CLIENTS = {"aioapns": aioapns, "httpx": httpx, "node": node, "java": java, "go": go, "curl": curl, "nghttp": nghttp}
TOOLS = {"aioapns": "python3", "httpx": "python3", "node": "node", "java": "javac", "go": "go", "curl": "curl", "nghttp": "nghttp"}


@contextlib.contextmanager
def mock(work, port, truth, tls=None, keys=None, options=()):
    """The mock of the service, until the block ends."""
    command = [sys.executable, HERE / "push_mock.py", "--port", str(port), "--truth", truth]
    if tls:
        command += ["--tls", tls, "--keys", keys, "--certificate", work / "rsa.pem", "--key", work / "rsa.key", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    if process.stdout.readline() != b"ready\n":
        sys.exit("push_mock.py ended before it was ready")
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        process.stdout.close()


def is_there(name):
    if name in ("aioapns", "httpx"):
        return subprocess.run([sys.executable, "-c", f"import {name}, h2"], capture_output=True).returncode == 0
    has_net = name != "go" or Path("/usr/share/gocode/src/golang.org/x/net/http2").is_dir()
    return shutil.which(TOOLS[name]) is not None and has_net


def version(name):
    """As the program says it."""
    commands = {
        "aioapns": [sys.executable, "-c", "import importlib.metadata as m; print('aioapns', m.version('aioapns'), 'h2', m.version('h2'))"],
        "httpx": [sys.executable, "-c", "import importlib.metadata as m; print('httpx', m.version('httpx'), 'h2', m.version('h2'))"],
        "node": ["node", "--version"], "java": ["java", "--version"], "curl": ["curl", "--version"], "nghttp": ["nghttp", "--version"],
        "go": ["dpkg-query", "-W", "-f", "golang-golang-x-net-dev ${Version}\n", "golang-golang-x-net-dev"]}  # fmt: skip
    run = subprocess.run(commands[name], capture_output=True, text=True)
    first = run.stdout.splitlines()[0] if run.stdout else "unknown"
    return f"node {first}" if name == "node" else re.sub(r" \(.*", "", first)


# In Python


def halves(items):
    """Pushes that are sent one after the other, then those that are sent at the same time."""
    return items[: len(items) // 2], items[len(items) // 2 :]


async def run_aioapns(url, items):
    import aioapns
    from aioapns import connection

    where = urlsplit(url)
    connection.APNsProductionClientProtocol.APNS_SERVER = where.hostname
    connection.APNsTLSClientProtocol.APNS_PORT = where.port
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    key = subprocess.run(
        ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"], capture_output=True, text=True, check=True).stdout
    client = aioapns.APNs(
        key=key, key_id="KEY1234567", team_id="TEAM123456", topic="com.example.app", ssl_context=context, max_connections=1)
    if where.scheme == "http":
        client.pool.ssl_context = None

    async def send(item):
        headers = dict(item.headers)
        expiration = headers.get("apns-expiration")
        await client.send_notification(aioapns.NotificationRequest(
            device_token=item.path.rpartition("/")[2], message=json.loads(item.payload), notification_id=headers.get("apns-id"),
            time_to_live=int(expiration) % 1000 if expiration else None, priority=headers.get("apns-priority"),
            collapse_key=headers.get("apns-collapse-id"), push_type=aioapns.PushType(headers["apns-push-type"]),
            apns_topic=headers["apns-topic"]))

    alone, together = halves(items)
    for item in alone:
        await send(item)
    await asyncio.gather(*map(send, together))
    client.pool.close()
    await asyncio.sleep(0.05)


async def run_httpx(url, items):
    import httpx

    # Without HTTP/1.1 it begins with the preface, in cleartext, too.
    async with httpx.AsyncClient(http1=False, http2=True, verify=False, base_url=url, timeout=30) as client:
        async def send(item):
            await client.request(item.method, item.path, headers=item.headers, content=item.payload)

        alone, together = halves(items)
        for item in alone:
            await send(item)
        await asyncio.gather(*map(send, together))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    name, url, plan = sys.argv[1:4]
    if "--debug" in sys.argv:
        logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)s %(name)s %(message)s")
        logging.getLogger("hpack").setLevel(logging.INFO)  # thousands of lines of its tables
    asyncio.run({"aioapns": run_aioapns, "httpx": run_httpx}[name](url, list(read_plan(Path(plan)))))


if __name__ == "__main__":
    main()
