"""Commands under faults of the system: the scenarios, the faults, and what must hold after each."""

import collections
import csv
import errno
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading

from apnsift_tool import ROOT, lab

LIMIT = 60  # seconds that a command may take, with the waits of the library

# A scenario: its arguments, in a directory with `in`, `out` and the store. `form` says what standard output is:
# "bytes" is compared, and a prefix of it is right after a fault; "text" has times of the run.
Scenario = collections.namedtuple("Scenario", "name arguments form store")

STORE = "sqlite:tokens.sqlite"
SCENARIOS = [
    Scenario("export-csv", "export in/session.pcap -t csv", "bytes", None),
    Scenario("export-ndjson", "export in/disordered.pcap -t ndjson -o out/all.ndjson", "bytes", None),
    Scenario("export-findings", "export in/lost-byte.bin -o out/all.csv --findings out/findings.csv", "bytes", None),
    Scenario("export-raw", "export in/session.pcap -t raw -o out/raw", "bytes", None),
    Scenario("export-compressed", "export in/dump.bin.gz -t json -o out/all.json", "bytes", None),
    Scenario("export-spill", "export in/many.bin -t ndjson --distinct --memory 1MiB -o out/all.ndjson", "bytes", None),
    Scenario("export-gateway", "export in/gateway.pcap -t csv --records requests", "bytes", None),
    Scenario("export-tables", "export in/session.pcap in/gateway.pcap -t csv -o out/tables/ --force", "bytes", None),
    Scenario("export-arrow", "export in/session.pcap in/lost-byte.bin -t arrow -o out/all.arrows", "bytes", None),
    Scenario("export-timeline", "export in/session.pcap in/lost-byte.bin -t timesketch -o out/all.jsonl", "bytes", None),
    Scenario("export-sqlite", "export in/session.pcap in/gateway.pcap -o out/all.sqlite", "bytes", None),
    Scenario("inspect", "inspect in/session.pcap in/lost-byte.bin in/missing.bin", "bytes", None),
    Scenario("inspect-directory", "inspect --json in", "bytes", None),
    Scenario("report", "report in/lost-byte.bin -o out/report.html --checksums out/sums.txt", "bytes", None),
    Scenario("carve", "carve in/image.img -o out/carved.csv", "bytes", None),
    Scenario("generate", "generate --kind dump --seed 1 --tuples 3000 -o out/dump.bin", "bytes", None),
    Scenario("generate-compressed", "generate --kind capture --seed 2 --tuples 500 -o out/capture.pcap.gz", "bytes", None),
    Scenario("audit", "audit in/session.pcap --json", "bytes", None),
    Scenario("verify", "verify in/cases --junit out/results.xml --jobs 1", "text", None),
    Scenario("replay", f"replay in/dump.bin --store {STORE} --max-invalidate 100%", "text", "tokens.sqlite"),
    Scenario("replay-journal", f"replay in/dump.bin --store {STORE} --max-invalidate 100% --journal sqlite:journal.sqlite", "text", "tokens.sqlite"),
    Scenario("replay-spill", f"replay in/many.bin --memory 1MiB --store {STORE} --max-invalidate 100%", "text", "tokens.sqlite"),
    Scenario("replay-create", "replay in/dump.bin --create --store sqlite:new.sqlite", "text", "new.sqlite"),
    Scenario("dry-run", f"replay in/dump.bin --dry-run -o out/rows.csv --store {STORE}", "text", "tokens.sqlite"),
    Scenario("import", f"store import in/more.csv --store {STORE}", "text", "tokens.sqlite"),
    Scenario("undo", f"store undo 1 --store {STORE}", "text", "tokens.sqlite"),
    Scenario("store-export", f"store export --store {STORE} -o out/store.csv", "text", "tokens.sqlite"),
]

# A fault: `kind` as in faults.c, the action for it, whether later calls fail, too, and the only descriptor. What is `harmless`
# must not change the result. `words` are what the message must have one of.
Action = collections.namedtuple("Action", "name group kind action stays descriptor harmless words")

