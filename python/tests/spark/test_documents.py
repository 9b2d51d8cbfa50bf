"""The page about Spark, as users run it."""

import shutil

from conftest import ROOT
from test_databases import server  # noqa: F401  (a fixture)

from documents import BLOCK, run


def test_examples_of_the_page(spark, server, tmp_path):  # noqa: F811
    (tmp_path / "dumps").mkdir()
    for name in ("lost-byte.bin", "tls-session.bin"):
        shutil.copy(ROOT / "samples" / name, tmp_path / "dumps")
    names = {}
    blocks = BLOCK.findall((ROOT / "docs/how-to/spark.md").read_text())
    assert len(blocks) >= 5
    for block in blocks:
        block = block.replace("/data/", f"{tmp_path}/").replace("jdbc:postgresql://db.example/push?user=push", server)
        run(block, names)
