"""The wheel in an environment with nothing else. scripts/check-python builds it, and names it in APNSIFT_WHEEL."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, run

PIP = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTPS_PROXY", "https_proxy"))}
# Libraries of the platforms that the tag of the wheel names.
OF_PLATFORM = set("linux-vdso libc libm libstdc++ libgcc_s ld-linux-x86-64 ld-linux-aarch64 libpthread libdl librt libz".split())


@pytest.fixture(scope="module")
def wheel():
    path = os.environ.get("APNSIFT_WHEEL")
    assert path, "APNSIFT_WHEEL is not set: run scripts/check-python"
    return Path(path)


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A virtual environment with the wheel and what it depends on."""
    home = tmp_path_factory.mktemp("home")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    install = [sys.executable, "-m", "pip", "--python", home / "venv", "install", "-q", "--no-compile", wheel]
    subprocess.run(install, env={"HOME": str(home), "XDG_CACHE_HOME": cache, **PIP}, check=True)
    return home


def in_environment(environment, *arguments):
    """Runs a program with no variables at all: no PATH, no LD_LIBRARY_PATH, no APNSIFT."""
    return subprocess.run([environment / "venv/bin" / arguments[0], *arguments[1:]], env={}, cwd=ROOT, capture_output=True)


def test_the_first_command_of_the_readme(environment):
    arguments = (ROOT / "README.md").read_text().split("$ apnsift ")[1].splitlines()[0].split()
    found, expected = in_environment(environment, "apnsift", *arguments), run(*arguments, cwd=ROOT, env={})
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)
    assert b"39 records" in found.stdout


def test_reading_with_the_command_and_the_libraries_of_the_wheel(environment):
    script = "import apnsift; print(apnsift.read('samples/lost-byte.bin').read_all().num_rows, apnsift.command())"
    done = in_environment(environment, "python", "-c", script)
    rows, command = done.stdout.decode().split()
    assert (done.returncode, rows) == (0, "39"), done.stderr.decode()
    assert Path(command).resolve().is_relative_to(environment.resolve())
    lines = subprocess.run(["ldd", command], capture_output=True, text=True, check=True).stdout.splitlines()
    loaded = {Path(line.split("=>")[0].split()[0]).name: line for line in lines}
    assert not any("not found" in line for line in lines)
    own = {name for name, line in loaded.items() if str(environment) in line}
    assert {name.split(".so")[0] for name in loaded.keys() - own} <= OF_PLATFORM
    assert any(name.startswith("libcrypto-") for name in own)


def test_the_wheel_has_package_types_and_tag(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "apnsift/py.typed" in names and "apnsift/spark/__init__.py" in names
    assert not any("test" in name for name in names)
    assert "-py3-none-manylinux_" in wheel.name
    assert wheel.stat().st_size < 45_000_000


def test_a_source_distribution_builds_offline(tmp_path):
    """Without the command: for systems on which it is installed in another way."""
    package = ROOT / "python"
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path], cwd=package, check=True)
    (source,) = tmp_path.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-index", "--no-deps", "-w", tmp_path]
    subprocess.run([*pip, source], cwd=tmp_path, check=True)
    (built,) = tmp_path.glob("*.whl")
    version = source.name.removeprefix("apnsift-").removesuffix(".tar.gz")
    assert built.name == f"apnsift-{version}-py3-none-any.whl"
    names = zipfile.ZipFile(built).namelist()
    assert "apnsift/py.typed" in names and not any("scripts" in name for name in names)
    assert version == run("--version", check=True).stdout.decode().splitlines()[0]
