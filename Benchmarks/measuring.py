"""What Benchmarks/compare measures: inputs of several sizes, jobs that run in turn, rows with goals."""

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "Benchmarks"
WORK = ROOT / ".build" / "benchmarks"
ENVIRONMENT = {**os.environ, "TZ": "UTC", "GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}


@dataclass
class Input:
    """A generated file in several sizes. `words` are the generator's arguments, with OUT, COUNT, and CSV for a second file."""

    name: str
    words: str
    count: int

    def path(self, eighths=8):
        count = self.count * eighths // 8
        path = WORK / f"{count}-{self.name}"
        if not path.exists():
            words = self.words.replace("COUNT", str(count)).replace("OUT", f"{path}.new").replace("CSV", f"{path}.csv").split()
            subprocess.run([BENCHMARKS / words[0], *words[1:]], check=True)
            Path(f"{path}.new").rename(path)
        return path

    def bytes(self, eighths=8):
        return self.path(eighths).stat().st_size


@dataclass
class Job:
    """A program that is measured. `scale` is what its seconds are multiplied by, `before` what runs unmeasured, `beside` a
    command that runs at the same time, and is ended after it."""

    name: str
    command: list
    cores: int = 1
    scale: float = 1
    repeat: int = 1
    before: object = None
    stdin: str = ""
    beside: list = None
    runs: list = field(default_factory=list)

    def run(self):
        if self.before:
            self.before()
        runs = [self.run_once() for _ in range(self.repeat)]
        self.runs.append([statistics.median(values) for values in zip(*runs)])

    def run_once(self):
        result = WORK / "result"
        words = [str(word) for word in (WORK / "bin" / "measure", result, self.cores, *self.command)]
        beside = self.beside and subprocess.Popen(self.beside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run = subprocess.run(
            words, input=self.stdin or None, stdin=None if self.stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=WORK)
        if beside:
            beside.terminate()
            beside.wait()
        if run.returncode:
            sys.exit(f"compare: exit code {run.returncode}: {' '.join(words)}\n{run.stderr[-2000:]}")
        return [float(value) for value in result.read_text().split()]

    @property
    def seconds(self):
        return self.scale * statistics.median(run[1 if Job.by_cpu else 0] for run in self.runs)

    @property
    def peak(self):
        """In MB of 1,000,000 bytes."""
        return max(run[2] for run in self.runs) * 1024 / 1e6

    by_cpu = False


@dataclass
class Row:
    """A job and its goals: pairs of a text and a function that decides whether a `Row` meets it."""

    name: str
    work: str
    ours: Job
    peers: list = field(default_factory=list)
    goals: list = field(default_factory=list)
    amount: float = 0  # of `unit`, that the job works on
    unit: str = ""

    @property
    def rate(self):
        return self.amount / self.ours.seconds

    def speed(self, name):
        """How many times as fast as a peer."""
        return next(peer.seconds for peer in self.peers if peer.name == name) / self.ours.seconds

    def cells(self, is_judged):
        yield self.work
        yield seconds(self.ours.seconds) + (f", {self.rate:,.0f} {self.unit}" if self.unit else "")
        yield f"{self.ours.peak:.0f} MB"
        yield "<br>".join(peer_text(peer) for peer in self.peers) or "–"
        yield "<br>".join(f"{self.speed(peer.name):.2g}" for peer in self.peers) or "–"
        yield ", ".join(text for text, _ in self.goals) or "–"
        verdicts = [is_met(self) for _, is_met in self.goals]
        yield ("met" if all(verdicts) else "**missed**") if verdicts and is_judged else "–"


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 0.02 else f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def peer_text(peer):
    scaled = f" (a share, times {peer.scale:g})" if peer.scale != 1 else ""
    return f"{peer.name} {seconds(peer.seconds)}, {peer.peak:.0f} MB{scaled}"


# Goals, each as its text and a function that decides whether a row meets it.

def takes(most):
    return f"{seconds(most)}", lambda row: row.ours.seconds <= most


def peaks(most):
    return f"{most} MB", lambda row: row.ours.peak <= most


def rates(least, unit):
    return f"{least:,} {unit}", lambda row: row.rate >= least


def speeds(least, name, text):
    return text, lambda row: row.speed(name) >= least


class PrivateServer:
    """A server of its own, with the settings that one has from the beginning, but for fsync."""

    STORES = {"postgres": "postgresql://postgres@/postgres?host={}", "mariadb": "mysql://root@/measured?socket={}/socket"}

    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        self.script = subprocess.Popen(
            [ROOT / "scripts" / f"private-{self.kind}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.directory = self.script.stdout.readline().strip()
        if not self.directory:
            sys.exit(f"compare: scripts/private-{self.kind} could not start a server")
        self.store = self.STORES[self.kind].format(self.directory)
        if self.kind == "mariadb":
            self.client = ["mariadb", "-u", "root", "-S", f"{self.directory}/socket", "--local-infile=1"]
            subprocess.run([*self.client, "-e", "CREATE DATABASE measured"], check=True)
            self.client += ["measured"]
        else:
            self.client = ["psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-d", self.store]
        return self

    def __exit__(self, *_):
        self.script.stdin.close()
        self.script.wait()

