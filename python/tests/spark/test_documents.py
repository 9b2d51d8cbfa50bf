"""The page about Spark, as users run it."""

import shutil

from conftest import ROOT

from documents import BLOCK, run


def test_examples_of_the_page(spark, tmp_path):
    (tmp_path / "dumps").mkdir()
    for name in ("lost-byte.bin", "tls-session.bin"):
        shutil.copy(ROOT / "samples" / name, tmp_path / "dumps")
    names = {}
    blocks = BLOCK.findall((ROOT / "docs/how-to/spark.md").read_text())
    assert len(blocks) >= 4
    for block in blocks:
        run(block.replace("/data/", f"{tmp_path}/"), names)
