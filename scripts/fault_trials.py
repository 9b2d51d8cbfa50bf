"""Commands under faults of the system: the scenarios, the faults, and what must hold after each."""

import collections
import contextlib
import errno
import functools
import itertools
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys

from apnsift_tool import CHECKS, ROOT, SAMPLES, lab, sections

LIMIT = 60  # seconds that a command may take, with the waits of the library
STORE = "sqlite:tokens.sqlite"
LISTED = sections(CHECKS / "faults.txt")
SCENARIOS = dict(line.split(": ", 1) for line in LISTED["scenarios"])


class Action:
    """A fault. What is `harmless` must not change the result; of `words` the message must have one."""

    def __init__(self, kind, name, *more):
        self.kind, self.name, self.stays, self.harmless = kind, name, "stays" in more, "harmless" in more
        number = getattr(errno, name, None)
        self.signal = getattr(signal, name, None)
        self.words = [os.strerror(number), *LISTED["messages"]] if number else []
        action = number or ("signal" if self.signal else name)
        self.environment = {"FAULT_KIND": kind, "FAULT_ACTION": str(action), "FAULT_STAYS": str(int(self.stays))}
        self.environment |= {"FAULT_SIGNAL": str(int(self.signal))} if self.signal else {}
        self.environment |= {"FAULT_FD": word.split("=")[1] for word in more if word.startswith("descriptor=")}


ACTIONS = [Action(*line.split()) for line in LISTED["faults"]]
SURROUNDINGS = {name: dict(word.split("=") for word in words.split())
    for name, words in (line.split(": ") for line in LISTED["surroundings"])}
SURROUNDED = Action("surroundings", "", "harmless")
Baseline = collections.namedtuple("Baseline", "run files before after")


