"""What the programs here share; they import this module before those in scripts/."""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


def digest(text):
    """Bytes that look random and are the same everywhere, whatever the version of Python."""
    return hashlib.sha256(f"apnsift sample: {text}".encode()).digest()