DATABASE = ["disk cannot be read", "disk image is malformed", "opens for reading only", "disk I/O error", "database or disk is full", "unable to open database file", "attempt to write a readonly database"]


def error(kind, name, stays=False, descriptor=None, harmless=False):
    number = getattr(errno, name)
    return Action(name, f"{kind}: {name}", kind, str(number), stays, descriptor, harmless, [os.strerror(number), *DATABASE])


def behaviour(kind, name, group, stays=False, harmless=True):
    return Action(name, group, kind, name, stays, None, harmless, [])


ACTIONS = [
    error("write", "ENOSPC", stays=True), error("write", "EDQUOT", stays=True), error("write", "EIO"), error("write", "EPIPE", stays=True, descriptor=1),
    behaviour("write", "short", "write: half of the bytes"), behaviour("write", "short", "write: half of the bytes", stays=True),
    behaviour("write", "interrupt", "write: EINTR"),
    error("read", "EIO"), error("read", "EIO", stays=True), behaviour("read", "short", "read: half of the bytes", stays=True), behaviour("read", "interrupt", "read: EINTR"),
    behaviour("read", "shrink", "read: the file shrinks", harmless=False), behaviour("read", "grow", "read: the file grows", harmless=False),
    error("open", "EACCES"), error("open", "EMFILE", stays=True), error("open", "EIO"),
    error("sync", "EIO"), error("sync", "ENOSPC", stays=True), error("move", "EIO"), error("move", "ENOSPC"), error("make", "ENOSPC"), error("make", "EACCES"),
    error("truncate", "EIO"), error("map", "ENOMEM"), behaviour("clock", "back", "clock: a day back"),
] + [
    Action(name, f"signal {name}", kind, "signal", False, None, False, [])
    for name in ("SIGINT", "SIGTERM", "SIGHUP") for kind in ("write", "read", "open", "sync", "move", "make")
]


# Changes of the environment that must not change a result; with a missing TMPDIR, what needs temporary files says so.
SURROUNDINGS = {
    "no HOME": {"HOME": ""}, "a missing HOME": {"HOME": "/missing"}, "no TMPDIR": {"TMPDIR": ""}, "a missing TMPDIR": {"TMPDIR": "/missing"},
    "Turkish": {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}, "Japanese in EUC": {"LC_ALL": "ja_JP.EUC-JP"}, "no locale": {"LC_ALL": "C"},
    "an unknown locale": {"LC_ALL": "xx_XX.X", "LANGUAGE": "xx"}, "another time zone": {"TZ": "Asia/Kathmandu"}, "an unknown time zone": {"TZ": "/missing"},
    "few columns": {"COLUMNS": "1", "TERM": "dumb"},
}
NAMES = [b"two\nlines", b"clear\x1b[2J", b"a,\"b\"", b"not \xff\xfe UTF-8", b"'; DROP TABLE device_tokens; --", b"-", "\u202e\u0130i".encode(), b"a" * 250]
NAMES = [b"./" + name if name == b"-" else name for name in NAMES]


