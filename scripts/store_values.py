"""Stores with unexpected values: how they are made in each database, the values, and what every command must do with them."""

import itertools
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections import namedtuple

from apnsift_tool import CHECKS, sections
from oracle.wire import is_json

# What one case changes: a column of a table of a scenario of that kind. `statement` is SQL; `is_valid` says whether the journal
# can have the value, and is None where any answer without a fault is right. Of SQLite, Tests/TokenStoresTests/JournalDamageTests
# has values that a journal cannot have.
Case = namedtuple("Case", "kind table column name statement is_valid")
Store = namedtuple("Store", "url path journal")

SECONDS = 5.0  # that a command may take
MOST = 1 << 48  # of a count in a journal
LISTED = sections(CHECKS / "store-values.txt")
INPUTS = CHECKS / "store-inputs"  # FORM in mappings is the database's form of times
# Whether each command writes, the JSON that it prints, or neither; and its arguments.
COMMANDS = [line.split(" ", 1) for line in LISTED["commands"]]
WITHOUT_JOURNAL = ("store list", "store export", "store register", "store import", "store show")


def must(done):
    """Ends the check where a preparation fails."""
    if done.returncode:
        sys.exit(f"check-store-values: {done.args} failed: {done.stderr.decode()}")


class Scenario:
    """The stores of one database: a base of each kind, of which each case changes a copy."""

    lenient = ""  # what comes before a statement that the database would refuse
    # Of stores with tables of apnsift, or mapped, and with a journal apart (`file`); and columns that no case changes.
    kinds, omitted = ["own", "mark", "delete"], [("apnsift_replays", "first_change"), ("apnsift_changes", "id")]

    def __init__(self, command, directory, socket=None):
        self.command, self.directory, self.socket = command, directory, socket
        self.lock, self.numbers = threading.Lock(), itertools.count()
        self.environment = {**os.environ, "HOME": str(directory), "TMPDIR": str(directory), "TZ": "UTC"}
        for file in INPUTS.iterdir():
            (directory / file.name).write_bytes(file.read_bytes().replace(b"FORM", self.time_form.encode()))
        self.bases = {kind: self.make_base(kind) for kind in self.kinds}

    def run(self, arguments, store, kind):
        words = [self.command, *arguments.split(), "--store", store.url]
        if kind != "own":
            words += ["--mapping", "mark.yml" if kind == "file" else f"{kind}.yml"]
        if kind == "file" and not arguments.startswith(WITHOUT_JOURNAL):
            words += ["--journal", f"sqlite:{store.journal}"]
        return subprocess.run(
            words, cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def make_base(self, kind):
        """The store of a kind with its history: replays 1 and 2, and 3, which undoes 2. Also its tokens before replay 1."""
        store = self.new_store()
        if kind == "own":
            must(self.run("store register --csv registrations.csv --create", store, kind))
        else:
            must(self.client((INPUTS / f"{self.database}.sql").read_text(), store.path))
        before = self.tokens(store, kind)
        for arguments in ("replay first.bin --max-invalidate 100%", "replay second.bin --max-invalidate 100%", "store undo 2"):
            must(self.run(arguments, store, kind))
        self.loosen(store)
        return store, before

    def tokens(self, store, kind):
        return self.rows(store, f"SELECT * FROM {'device_tokens' if kind == 'own' else 'devices'} ORDER BY 1, 2, 3")

    def loosen(self, store):
        """Removes constraints that tables of another program may lack."""

    def copy(self, kind, case):
        """A changed copy of a base; None where the database refuses the change."""
        base, _ = self.bases[kind]
        store = self.with_journal(self.new_copy(base), base)
        changed = store.journal if kind == "file" and case.table.startswith("apnsift_") else store.path
        if self.client(self.lenient + case.statement, changed).returncode:
            self.remove(store)
            return None
        return store

    def with_journal(self, store, other):
        if other.journal.exists():
            shutil.copyfile(other.journal, store.journal)
        return store

    def client(self, sql, database=None):
        return subprocess.run([*self.program(database), *([database] if database else [])], input=sql.encode(),
            capture_output=True)

    def rows(self, store, sql):
        return self.client(sql, store.path).stdout.splitlines()

    def remove(self, store):
        self.drop(store)
        store.journal.unlink(missing_ok=True)

    def again(self, store):
        """What a command that writes gets: the store, or a copy."""
        return store


class SQLite(Scenario):
    kinds, omitted = ["own", "mark", "flag", "delete", "file"], [("apnsift_changes", name) for name in ("replay", "part")]
    database, time_form = "sqlite", "seconds"

    def new_store(self):
        number = next(self.numbers)
        path, journal = (self.directory / f"{name}{number}.sqlite" for name in ("store", "journal"))
        return Store(f"sqlite:{path}", path, journal)

    def program(self, _):
        return ["sqlite3", "-bail", "-quote"]

    def loosen(self, store):
        for path in filter(os.path.exists, (store.path, store.journal)):
            connection = sqlite3.connect(path, isolation_level=None)
            connection.execute("PRAGMA writable_schema = ON")
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall():
                # The definitions of apnsift are read with these changes only: its columns, types and key stay.
                loose = re.sub(r" CHECK \(([^()]|\([^()]*\))*\)| REFERENCES \w+ \(\w+\)| NOT NULL", "", sql)
                connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, name))
            connection.close()

    def new_copy(self, store):
        copy = self.new_store()
        shutil.copyfile(store.path, copy.path)
        return copy

    def again(self, store):
        return self.with_journal(self.new_copy(store), store)

    def drop(self, store):
        store.path.unlink()

    def content(self, store):
        return [self.rows(store, ".dump"), store.journal.exists() and self.client(".dump", store.journal).stdout]


