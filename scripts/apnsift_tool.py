"""Where the scripts find the built commands, and what they all say when one is not there."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def binary(name="apnsift", target="build"):
    """The path of a command: APNSIFT or APNSIFT_LAB where that is set, else the release build of this checkout."""
    path = os.environ.get(name.upper().replace("-", "_")) or f"{release_directory()}/{name}"
    if not os.access(path, os.X_OK):
        sys.exit(f"{Path(sys.argv[0]).name}: no command at {path}. Build it with: make {target}")
    return str(Path(path).resolve())


def lab():
    """The path of apnsift-lab."""
    return binary("apnsift-lab", "lab")


def release_directory():
    command = ["swift", "build", "-c", "release", "--show-bin-path"]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return answer.stdout.strip()