class Trials:
    def __init__(self, command, directory):
        self.command, self.directory, self.library = command, directory, directory / "faults.so"
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("clang")
        if not compiler:
            sys.exit("check-faults: no C compiler; Swift brings clang, add its directory to PATH, or set CC")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.library, ROOT / "Tests/Faults/faults.c", "-ldl"],
            check=True)
        self.numbers, self.baselines = itertools.count(), {}
        self.make_inputs(directory / "inputs")

    def make_inputs(self, inputs):
        shutil.copytree(CHECKS / "fault-inputs", inputs)
        for name in LISTED["samples"]:
            shutil.copyfile(SAMPLES / name, inputs / name.split("/")[-1])
        for case in sorted((SAMPLES / "corpus/feedback").glob("*/case.yml"))[:3]:
            shutil.copytree(case.parent, inputs / "cases" / case.parent.name)
        self.apnsift("generate --kind dump --seed 7 --tuples 20000 -o inputs/many.bin")
        (inputs / "many.bin.truth.ndjson").unlink()
        self.apnsift(f"store import inputs/list.csv --create --store {STORE}")
        self.apnsift(f"replay inputs/tls-session.bin --max-invalidate 100% --store {STORE}")
        shutil.copyfile(self.directory / "tokens.sqlite", self.directory / "undo.sqlite")
        self.apnsift(f"store undo 1 --store {STORE}")

    def apnsift(self, arguments):
        subprocess.run(self.words(arguments), cwd=self.directory, check=True, capture_output=True)

    def words(self, arguments):
        return [lab() if arguments.startswith("generate ") else self.command, *arguments.split()]

    # One run

    def start(self, name, faults):
        """Runs a scenario in a directory of its own. The inputs are copies: some faults change them."""
        arguments, folder = SCENARIOS[name], self.directory / f"run{next(self.numbers)}"
        for part in ("in", "out", "tmp"):
            (folder / part).mkdir(parents=True)
        names = {word.split("/")[1] for word in arguments.split() if word.startswith("in/")}
        for source in (self.directory / "inputs" / name for name in names or {"session.pcap", "lost-byte.bin", "dump.bin.gz"}):
            if source.is_dir():
                shutil.copytree(source, folder / "in" / source.name)
            elif source.exists():
                shutil.copy2(source, folder / "in" / source.name)  # the inventory has the times of inputs
        store = store_of(name)
        if store and self.store_before(name).exists():
            shutil.copyfile(self.store_before(name), folder / store)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "tmp"), "LD_PRELOAD": str(self.library),
            "FAULT_LOG": str(folder / "log"), "FAULT_ASKS": asking(self.words(arguments)[0]), **faults,
        }
        try:
            run = subprocess.run(
                self.words(arguments), cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            run = None
        log = (folder / "log").read_text(errors="replace").splitlines() if (folder / "log").exists() else []
        return folder, run, log

    def store_before(self, name):
        """The store that a scenario begins with, or a path where there is none."""
        return self.directory / ("undo.sqlite" if name == "undo" else store_of(name))

    def baseline(self, name):
        """The counts of calls of each kind, of a run without a fault, whose results others are compared with."""
        folder, run, log = self.start(name, {})
        if run is None or run.returncode not in (0, 1, 2):
            sys.exit(f"check-faults: {name} failed without a fault: {run and run.stderr.decode()}")
        stores = (self.store_before(name), folder / store_of(name)) if store_of(name) else ()
        self.baselines[name] = Baseline(run, files(folder / "out"), *(map(content, stores) if stores else (None, None)))
        shutil.rmtree(folder)
        counts = next(line for line in log if line.startswith("counts"))
        return {kind: int(number) for kind, number in (part.split("=") for part in counts.split()[1:])}

    def run(self, name, action, number):
        """Where the fault happened, and what was wrong after it."""
        folder, run, log = self.start(name, action.environment | {"FAULT_AT": str(number)})
        where = next((line for line in log if not line.startswith("counts")), "").replace(str(folder), "")
        try:
            return where, list(self.judge(name, action, where, folder, run))
        finally:
            shutil.rmtree(folder)

    def surrounded(self, trial):
        """What was wrong in a variation of the environment: it must not change the result."""
        change, name = trial
        folder, run, _ = self.start(name, SURROUNDINGS[change])
        if change == "a missing TMPDIR" and "spill" in name:
            is_said = run and run.returncode == 2 and "/missing" in message_of(run) and not files(folder / "out")
            found = [] if is_said else [f"expected a message about the directory of temporary files, {run and message_of(run)}"]
        else:
            found = list(self.judge(name, SURROUNDED, "its surroundings", folder, run))
        shutil.rmtree(folder)
        return found

    # What must hold

    def judge(self, name, action, where, folder, run):
        if run is None:
            yield f"ran longer than {LIMIT} s"
            return
        message, code, usual = message_of(run).strip(), run.returncode, self.baselines[name].run.returncode
        context = f"exit {code}: {message[-240:]}"
        is_signalled = action.signal and code == -action.signal
        if not is_signalled and (code not in (0, 1, 2, 3) or "Fatal error" in message):
            yield context
        is_done = code == usual and not re.search("cannot be (written|allocated)|cannot allocate", message)
        if where and action.harmless and not is_done:
            yield f"expected exit {usual}, {context}"
        changes_input = action.name in ("shrink", "grow")
        # An input that cannot be read is reported, and the rest is written.
        is_unread = action.kind in ("read", "open") or "cannot be listed" in message
        is_partial = is_unread and code == 2 or action.kind == "read" and "unverified-retransmission" in message
        yield from self.judge_files(name, action, where, folder, run, is_done, changes_input or is_partial, context)
        if store_of(name) and not (changes_input and store_of(name) in where):
            yield from self.judge_store(name, folder, run, context, changes_input)
        message += run.stdout.decode(errors="replace") if name == "verify" else ""
        # Without /proc there are no arguments, and no more to name.
        is_named = not action.words or any(word in message for word in action.words)
        if "/proc" not in where and code == 2 and usual != 2 and not is_named:
            yield f"the message does not name the fault; {context}"

    def judge_files(self, name, action, where, folder, run, is_done, is_other, context):
        """`is_other`: the input was read as another, or in part."""
        normal, found = self.baselines[name], files(folder / "out")
        # Removing a file is what fails: the file stays.
        is_removal = action.kind in ("move", "make") and where.startswith(("unlink", "rmdir")) and not action.signal
        if not is_removal:
            for where_left, left in ("the output directory", found.keys() - normal.files.keys()), ("TMPDIR",
                os.listdir(folder / "tmp")):
                if left:
                    yield f"left in {where_left}: {', '.join(sorted(left))}; {context}"
        if is_other:
            return
        # The files of an output directory, and it.
        below = {name for name, data in normal.files.items() if "/" in name or data is None}
        if 0 < len(below & found.keys()) < len(below):
            yield f"the output directory is there in part: {', '.join(sorted(found))}; {context}"
        if store_of(name) or name == "verify":
            return
        for file in found.keys() & normal.files.keys():
            if found[file] != normal.files[file] and not (is_done and action.kind == "clock"):
                yield f"{file} has other content; {context}"
        if is_done and where and found.keys() != normal.files.keys() and not is_removal:
            yield f"no error, but {', '.join(sorted(normal.files.keys() - found.keys()))} is missing; {context}"
        if not normal.run.stdout.startswith(run.stdout):
            yield f"standard output is no prefix; {context}"
        if is_done and run.stdout != normal.run.stdout and action.name != "EPIPE":
            yield f"no error, but standard output ends early; {context}"

    def judge_store(self, name, folder, run, context, changes_input):
        normal = self.baselines[name]
        try:
            now = content(folder / store_of(name))
        except sqlite3.Error as failure:
            yield f"the store is damaged: {failure}; {context}"
            return
        if now not in (normal.before, normal.after) and not changes_input:
            yield f"the store is neither as before nor as after; {context}"
        if run.returncode == 0 and now != normal.after and not changes_input:
            yield f"no error, but the store is as before; {context}"
        if run.returncode == 2 and "nothing was changed" in message_of(run) and now != normal.before:
            yield f"the message says that nothing was changed; {context}"


@functools.cache
def asking(command):
    """The addresses in faults.c of a command's function that asks for memory by itself; apnsift-lab has none."""
    for line in subprocess.run(["nm", "-S", command], capture_output=True, text=True, check=True).stdout.splitlines():
        if "11TokenMemoryC4take" in line:
            start, size = (int(word, 16) for word in line.split()[:2])
            return f"{start:x} {start + size:x}"
    return "0 0"


def store_of(name):
    """The file of a scenario's store, or None."""
    found = re.search(r"--store sqlite:(\S+)", SCENARIOS[name])
    return found and found[1]


def files(directory):
    paths = sorted(directory.rglob("*"))
    return {str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None for path in paths}


def content(path):
    """The tokens of a store, and how many replays its journal has; a hot journal is rolled back. None: there is no table."""
    if not path.exists():
        return None
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = lambda sql: connection.execute(sql).fetchall()
        check, tables = rows("PRAGMA integrity_check"), rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if ("device_tokens",) not in tables:
            return None
        replays = rows("SELECT count(*), sum(tuples) FROM apnsift_replays") if ("apnsift_replays",) in tables else []
        return check, rows("SELECT * FROM device_tokens ORDER BY 1, 2, 3"), replays


def message_of(run):
    return run.stderr.decode(errors="replace")
