"""Clients that send the requests of a plan (push_plan.py) over HTTP/2.

Each function gives the commands of a client; those of one list run at the same time. As a program it is the client in Python.

usage: push_clients.py URL PLAN
"""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

from push_plan import read_plan

HERE = Path(__file__).resolve().parent


def httpx(work, url, plans):
    return [[sys.executable, HERE / "push_clients.py", url, plan] for plan in plans]


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


CLIENTS = {"httpx": httpx, "node": node, "java": java, "go": go}
TOOLS = {"node": "node", "java": "javac", "go": "go", "curl": "curl"}


def is_there(name):
    if name == "httpx":
        return subprocess.run([sys.executable, "-c", "import httpx, h2"], capture_output=True).returncode == 0
    has_net = name != "go" or Path("/usr/share/gocode/src/golang.org/x/net/http2").is_dir()
    return shutil.which(TOOLS[name]) is not None and has_net


# In Python


def halves(items):
    """Pushes that are sent one after the other, then those that are sent at the same time."""
    return items[: len(items) // 2], items[len(items) // 2 :]


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
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    url, plan = sys.argv[1:]
    asyncio.run(run_httpx(url, list(read_plan(Path(plan)))))


if __name__ == "__main__":
    main()
