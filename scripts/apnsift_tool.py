"""Where the scripts find the built command, and what they all say when it is not there."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def binary():
    """The path of the command: APNSIFT where that is set, else the release build of this checkout."""
    path = os.environ.get("APNSIFT") or release_directory() + "/apnsift"
    if not os.access(path, os.X_OK):
        sys.exit(f"{Path(sys.argv[0]).name}: no command at {path}. Build it with: make build")
    return str(Path(path).resolve())


def release_directory():
    command = ["swift", "build", "-c", "release", "--show-bin-path"]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return answer.stdout.strip()