class Server(Scenario):
    force = ""  # what comes after a statement that drops a database

    def new_store(self, more=""):
        name = f"store{next(self.numbers)}"
        self.client(f"CREATE DATABASE {name}{more};")
        return Store(self.url.format(name, self.socket), name, self.directory / f"{name}.journal")

    def drop(self, store):
        self.client(f"DROP DATABASE {store.path}{self.force}")


class PostgreSQL(Server):
    database, time_form = "postgresql", "timestamptz"
    url, force = "postgresql:///{}?host={}&user=postgres", " WITH (FORCE)"

    def program(self, database):
        return ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-U", "postgres",
            *([] if database else ["postgres"])]

    def new_copy(self, base):
        with self.lock:  # a template must have no other connection
            return self.new_store(f" TEMPLATE {base.path} STRATEGY file_copy")

    def content(self, store):
        return self.rows(store, (
            "SELECT format('SELECT %L, md5(coalesce(string_agg(t::text, '','' ORDER BY t::text), '''')) FROM %I AS t;', relname, "
            "relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname \\gexec"))


class MariaDB(Server):
    database, time_form = "mysql", "seconds"
    url, lenient = "mysql://root@/{}?socket={}/socket", "SET sql_mode = ''; "

    def program(self, database):
        return ["mariadb", "--no-defaults", f"--socket={self.socket}/socket", "-uroot", "-BN", "--default-character-set=utf8mb4"]

    def tables(self, store):
        return [line.decode() for line in self.rows(store, "SHOW TABLES")]

    def new_copy(self, base):
        store = self.new_store()
        made = (f"CREATE TABLE {name} LIKE {base.path}.{name}; INSERT INTO {name} SELECT * FROM {base.path}.{name};"
                for name in self.tables(base))
        must(self.client(self.lenient + " ".join(made), store.path))
        return store

    def content(self, store):
        return self.rows(store, " ".join(f"SELECT '{name}'; SELECT * FROM {name} ORDER BY 1, 2, 3;"
            for name in self.tables(store)))


