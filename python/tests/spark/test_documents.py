"""The page about Spark, as users run it."""

import shutil
import socket

import pytest
from apnsift_tool import private_server
from conftest import ROOT

from documents import BLOCK, run


@pytest.fixture
def server():
    """A server of PostgreSQL on a port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with private_server("postgresql", "listen_addresses='127.0.0.1'", f"port={port}"):
        yield f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=postgres"


def test_examples_of_the_page(spark, server, tmp_path):
    (tmp_path / "dumps").mkdir()
    for name in ("lost-byte.bin", "tls-session.bin"):
        shutil.copy(ROOT / "samples" / name, tmp_path / "dumps")
    names = {}
    blocks = BLOCK.findall((ROOT / "docs/how-to/spark.md").read_text())
    assert len(blocks) >= 5
    for block in blocks:
        block = block.replace("/data/", f"{tmp_path}/").replace("jdbc:postgresql://db.example/push?user=push", server)
        run(block, names)
