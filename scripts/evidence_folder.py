"""A folder of evidence as an examiner gets it: dumps, captures, archives, disk images, mail, logs, and other files.

Every planted tuple is noted with its file and offset, and the answers to the questions of docs/how-to/examine-evidence.md are
known. Tuples are random by a fixed seed. What it needs, scripts/setup test installs.
"""

import base64
import gzip
import hashlib
import os
import random
import shutil
import sqlite3

from apnsift_tool import ROOT, run
from oracle.wire import tuples_bytes as wire

SAMPLES = ROOT / "samples"
FIRST, LAST = 1_300_000_000, 1_600_000_000  # times of tuples, in seconds since 1970
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffdb004300") + bytes(range(64)) + bytes.fromhex("ffd9")
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
HTML = "<!DOCTYPE html>\n<html><head><title>Intranet</title></head><body><p>Push notifications</p></body></html>\n"


class Tuples:
    """Random tuples, of which no token occurs twice."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, count):
        return [(self.random.randrange(FIRST, LAST), self.random.randbytes(32)) for _ in range(count)]


class Evidence:
    def __init__(self, directory):
        self.folder = directory / "evidence"
        self.work = directory / "work"
        self.folder.mkdir(parents=True)
        self.work.mkdir()
        self.tuples = Tuples(18)
        self.planted = []

    def plant(self, source, tuples, offset=0):
        """Notes tuples in the input with this name. Offsets are those of the first character of each, from 0."""
        for index, (time, token) in enumerate(tuples):
            self.planted.append({
                "source": source, "time": time, "token": token.hex(),
                "file_offset": None if offset is None else offset + 38 * index})

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def dump(self, name, count):
        tuples = self.tuples.some(count)
        self.write(name, wire(tuples))
        self.plant(name, tuples)
        return tuples


def dumps(evidence):
    tuples = evidence.dump("dumps/feedback-2013.bin", 300)
    shutil.copy(evidence.folder / "dumps/feedback-2013.bin", evidence.folder / "dumps/Copy of feedback-2013.bin")
    packed = evidence.tuples.some(120)
    evidence.write("dumps/feedback-2014.bin.gz", gzip.compress(wire(packed), mtime=0))
    evidence.plant("dumps/feedback-2014.bin.gz", packed)
    damaged = evidence.tuples.some(50)
    data = wire(damaged)
    evidence.write("dumps/damaged.bin", data[:38 * 20 + 11] + data[38 * 20 + 12:])  # one byte of tuple 21 is missing
    evidence.plant("dumps/damaged.bin", damaged[:20])
    evidence.plant("dumps/damaged.bin", damaged[21:], 38 * 21 - 1)
    cut = evidence.tuples.some(40)
    evidence.write("dumps/cut.bin", wire(cut)[:-17])
    evidence.plant("dumps/cut.bin", cut[:-1])
    shutil.copy(SAMPLES / "tls-session.hexdump", evidence.folder / "dumps/terminal.txt")
    evidence.write("dumps/empty.bin", b"")
    return tuples


def archives(evidence):
    inner = evidence.work / "backup"
    (inner / "var").mkdir(parents=True)
    stored = evidence.tuples.some(80)
    (inner / "var/feedback.bin").write_bytes(wire(stored))
    (inner / "readme.txt").write_text("Nightly backup of the push server.\n")
    run(["zip", "-qr", evidence.folder / "backup.zip", "."], cwd=inner)
    evidence.plant("backup.zip!var/feedback.bin", stored)
    older = evidence.tuples.some(60)
    (evidence.work / "old.bin").write_bytes(wire(older))
    run(["tar", "-cJf", evidence.folder / "old.tar.xz", "old.bin"], cwd=evidence.work)
    evidence.plant("old.tar.xz!old.bin", older)
    nested = evidence.tuples.some(30)
    (evidence.work / "n.bin").write_bytes(wire(nested))
    run(["tar", "-cf", "nested.tar", "n.bin"], cwd=evidence.work)
    run(["7z", "a", "-bd", evidence.folder / "nested.7z", "nested.tar"], cwd=evidence.work)
    evidence.plant("nested.7z!nested.tar!n.bin", nested)
    (evidence.work / "secret.bin").write_bytes(wire(evidence.tuples.some(10)))
    run(["7z", "a", "-bd", "-tzip", "-psecret", evidence.folder / "secret.zip", "secret.bin"], cwd=evidence.work)


def captures(evidence):
    (evidence.folder / "captures").mkdir()
    for name in ["gateway.pcap", "uplinks-one.pcap", "session-follow.yaml"]:
        shutil.copy(SAMPLES / "captures" / name, evidence.folder / "captures" / name)
    shutil.copy(SAMPLES / "tls/gcm-secrets.pcapng", evidence.folder / "captures/tls.pcapng")
    (evidence.folder / "provider").mkdir()
    shutil.copy(SAMPLES / "pushes/logs/provider.ndjson", evidence.folder / "provider/apns.ndjson")


def texts(evidence):
    quoted = evidence.tuples.some(5)
    body = "They sent me this from the server:\n\n"
    for line in wire(quoted).hex(" ").split("\n"):
        for start in range(0, len(line), 48):
            body += "> " + line[start:start + 48].rstrip() + "\n"
    evidence.write("mail/question.eml", "From: a@example.com\nTo: b@example.com\nSubject: feedback\n\n" + body)
    evidence.plant("mail/question.eml", quoted, None)
    attached = evidence.tuples.some(25)
    encoded = base64.encodebytes(wire(attached)).decode()
    evidence.write(
        "mail/attachment.eml",
        "From: b@example.com\nSubject: Re: feedback\nMIME-Version: 1.0\n"
        'Content-Type: application/octet-stream; name="feedback.bin"\nContent-Transfer-Encoding: base64\n\n' + encoded)
    evidence.plant("mail/attachment.eml", attached, None)
    logged = evidence.tuples.some(6)
    lines = []
    for time, token in logged:
        words = " ".join(token.hex()[start:start + 8] for start in range(0, 64, 8))
        lines.append(f"{time} feedback: device <{words}> is no longer registered\n")
    evidence.write("logs/daemon.log", "".join(lines))
    evidence.plant("logs/daemon.log", logged, None)
    tokens = evidence.tuples.some(40)
    evidence.write("lists/tokens.txt", "".join(token.hex() + "\n" for _, token in tokens))


def images(evidence):
    files = evidence.work / "ext4"
    files.mkdir()
    deleted = evidence.tuples.some(500)
    (files / "feedback.bin").write_bytes(wire(deleted))
    (files / "notes.txt").write_text("no dumps here\n")
    image = evidence.folder / "images/server.ext4"
    image.parent.mkdir()
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    run(["mkfs.ext4", "-q", "-F", "-b", "4096", "-U", "00000000-0000-0000-0000-000000000018", "-d", files, image])
    run(["debugfs", "-w", "-R", "rm feedback.bin", image])
    at = image.read_bytes().find(wire(deleted)[:76])
    evidence.plant("images/server.ext4", deleted, at)

    stick = evidence.work / "stick.fat"
    with open(stick, "wb") as file:
        file.truncate(8 << 20)
    run(["mkfs.vfat", "-i", "18181818", stick])
    lost = evidence.tuples.some(200)
    (evidence.work / "lost.bin").write_bytes(wire(lost))
    run(["mcopy", "-i", stick, evidence.work / "lost.bin", "::lost.bin"])
    run(["mdel", "-i", stick, "::lost.bin"])
    at = stick.read_bytes().find(wire(lost)[:76])
    run(["ewfacquire", "-u", "-t", evidence.folder / "images/stick", "-f", "encase6", "-c", "none", "-S", "4194304",
        "-C", "2026-18", "-e", "A. Examiner", "-E", "7", "-N", "found in a drawer", stick])
    evidence.plant("images/stick.E01", lost, at)

    memory = bytearray(evidence.tuples.random.randbytes(3 << 20))
    kept = evidence.tuples.some(20)
    at = 1_234_567
    memory[at:at + 38 * len(kept)] = wire(kept)
    for part in range(3):
        evidence.write(f"images/memory.00{part + 1}", bytes(memory[part << 20:(part + 1) << 20]))
    evidence.plant("images/memory.001", kept, at)


def others(evidence):
    evidence.write("pictures/photo.jpg", JPEG)
    evidence.write("documents/manual.pdf", PDF)
    evidence.write("documents/page.html", HTML)
    evidence.write("documents/\u202egpj.exe", "a name that reads backwards\n")
    path = evidence.folder / "databases/devices.sqlite"
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE devices (token TEXT PRIMARY KEY, registered_at INTEGER)")
    database.commit()
    database.close()
    known = sorted(path for path in evidence.folder.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(evidence.folder)}\n" for path in known)
    evidence.write("SHA256SUMS", sums)
    os.mkfifo(evidence.folder / "dumps/live")
    (evidence.folder / "dumps/latest.bin").symlink_to("feedback-2013.bin")
    (evidence.folder / "dumps/gone.bin").symlink_to("rotated-away.bin")


def questions(evidence, first):
    """The answers that a reader of the report must find, see docs/how-to/examine-evidence.md."""
    time, token = first[7]
    return {
        "damaged": {"source": "dumps/damaged.bin", "offset": 760, "bytes": 37},
        "cut": {"source": "dumps/cut.bin", "offset": 38 * 39, "bytes": 21},
        "copies": ["dumps/Copy of feedback-2013.bin", "dumps/feedback-2013.bin"],
        "encrypted": "secret.zip!secret.bin",
        "token": {"token": token.hex(), "time": time, "offset": 38 * 7,
                  "sources": ["dumps/Copy of feedback-2013.bin", "dumps/feedback-2013.bin", "dumps/latest.bin"]},
        "deleted": {source: next(row["file_offset"] for row in evidence.planted if row["source"] == source)
                    for source in ["images/server.ext4", "images/stick.E01", "images/memory.001"]},
        "not_read": ["pictures/photo.jpg", "documents/manual.pdf", "documents/page.html", "databases/devices.sqlite",
                     "lists/tokens.txt", "SHA256SUMS", "dumps/live", "dumps/gone.bin"],
    }


def make(directory):
    """Makes DIRECTORY/evidence; the answers, and the rows of planted tuples."""
    evidence = Evidence(directory)
    first = dumps(evidence)
    for part in archives, captures, texts, images, others:
        part(evidence)
    shutil.rmtree(evidence.work)
    return questions(evidence, first), evidence.planted