# Of each table the row that a case changes, and the columns.
TABLES = {table: (first, columns.split()) for table, first, columns in (line.split(" | ") for line in LISTED["tables"])}
FIRST = {table: first for table, (first, _) in TABLES.items()}
COUNTS = "tuples invalidated updated inserted unchanged kept unknown rejected".split()
# What `store history` reads of servers, but for columns that only join tables.
READ = {table: TABLES[table][1][1:] for table in ("apnsift_replays", "apnsift_inputs")}
# What a journal of SQLite can have, though few do: a value, and the columns.
ACCEPTED = {str(MOST): [*COUNTS, "changed_rows", "first_change", "bytes"], "NULL": ["mapping", "undoes"]}
TEXTS = ("text", "varchar(8)", "char(4)")
MYSQL_NUMBERS = ("TINYINT", "BIGINT", "BIGINT UNSIGNED", "BIT(64)", "YEAR")


def typed(database):
    """(type, value) of columns of other programs."""
    for line in LISTED[f"types of {database}"]:
        name, _, values = line.partition(": ")
        for value in values.split(" | "):
            yield name, value


def sqlite_changes(table, column):
    for value in LISTED["values of sqlite"]:
        statement = f"UPDATE {table} SET {column} = {value} WHERE {FIRST[table]}"
        yield f"= {value[:40]}", statement, True if column in ACCEPTED.get(value, ()) else None


def postgresql_changes(table, column):
    first = FIRST[table].replace("X'", "'\\x")
    # Other constraints than those of the table that the history does not read would refuse most types.
    without_constraints = (
        "BEGIN; DO $$ DECLARE c record; BEGIN FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint "
        f"WHERE conrelid = '{table}'::regclass OR confrelid = '{table}'::regclass LOOP "
        "IF c.t::text <> 'device_tokens' THEN EXECUTE format('ALTER TABLE %s "
        "DROP CONSTRAINT IF EXISTS %I CASCADE', c.t, c.conname); END IF; END LOOP; END $$; "
        + "".join(f"ALTER TABLE {table} ALTER {column} DROP {what}; " for what in ("DEFAULT", "IDENTITY IF EXISTS", "NOT NULL")))
    for type_, value in typed("postgresql"):
        using = f"USING CASE WHEN {first} THEN ({value})::{type_} ELSE NULL END"
        statement = f"{without_constraints}ALTER TABLE {table} ALTER {column} TYPE {type_} {using}; COMMIT;"
        yield f"{type_} {value}", statement, postgresql_valid(table, column, type_, value)
    for value in LISTED["values of servers"]:
        loose = f"ALTER TABLE {table} ALTER {column} DROP NOT NULL; "
        yield f"= {value}", f"{loose}UPDATE {table} SET {column} = {value} WHERE {first}", None


def postgresql_valid(table, column, type_, value):
    """Whether a journal can have it; None where the column is not judged. Other rows are null, which only a mapping can be."""
    if column not in READ.get(table, []) or column in ("undoes", "first_change"):
        return None
    if column != "mapping" or type_ not in TEXTS:
        return False
    if type_ == "char(4)" or value.startswith(("repeat", "E")):
        return None
    return value == "NULL" or is_json(value.strip("'").encode())


def mysql_changes(table, column):
    where = FIRST[table] if column not in ("id", "replay") else "1 = 1"
    is_key = column in ("id", "replay", "part", "app", "environment", "token") and table != "apnsift_inputs"
    unkeyed = f"ALTER TABLE {table} MODIFY {column} LONGTEXT; " if is_key and table == "apnsift_replays" else ""
    if is_key and (column in ("id", "part") or table == "device_tokens"):
        unkeyed += f"ALTER TABLE {table} DROP PRIMARY KEY; "
    for type_, value in typed("mysql"):
        # False where the journal cannot have a value of that type.
        is_number = column in [*COUNTS, "bytes", "at"] and table in READ
        yield f"{type_} {value}", (
            f"ALTER TABLE {table} ADD other_ {type_}; UPDATE {table} SET other_ = {value} WHERE {where}; {unkeyed}"
            f"ALTER TABLE {table} DROP {column}; ALTER TABLE {table} RENAME COLUMN other_ TO {column}"
        ), False if is_number and type_ not in MYSQL_NUMBERS else None
    for value in LISTED["values of servers"]:
        yield f"= {value}", f"UPDATE {table} SET {column} = {value} WHERE {FIRST[table]}", None


