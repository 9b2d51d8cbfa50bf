"""The page about Spark, as users run it."""

import shutil

from conftest import ROOT

from documents import run_page


def test_examples_of_the_page(spark, tmp_path):
    (tmp_path / "dumps").mkdir()
    for name in ("lost-byte.bin", "tls-session.bin"):
        shutil.copy(ROOT / "samples" / name, tmp_path / "dumps")
    assert run_page((ROOT / "docs/how-to/spark.md").read_text().replace("/data/", f"{tmp_path}/")) >= 4
