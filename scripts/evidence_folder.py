"""A folder of evidence as an examiner gets it: dumps, captures, archives, disk images, mail, logs, and other files.

Each planted tuple is noted with its file and offset. Tuples are random by a seed. What it needs, scripts/setup test installs.
"""

import base64
import contextlib
import gzip
import hashlib
import os
import random
import shutil
import sqlite3

from apnsift_tool import CHECKS, SAMPLES, run
from file_systems import UNITS, Volume, damaged, partitioned
from oracle.wire import tuples_bytes as wire, utc

FIRST, LAST = 1_300_000_000, 1_600_000_000  # times of tuples, in seconds since 1970


class Evidence:
    """The folder, one to make things in, a row for each planted tuple, and (image, offset, kind) of file systems."""

    def __init__(self, directory):
        self.folder, self.work = directory / "evidence", directory / "work"
        self.random, self.planted, self.volumes = random.Random(18), [], []

    def tuples(self, count):
        """Random ones, of which no token occurs twice."""
        return [(self.random.randrange(FIRST, LAST), self.random.randbytes(32)) for _ in range(count)]

    def plant(self, source, tuples, offset=0, more={}):
        """Notes tuples in the input with this name. Offsets are those of the first character of each, from 0."""
        for index, (time, token) in enumerate(tuples):
            at = None if offset is None else offset + 38 * index
            self.planted.append({"source": source, "time": time, "token": token.hex(), "file_offset": at, **more})

    def write(self, name, data, folder=None):
        path = (folder or self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def dump(self, name, count, form=wire, offset=0):
        """A file with planted tuples in some form."""
        tuples = self.tuples(count)
        self.write(name, form(tuples))
        self.plant(name, tuples, offset)
        return tuples

    def make(self, name, count):
        """A dump to be packed, and its tuples."""
        tuples = self.tuples(count)
        return self.write(name, wire(tuples), self.work), tuples

    def copy(self, name, source):
        return self.write(name, source.read_bytes())


def dumps(evidence):
    tuples = evidence.dump("dumps/feedback-2013.bin", 300)
    evidence.copy("dumps/Copy of feedback-2013.bin", evidence.folder / "dumps/feedback-2013.bin")
    evidence.dump("dumps/feedback-2014.bin.gz", 120, lambda tuples: gzip.compress(wire(tuples), mtime=0))
    damaged = evidence.tuples(50)
    data = wire(damaged)
    evidence.write("dumps/damaged.bin", data[:38 * 20 + 11] + data[38 * 20 + 12:])  # one byte of tuple 21 is missing
    evidence.plant("dumps/damaged.bin", damaged[:20])
    evidence.plant("dumps/damaged.bin", damaged[21:], 38 * 21 - 1)
    cut = evidence.tuples(40)
    evidence.write("dumps/cut.bin", wire(cut)[:-17])
    evidence.plant("dumps/cut.bin", cut[:-1])
    evidence.copy("dumps/terminal.txt", SAMPLES / "tls-session.hexdump")
    evidence.write("dumps/empty.bin", b"")
    return tuples


def archives(evidence):
    for name, count, source in [
        ("backup/var/feedback.bin", 80, "backup.zip!var/feedback.bin"), ("old.bin", 60, "old.tar.xz!old.bin"),
        ("n.bin", 30, "nested.7z!nested.tar!n.bin"),
    ]:
        evidence.plant(source, evidence.make(name, count)[1])
    evidence.write("backup/readme.txt", "Nightly backup of the push server.\n", evidence.work)
    evidence.make("secret.bin", 10)
    run(["zip", "-qr", evidence.folder / "backup.zip", "."], cwd=evidence.work / "backup")
    for command in (
        ["tar", "-cJf", evidence.folder / "old.tar.xz", "old.bin"], ["tar", "-cf", "nested.tar", "n.bin"],
        ["7z", "a", "-bd", evidence.folder / "nested.7z", "nested.tar"],
        ["7z", "a", "-bd", "-tzip", "-psecret", evidence.folder / "secret.zip", "secret.bin"],
    ):
        run(command, cwd=evidence.work)


def captures(evidence):
    for name in ["gateway.pcap", "uplinks-one.pcap", "session-follow.yaml"]:
        evidence.copy(f"captures/{name}", SAMPLES / "captures" / name)
    evidence.copy("captures/tls.pcapng", SAMPLES / "tls/gcm-secrets.pcapng")
    evidence.copy("provider/apns.ndjson", SAMPLES / "pushes/logs/provider.ndjson")


def quoted(tuples):
    """Hexadecimal digits in a mail that quotes another."""
    digits = wire(tuples).hex(" ")
    body = "".join(f"> {digits[start:start + 48].rstrip()}\n" for start in range(0, len(digits), 48))
    return "From: a@example.com\nTo: b@example.com\nSubject: feedback\n\nThey sent me this from the server:\n\n" + body


def attached(tuples):
    return (
        "From: b@example.com\nSubject: Re: feedback\nMIME-Version: 1.0\n"
        'Content-Type: application/octet-stream; name="feedback.bin"\nContent-Transfer-Encoding: base64\n\n'
        + base64.encodebytes(wire(tuples)).decode())


def logged(tuples):
    return "".join(f"{time} feedback: device <{token.hex(' ', 4)}> is no longer registered\n" for time, token in tuples)


def texts(evidence):
    evidence.dump("mail/question.eml", 5, quoted, None)
    evidence.dump("mail/attachment.eml", 25, attached, None)
    evidence.dump("logs/daemon.log", 6, logged, None)
    evidence.write("lists/tokens.txt", "".join(token.hex() + "\n" for _, token in evidence.tuples(40)))


def images(evidence):
    ext4, fat, ntfs = (Volume(kind, evidence.work, evidence.tuples) for kind in UNITS)
    disk, starts = partitioned([ext4, fat])
    for name, data in {"server.ext4": ext4.image.read_bytes(), "old.ntfs": ntfs.image.read_bytes(), "disk.img": disk}.items():
        evidence.write(f"images/{name}", data)
    evidence.write("images/damaged.ext4", damaged(ext4))
    run(["ewfacquire", "-u", "-t", evidence.folder / "images/stick", "-f", "encase6", "-c", "none", "-S", "41943040",
        "-C", "2026-18", "-e", "A. Examiner", "-E", "7", "-N", "found in a drawer", fat.image])
    for name, start, volume in [
        ("server.ext4", 0, ext4), ("old.ntfs", 0, ntfs), ("stick.E01", 0, fat),
        ("disk.img", starts[0], ext4), ("disk.img", starts[1], fat),
    ]:
        evidence.volumes.append((f"evidence/images/{name}", start, volume.kind))
        for state, path, chain in volume.planted:
            at = start + volume.image.read_bytes().index(wire(chain))
            evidence.plant(f"images/{name}", chain, at, {"fs_state": state, "fs_path": path})

    memory, kept, at = bytearray(evidence.random.randbytes(3 << 20)), evidence.tuples(20), 1_234_567
    memory[at:at + 38 * len(kept)] = wire(kept)
    for part in range(3):
        evidence.write(f"images/memory.00{part + 1}", bytes(memory[part << 20:(part + 1) << 20]))
    evidence.plant("images/memory.001", kept, at)


def others(evidence):
    shutil.copytree(CHECKS / "evidence", evidence.folder, dirs_exist_ok=True)
    evidence.write("documents/\u202egpj.exe", "a name that reads backwards\n")
    with contextlib.closing(sqlite3.connect(evidence.write("databases/devices.sqlite", b""))) as database:
        database.execute("CREATE TABLE devices (token TEXT PRIMARY KEY, registered_at INTEGER)")
    known = sorted(path for path in evidence.folder.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(evidence.folder)}\n" for path in known)
    evidence.write("SHA256SUMS", sums)
    os.mkfifo(evidence.folder / "dumps/live")
    (evidence.folder / "dumps/latest.bin").symlink_to("feedback-2013.bin")
    (evidence.folder / "dumps/gone.bin").symlink_to("rotated-away.bin")


def seeded(evidence, first):
    """What the seed decides of the answers in Tests/Fixtures/checks/evidence.txt."""
    time, token = first[7]
    packed = hashlib.sha256((evidence.folder / "backup.zip").read_bytes()).hexdigest()
    deleted = [row for row in evidence.planted if "images/" in row["source"] and row.get("fs_state") in ("deleted", None)]
    offsets = {row["source"].removeprefix("images/").split(".")[0]: row["file_offset"] for row in reversed(deleted)}
    return {"token": token.hex(), "time": utc(time), "zip": packed, **offsets}


def make(directory):
    """Makes DIRECTORY/evidence; what the seed decides, the rows of planted tuples, and the file systems."""
    evidence = Evidence(directory)
    first = dumps(evidence)
    for part in archives, captures, texts, images, others:
        part(evidence)
    shutil.rmtree(evidence.work)
    return seeded(evidence, first), evidence.planted, evidence.volumes
