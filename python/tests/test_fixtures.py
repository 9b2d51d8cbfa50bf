"""The fixture `apnsift_server`, as a test of another project uses it."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys

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
    with open(LOST, "rb") as file:
        assert b"".join(chunks) == file.read()
    with pytest.raises(AttributeError, match="pushes=True"):
        server.received


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl here")
def test_pushes_are_answered_and_received(apnsift_server, tmp_path):
    (tmp_path / "log.ndjson").write_text(json.dumps({"token": "ab" * 32, "status": 410, "reason": "Unregistered", "timestamp": 1700000000123}) + "\n")
    server = apnsift_server("log.ndjson", pushes=True, answer="400:BadDeviceToken")
    host, port = server.address
    assert server.received == []
    answers = []
    for token in ("ab" * 32, "cd" * 32):
        url = f"http://{host}:{port}/3/device/{token}"
        done = subprocess.run(["curl", "-s", "--http2-prior-knowledge", "-H", "apns-topic: com.example", "-d", "{}", url], capture_output=True, check=True)
        answers.append(json.loads(done.stdout)["reason"])
    assert answers == ["Unregistered", "BadDeviceToken"]
    assert [(one["token_text"][:2], one["topic"], one["status"]) for one in server.received] == [("ab", "com.example", 410), ("cd", "com.example", 400)]


def test_servers_end_and_errors_are_of_the_command(apnsift_server):
    server = apnsift_server(LOST)
    server.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address)
    for given, error, text in [((LOST, {"chunk_size": 0}), apnsift.UsageError, "chunk-size"), (("gone.bin", {}), apnsift.Error, "gone.bin")]:
        with pytest.raises(error, match=text):
            apnsift_server(given[0], **given[1])


def test_no_command(apnsift_server, monkeypatch):
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
    assert python("-c", light, env={**os.environ}).stdout == "set()\n"