class Trials:
    def __init__(self, command, directory):
        self.command, self.directory, self.scenarios = command, directory, SCENARIOS
        self.library = directory / "faults.so"
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("clang")
        if not compiler:
            sys.exit("check-faults: no C compiler; Swift brings clang, add its directory to PATH, or set CC")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.library, ROOT / "Tests/Faults/faults.c", "-ldl"], check=True)
        self.numbers, self.baselines = itertools.count(), {}
        self.make_inputs(directory / "inputs")

    def make_inputs(self, inputs):
        (inputs / "cases").mkdir(parents=True)
        samples = ROOT / "samples"
        for name in ("captures/session.pcap", "captures/disordered.pcap", "captures/gateway.pcap", "lost-byte.bin"):
            shutil.copyfile(samples / name, inputs / name.split("/")[-1])
        shutil.copyfile(samples / "tls-session.bin", inputs / "dump.bin")
        for case in sorted(path for path in (samples / "corpus/feedback").iterdir() if path.is_dir())[:3]:
            shutil.copytree(case, inputs / "cases" / case.name)
        dump = (samples / "tls-session.bin").read_bytes()
        subprocess.run(["gzip", "-kn", inputs / "dump.bin"], check=True)
        (inputs / "image.img").write_bytes(bytes(70_000) + dump + bytes(70_000) + dump[:380] + bytes(5000))
        self.apnsift(inputs, "generate --kind dump --seed 7 --tuples 40000 -o many.bin")
        (inputs / "many.bin.truth.ndjson").unlink()
        tokens = [dump[offset + 6:offset + 38].hex() for offset in range(0, len(dump), 38)]
        (inputs / "list.csv").write_text("token,registered_at\n" + "".join(f"{token},1246060800\n" for token in tokens[:20]))
        (inputs / "more.csv").write_text("token,registered_at\n" + "".join(f"{n:064x},1400000000\n" for n in range(3000)))
        self.apnsift(inputs.parent, f"store import inputs/list.csv --create --store {STORE}")
        self.apnsift(inputs.parent, f"replay inputs/dump.bin --max-invalidate 100% --store {STORE}")
        shutil.copyfile(inputs.parent / "tokens.sqlite", inputs.parent / "undo.sqlite")
        self.apnsift(inputs.parent, f"store undo 1 --store {STORE}")

    def apnsift(self, directory, arguments):
        subprocess.run(self.words(arguments), cwd=directory, check=True, capture_output=True)

    def words(self, arguments):
        return [lab() if arguments.startswith("generate ") else self.command, *arguments.split()]

    # MARK: one run

    def start(self, scenario, faults):
        """Runs the scenario in a directory of its own. The inputs are copies: some faults change them."""
        folder = self.directory / f"run{next(self.numbers)}"
        for name in ("out", "tmp"):
            (folder / name).mkdir(parents=True)
        names = {word.split("/")[1] for word in scenario.arguments.split() if word.startswith("in/")}
        if scenario.name == "inspect-directory":
            names = {"session.pcap", "lost-byte.bin", "dump.bin.gz"}
        (folder / "in").mkdir()
        for name in names:
            source = self.directory / "inputs" / name
            if source.is_dir():
                shutil.copytree(source, folder / "in" / name)
            elif source.exists():
                shutil.copy2(source, folder / "in" / name)  # the inventory has the times of inputs
        if scenario.store and (before := self.store_before(scenario)).exists():
            shutil.copyfile(before, folder / scenario.store)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "tmp"), "LD_PRELOAD": str(self.library), "FAULT_LOG": str(folder / "log"), **faults}
        try:
            run = subprocess.run(
                self.words(scenario.arguments), cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            run = None
        log = (folder / "log").read_text(errors="replace").splitlines() if (folder / "log").exists() else []
        return folder, run, log

    def store_before(self, scenario):
        """The store that a scenario begins with, or a path where there is none."""
        return self.directory / ("undo.sqlite" if scenario.name == "undo" else scenario.store)

    def baseline(self, scenario):
        """The counts of calls of each kind, of a run without a fault, whose results others are compared with."""
        folder, run, log = self.start(scenario, {})
        if run is None or run.returncode not in (0, 1, 2):
            sys.exit(f"check-faults: {scenario.name} failed without a fault: {run and run.stderr.decode()}")
        before = self.content(self.store_before(scenario)) if scenario.store else None
        after = self.content(folder / scenario.store) if scenario.store else None
        self.baselines[scenario.name] = run, self.files(folder / "out"), before, after
        shutil.rmtree(folder)
        counts = next(line for line in log if line.startswith("counts"))
        return {kind: int(number) for kind, number in (part.split("=") for part in counts.split()[1:])}

    def run(self, scenario, action, number):
        """Where the fault happened, and what was wrong after it."""
        faults = {
            "FAULT_KIND": action.kind, "FAULT_AT": str(number), "FAULT_ACTION": action.action, "FAULT_STAYS": "1" if action.stays else "0"}
        if action.descriptor is not None:
            faults["FAULT_FD"] = str(action.descriptor)
        if action.action == "signal":
            faults["FAULT_SIGNAL"] = str(int(getattr(signal, action.name)))
        folder, run, log = self.start(scenario, faults)
        where = next((line for line in log if not line.startswith("counts")), "").replace(str(folder), "")
        try:
            return where, list(self.judge(scenario, action, where, folder, run))
        finally:
            shutil.rmtree(folder)

    # MARK: surroundings

    def surroundings(self):
        """Each variation of the environment with each scenario, and what was wrong: the result is that of the baseline."""
        for name, changes in SURROUNDINGS.items():
            for scenario in self.scenarios:
                folder, run, _ = self.start(scenario, changes)
                yield f"{scenario.name}: {name}", list(self.judge_surroundings(scenario, changes, folder, run))
                shutil.rmtree(folder)
        yield from self.names()

    def judge_surroundings(self, scenario, changes, folder, run):
        normal, files, _, after = self.baselines[scenario.name]
        context = run and f"exit {run.returncode}: {message_of(run)[-240:]}"
        if "/missing" in changes.get("TMPDIR", "") and "spill" in scenario.name:
            if run is None or run.returncode != 2 or "/missing" not in message_of(run) or self.files(folder / "out"):
                yield f"expected a message about the directory of temporary files, {context}"
            return
        if run is None or run.returncode != normal.returncode:
            yield f"expected exit {normal.returncode}, {context}"
        elif scenario.form == "bytes" and (run.stdout != normal.stdout or self.files(folder / "out") != files):
            yield f"another output; {context}"
        elif scenario.store and self.content(folder / scenario.store) != after:
            yield f"another store; {context}"

    def names(self):
        """Inputs whose names have line ends, escapes, commas and quotes, and bytes that are not UTF-8."""
        folder = self.directory / "names"
        folder.mkdir()
        for name in NAMES:
            shutil.copyfile(self.directory / "inputs" / "dump.bin", os.path.join(os.fsencode(folder), name))
        shutil.copyfile(self.directory / "tokens.sqlite", self.directory / "names.sqlite")
        runs = [
            ("inspect", None), ("inspect --json", json.loads), ("export -t json", json.loads), ("export -t ndjson", lambda text: list(map(json.loads, text.splitlines()))),
            ("export -t csv --records inputs", lambda text: list(csv.reader(text.splitlines(), strict=True))), ("audit --json", json.loads),
            ("report -o -", None), ("replay --dry-run --json --store sqlite:../names.sqlite", json.loads),
            ("replay --max-invalidate 100% --store sqlite:../names.sqlite", None),
        ]
        for arguments, read in runs:
            run = subprocess.run([self.command, *arguments.split(), *sorted(NAMES)], cwd=folder, capture_output=True, timeout=LIMIT)
            faults = []
            if run.returncode != 0:
                faults.append(f"exit {run.returncode}: {message_of(run)[-300:]}")
            if any(byte < 32 and byte != 10 or byte == 127 for byte in run.stderr):
                faults.append("a message has a control character")
            try:
                if read:
                    read(run.stdout.decode())
            except (ValueError, csv.Error) as failure:
                faults.append(f"the output cannot be read: {failure}")
            yield f"{arguments}: odd names", faults

    # MARK: what must hold

    def judge(self, scenario, action, where, folder, run):
        normal, files, before, after = self.baselines[scenario.name]
        if run is None:
            yield f"ran longer than {LIMIT} s"
            return
        message = run.stderr.decode(errors="replace").strip()
        context = f"exit {run.returncode}: {message[-240:]}"
        isSignalled = action.action == "signal" and run.returncode == -getattr(signal, action.name)
        if not isSignalled and (run.returncode not in (0, 1, 2, 3) or "Fatal error" in message):
            yield context
        isDone = run.returncode == normal.returncode and "cannot be written" not in message
        if where and action.harmless and not isDone:
            yield f"expected exit {normal.returncode}, {context}"
        changesInput = action.action in ("shrink", "grow")
        # An input that cannot be read is reported, and the rest is written.
        isPartial = action.kind in ("read", "open") and run.returncode == 2
        isPartial |= action.kind == "read" and "unverified-retransmission" in message
        # Removing a file is what fails: the file stays.
        isRemoval = action.kind in ("move", "make") and where.split()[:1] in (["unlink"], ["rmdir"]) and action.action != "signal"
        found = self.files(folder / "out")
        if not isRemoval:
            odd = sorted(name for name in found if name not in files)
            if odd:
                yield f"left in the output directory: {', '.join(odd)}; {context}"
            left = sorted(path.name for path in (folder / "tmp").iterdir())
            if left:
                yield f"left in TMPDIR: {', '.join(left)}; {context}"
        if not (isPartial or changesInput) and 0 < len(set(found) & set(self.below(files))) < len(self.below(files)):
            yield f"the output directory is there in part: {', '.join(sorted(found))}; {context}"
        if not changesInput and not isPartial and scenario.form == "bytes":
            for name, content in found.items():
                if name in files and content != files[name] and not (isDone and action.kind == "clock"):
                    yield f"{name} has other content; {context}"
            if isDone and where and set(found) != set(files) and not isRemoval:
                yield f"no error, but {', '.join(sorted(set(files) - set(found)))} is missing; {context}"
            if not normal.stdout.startswith(run.stdout):
                yield f"standard output is no prefix; {context}"
            if isDone and run.stdout != normal.stdout and action.name != "EPIPE":
                yield f"no error, but standard output ends early; {context}"
        if scenario.store:
            if not changesInput or scenario.store not in where:
                yield from self.judge_store(scenario, folder, run, normal, before, after, context, changesInput)
        message += run.stdout.decode(errors="replace") if scenario.name == "verify" else ""
        # Without /proc there are no arguments, and no more to name.
        if "/proc" not in where and run.returncode == 2 and normal.returncode != 2 and action.words and not any(word in message for word in action.words):
            yield f"the message does not name the fault; {context}"

    def judge_store(self, scenario, folder, run, normal, before, after, context, changesInput):
        try:
            now = self.content(folder / scenario.store)
        except sqlite3.Error as failure:
            yield f"the store is damaged: {failure}; {context}"
            return
        if now not in (before, after) and not changesInput:
            yield f"the store is neither as before nor as after; {context}"
        if run.returncode == 0 and now != after and not changesInput:
            yield f"no error, but the store is as before; {context}"
        if run.returncode == 2 and "nothing was changed" in message_of(run) and now != before:
            yield f"the message says that nothing was changed; {context}"

    @staticmethod
    def below(files):
        """The files of an output directory, and it."""
        return [name for name in files if "/" in name or files[name] is None]

    def files(self, directory):
        return {
            str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None for path in sorted(directory.rglob("*"))}

    @staticmethod
    def content(path):
        """The tokens of a store, and how many replays its journal has; a hot journal is rolled back. None: there is no table."""
        if not path.exists():
            return None
        connection = sqlite3.connect(path)
        try:
            check = connection.execute("PRAGMA integrity_check").fetchall()
            tables = [name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
            if "device_tokens" not in tables:
                return None
            tokens = connection.execute("SELECT * FROM device_tokens ORDER BY 1, 2, 3").fetchall()
            replays = connection.execute("SELECT count(*), sum(tuples) FROM apnsift_replays").fetchall() if "apnsift_replays" in tables else []
            return check, tokens, replays
        finally:
            connection.close()


def message_of(run):
    return run.stderr.decode(errors="replace")