def packed_changes(database):
    """Changes whose packed bytes are cut, or have one other byte."""
    empty, cut, put = LISTED[f"packed of {database}"]
    values = [("empty", empty), *((f"first {n} bytes", cut.format(n)) for n in range(1, 80, 3))]
    values += [(f"byte {n} is {byte}", put.format(n, byte)) for n in range(100) for byte in (0, 1, 0x7F, 0x80, 0xFF)]
    first = "id = 1" if database == "sqlite" else "replay = 1"
    return [(name, f"UPDATE apnsift_changes SET packed = {value} WHERE {first}", None) for name, value in values]


# Of each database: its stores, and the changes of a column: (name, statement, is_valid).
DATABASES = {
    "sqlite": (SQLite, sqlite_changes), "postgresql": (PostgreSQL, postgresql_changes), "mysql": (MariaDB, mysql_changes),
}


def tables(kind):
    """The tables of a store that cases change."""
    journal = ["apnsift_replays", "apnsift_inputs", "apnsift_changes"] if kind in ("own", "delete", "file") else []
    return ["device_tokens" if kind == "own" else "devices", *journal, *(["apnsift_outcomes"] if kind == "file" else [])]


def cases(database):
    scenario, changes = DATABASES[database]
    for kind in scenario.kinds:
        for table, column in ((table, column) for table in tables(kind) for column in TABLES[table][1]):
            if (table, column) not in scenario.omitted:
                more = packed_changes(database) if column == "packed" and kind in ("own", "delete") else []
                yield from (Case(kind, table, column, *change) for change in (*changes(table, column), *more))


# What must hold


def faults(scenario, case):
    """How many commands were run, and what was wrong."""
    store = scenario.copy(case.kind, case)
    if store is None:
        return 0, []
    try:
        found = [fault for command in COMMANDS for fault in faults_of(scenario, case, store, *command)]
    finally:
        scenario.remove(store)
    return len(COMMANDS), found


def faults_of(scenario, case, store, does, arguments):
    writes = does == "writes"
    used = scenario.again(store) if writes else store
    before = writes and scenario.content(used)
    started = time.monotonic()
    done = scenario.run(arguments, used, case.kind)
    code, message, seconds = done.returncode, done.stderr.decode(errors="replace").strip(), time.monotonic() - started
    context = f"{arguments}: exit {code}"
    if code not in (0, 1, 2, 3) or "Fatal error" in message:
        yield f"{context}: {message[-300:]}"
    if seconds > SECONDS:
        yield f"{context}: took {seconds:.1f} s"
    if code == 2 and not message.startswith("apnsift: "):
        yield f"{context}: no message: {message[:200]}"
    if code == 0 and does.endswith("json"):
        if not all(map(is_json, done.stdout.splitlines() if does == "ndjson" else [done.stdout])):
            yield f"{context}: invalid {does}: {done.stdout[:200]}"
    if arguments.startswith("store history") and "--changes" not in arguments and case.is_valid is not None:
        if code != (0 if case.is_valid else 2):
            yield f"{context}, expected {0 if case.is_valid else 2}: {message[:300]}"
        elif not case.is_valid and (missing := [part for part in (case.table, case.column) if part not in message]):
            yield f"{context}: the message does not name {' and '.join(missing)}: {message[:300]}"
    if writes and code and scenario.content(used) != before:
        yield f"{context}: failed and changed the store: {message[:200]}"
    is_undone = arguments == "store undo 1" and code == 0 and case.table.startswith("apnsift_") and "skipped" not in message
    if is_undone and scenario.database == "sqlite" and not restores_other_rows(case):
        if scenario.tokens(used, case.kind) != scenario.bases[case.kind][1]:
            yield f"{context}: did not restore the rows: {message}"
    if used is not store:
        scenario.remove(used)


def restores_other_rows(case):
    """Packed changes with another byte may be those of other rows; without their first byte they are none."""
    return case.column == "packed" and not case.name.startswith(("first", "empty", "byte 0 "))
