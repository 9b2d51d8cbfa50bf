"""The fixture `apnsift_server`, as a test of another project uses it."""

import json
import shutil
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from documents import BLOCK

import apnsift

LOST = "samples/lost-byte.bin"


def received(server):
    """What a client gets, by reads of a server."""
    with socket.create_connection(server.address) as connection:
        if server.certificate:
            context = ssl.create_default_context(cafile=server.certificate)
            connection = context.wrap_socket(connection, server_hostname="localhost")
        with connection:
            return list(iter(lambda: connection.recv(1000), b""))


@pytest.mark.parametrize("tls", [False, True])
def test_feedback_comes_in_chunks(apnsift_server, tls):
    server = apnsift_server(LOST, tls=tls, chunk_size=100)
    assert bool(server.certificate) == tls
    chunks = received(server)
    assert {len(chunk) for chunk in chunks[:-1]} == {100}
    assert b"".join(chunks) == Path(LOST).read_bytes()
    server.close()
    assert "to 1 client" in server.messages[-1]
    with pytest.raises(AttributeError, match="pushes=True"):
        server.received


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
def test_pushes_are_answered_and_received(apnsift_server):
    push = {"token": "ab" * 32, "status": 410, "reason": "Unregistered", "timestamp": 1700000000123}
    Path("log.ndjson").write_text(json.dumps(push) + "\n")
    server = apnsift_server("log.ndjson", pushes=True, answer="400:BadDeviceToken")
    host, port = server.address
    assert server.received == []
    answers = []
    for token in ("ab" * 32, "cd" * 32):
        url = f"http://{host}:{port}/3/device/{token}"
        curl = ["curl", "-s", "--http2-prior-knowledge", "-H", "apns-topic: com.example", "-d", "{}", url]
        answers.append(json.loads(subprocess.run(curl, capture_output=True, check=True).stdout)["reason"])
    assert answers == ["Unregistered", "BadDeviceToken"]
    received = [(push["token_text"][:2], push["topic"], push["status"]) for push in server.received]
    assert received == [("ab", "com.example", 410), ("cd", "com.example", 400)]


def test_servers_end_and_errors_are_of_the_command(apnsift_server, monkeypatch):
    server = apnsift_server(LOST)
    server.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address)
    with pytest.raises(apnsift.UsageError, match="chunk-size"):
        apnsift_server(LOST, chunk_size=0)
    with pytest.raises(apnsift.Error, match="gone.bin"):
        apnsift_server("gone.bin")
    monkeypatch.setenv("APNSIFT_LAB", "gone")
    with pytest.raises(apnsift.CommandNotFound, match="apnsift-lab"):
        apnsift_server(LOST)


def python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)


def test_a_page_is_a_test_that_passes(tmp_path):
    """Both the fixture and the strategies, where pytest finds the plugin by itself."""
    blocks = BLOCK.findall((ROOT / "docs/how-to/test-a-reader.md").read_text())
    (tmp_path / "test_page.py").write_text("".join(blocks))
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py", cwd=tmp_path)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_nothing_is_imported_that_may_be_missing():
    script = "import sys, apnsift, apnsift_fixtures; print({'hypothesis', 'matplotlib'} & set(sys.modules))"
    assert python("-c", script).stdout == "set()\n"
    light = "import sys, apnsift_fixtures; print({'apnsift', 'pyarrow'} & set(sys.modules))"
    assert python("-c", light).stdout == "set()\n"
