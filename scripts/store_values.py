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

from oracle.wire import is_json

# What one case changes: a column of a table of a scenario of that kind. `statement` is SQL; `is_valid` says whether the journal
# can have the value, and is None where any answer without a fault is right. Of SQLite, Tests/TokenStoresTests/JournalDamageTests
# has values that a journal cannot have.
Case = namedtuple("Case", "kind table column name statement is_valid")
Store = namedtuple("Store", "url path journal")

SECONDS = 5.0  # that a command may take
MOST = 1 << 48  # of a count in a journal
TOKENS = [bytes([number]) * 32 for number in range(1, 11)]


def feedback(*tuples):
    return b"".join(at.to_bytes(4, "big") + b"\0\x20" + TOKENS[number] for number, at in tuples)


FILES = {
    "registrations.csv": b"token,registered_at\n"
    + b"".join(b"%s,%d\n" % (TOKENS[n].hex().encode(), 1_390_000_000 + (n == 4) * 20_000_000) for n in range(5)),
    "import.csv": f"token,registered_at\n{TOKENS[0].hex()},1420000000\n{TOKENS[9].hex()},1420000000\n".encode(),
    "first.bin": feedback(*((n, 1_400_000_000 + n) for n in (0, 1, 2, 4, 5, 6))),
    "second.bin": feedback((0, 1_400_100_000), (7, 1_400_000_006)),
    "third.bin": feedback((1, 1_400_200_000), (3, 1_400_200_000), (8, 1_400_200_001)),
}
DEVICES = (
    "table: devices\ntoken: {column: token, form: hex}\napp: bundle\nenvironment: {column: env, production: prod, sandbox: dev}\n"
    "registered: {column: seen, form: FORM}\n"
)
ACTIONS = {
    "mark": "action: mark\ninvalidated: {column: gone, form: FORM}\n",
    "flag": "action: flag\nflag: {column: state, dead: 'dead', alive: 'live'}\n",
    "delete": "action: delete\n",
}

# Each command, whether it writes, and whether its standard output is JSON.
COMMANDS = [
    ("store history", False, None),
    ("store history --json", False, "json"),
    ("store history --changes --json", False, "json"),
    ("store history 1 --changes", False, None),
    ("store list", False, None),
    ("store list -t ndjson --dead", False, "ndjson"),
    ("store export", False, None),
    (f"store show --json {TOKENS[0].hex()}", False, "json"),
    (f"show first.bin --token {TOKENS[0].hex()}", False, None),
    ("store undo 1 --dry-run", False, None),
    ("replay third.bin --dry-run --json --max-invalidate 100%", False, "json"),
    ("replay first.bin --skip-replayed --max-invalidate 100%", True, None),
    ("replay third.bin --max-invalidate 100%", True, None),
    (f"store register {TOKENS[0].hex()} --at 1420000000", True, None),
    ("store import import.csv", True, None),
    ("store undo 1", True, None),
    ("store undo last", True, None),
]
WITHOUT_JOURNAL = ("store list", "store export", "store register", "store import", "store show")


class Scenario:
    """The stores of one database: a base of each kind, of which each case changes a copy."""

    lenient = ""  # what comes before a statement that the database would refuse

    def __init__(self, command, directory, socket=None):
        self.command, self.directory, self.socket = command, directory, socket
        self.bases, self.lock, self.numbers = {}, threading.Lock(), itertools.count()
        self.environment = {**os.environ, "HOME": str(directory), "TMPDIR": str(directory), "TZ": "UTC"}
        for name, content in FILES.items():
            (directory / name).write_bytes(content)
        for action, text in ACTIONS.items():
            (directory / f"{action}.yml").write_text((DEVICES + text).replace("FORM", self.time_form))

    def run(self, arguments, store, kind):
        words = [self.command, *arguments.split(), "--store", store.url]
        if kind != "own":
            words += ["--mapping", "mark.yml" if kind == "file" else f"{kind}.yml"]
        if kind == "file" and not arguments.startswith(WITHOUT_JOURNAL):
            words += ["--journal", f"sqlite:{store.journal}"]
        return subprocess.run(
            words, cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def base(self, kind):
        """The store of a kind with its history: replays 1 and 2, and 3, which undoes 2. Also its tokens before replay 1."""
        with self.lock:
            if kind not in self.bases:
                self.bases[kind] = self.make_base(kind)
            return self.bases[kind]

    def make_base(self, kind):
        store = self.new_store(kind)
        first = ["store register --csv registrations.csv --create"] if kind == "own" else []
        if kind != "own":
            rows = (f"({n + 1}, '{TOKENS[n].hex()}', '', 'prod', {self.time % 1_390_000_000}, NULL, 'live')" for n in range(4))
            self.execute(store, f"CREATE TABLE devices {self.devices}; INSERT INTO devices VALUES {', '.join(rows)}")
        replays = [f"replay {name}.bin --max-invalidate 100%" for name in ("first", "second")]
        for arguments in [*first, *replays, "store undo 2"]:
            if arguments == replays[0]:
                before = self.tokens(store, kind)
            done = self.run(arguments, store, kind)
            if done.returncode:
                sys.exit(f"check-store-values: {arguments} failed: {done.stderr.decode()}")
        self.loosen(store)
        return store, before

    def tokens(self, store, kind):
        return self.rows(store, f"SELECT * FROM {'device_tokens' if kind == 'own' else 'devices'} ORDER BY 1, 2, 3")

    def loosen(self, store):
        """Removes constraints that tables of another program may lack."""

    def copy(self, kind, case):
        """A changed copy of a base; None where the database refuses the change."""
        base, _ = self.base(kind)
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

    def execute(self, store, sql):
        done = self.client(sql, store.path)
        if done.returncode:
            sys.exit(f"check-store-values: {done.stderr.decode()}")

    def rows(self, store, sql):
        return self.client(sql, store.path).stdout.splitlines()

    def remove(self, store):
        self.drop(store)
        store.journal.unlink(missing_ok=True)

    def again(self, store):
        """What a command that writes gets: the store, or a copy."""
        return store


class SQLite(Scenario):
    database, time_form, time = "sqlite", "seconds", "%d"
    devices = "(id INTEGER PRIMARY KEY, token TEXT, bundle, env, seen, gone, state)"

    def new_store(self, kind):
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
        copy = self.new_store("")
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

    def new_store(self, kind, more=""):
        name = f"store{next(self.numbers)}"
        self.client(f"CREATE DATABASE {name}{more};")
        return Store(self.url.format(name, self.socket), name, self.directory / f"{name}.journal")

    def drop(self, store):
        self.client(f"DROP DATABASE {store.path}{self.force}")


class PostgreSQL(Server):
    database, time_form, time = "postgresql", "timestamptz", "to_timestamp(%d)"
    url, force = "postgresql:///{}?host={}&user=postgres", " WITH (FORCE)"
    devices = "(id bigint PRIMARY KEY, token text, bundle text, env text, seen timestamptz, gone timestamptz, state text)"

    def program(self, database):
        return ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-U", "postgres",
            *([] if database else ["postgres"])]

    def new_copy(self, base):
        with self.lock:  # a template must have no other connection
            return self.new_store("", f" TEMPLATE {base.path} STRATEGY file_copy")

    def content(self, store):
        return self.rows(store, (
            "SELECT format('SELECT %L, md5(coalesce(string_agg(t::text, '','' ORDER BY t::text), '''')) FROM %I AS t;', relname, "
            "relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname \\gexec"))


class MariaDB(Server):
    database, time_form, time = "mysql", "seconds", "%d"
    url, lenient = "mysql://root@/{}?socket={}/socket", "SET sql_mode = ''; "
    devices = (
        "(id BIGINT PRIMARY KEY, token VARCHAR(200), bundle VARCHAR(200), env VARCHAR(200), seen BIGINT, gone BIGINT, "
        "state VARCHAR(20)) CHARACTER SET utf8mb4")

    def program(self, database):
        return ["mariadb", "--no-defaults", f"--socket={self.socket}/socket", "-uroot", "-BN", "--default-character-set=utf8mb4"]

    def tables(self, store):
        return [line.decode() for line in self.rows(store, "SHOW TABLES")]

    def new_copy(self, base):
        store = self.new_store("")
        made = (f"CREATE TABLE {name} LIKE {base.path}.{name}; INSERT INTO {name} SELECT * FROM {base.path}.{name};"
                for name in self.tables(base))
        self.execute(store, self.lenient + " ".join(made))
        return store

    def content(self, store):
        return self.rows(store, " ".join(f"SELECT '{name}'; SELECT * FROM {name} ORDER BY 1, 2, 3;"
            for name in self.tables(store)))


# The row of each table that a case changes.
FIRST = {
    "apnsift_replays": "id = 1", "apnsift_inputs": "replay = 1", "apnsift_changes": "1 = 1", "apnsift_outcomes": "replay = 1",
    "devices": "id = 1", "device_tokens": f"token = X'{TOKENS[0].hex()}'",
}
COUNTS = "tuples invalidated updated inserted unchanged kept unknown rejected".split()
COLUMNS = {
    "apnsift_replays": ["id", "at", "version", "app", "environment", "options", *COUNTS, "first_change", "mapping", "undoes",
        "changed_rows"],
    "apnsift_inputs": ["replay", "source", "sha256", "bytes"],
    "apnsift_changes": ["id", "replay", "part", "packed"],
    "apnsift_outcomes": ["replay", "store", "is_done"],
    "device_tokens": ["app", "environment", "token", "registered_at", "invalidated_at"],
    "devices": ["id", "token", "bundle", "env", "seen", "gone", "state"],
}


# What `store history` reads of servers, but for columns that only join tables.
READ = {table: COLUMNS[table][1:] for table in ("apnsift_replays", "apnsift_inputs")}
# What a journal of SQLite can have, though few do: a value, and the columns.
ACCEPTED = {str(MOST): [*COUNTS, "changed_rows", "first_change", "bytes"], "NULL": ["mapping", "undoes"]}

SQLITE_VALUES = [
    "NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", str(MOST), str(MOST + 1), "1e308", "-1e308",
    "1e18", "0.5",
    "9e999", "-9e999", "''", "'x'", "'production'", "'1'", "'0x10'", "CAST(x'610062' AS TEXT)", "CAST(x'00' AS TEXT)",
    "CAST(x'ff80' AS TEXT)", "CAST(x'c080' AS TEXT)", "x''", "x'00'", "x'31'", "zeroblob(1000)", "CAST(x'1b5b324a0a0d' AS TEXT)",
    "'{\"a\":1}'", "'{\"a\":'", "replace(hex(zeroblob(5000)), '0', '[')", "hex(zeroblob(500000))", "randomblob(33)",
    "'2014-05-13T16:53:20Z'", "253402300800",
]
# Each column refuses those of another type.
SERVER_VALUES = [
    "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "281474976710657", "''", "'x'", "'infinity'", "'-infinity'",
    "'4714-11-24 BC'", "'294276-12-31 23:59:59.999999'", "repeat('x', 1000000)", "'{\"a\":'", "'\\x00'",
]
# Types of other programs, each with a value of one row.
POSTGRESQL_TYPES = """
text: 'x' | '' | NULL | E'\\x1b[2J\\n' | repeat('[', 100000) | '{"a":1}'
varchar(8): 'abcdefgh'
char(4): 'ab'
numeric: 1.5 | 'NaN'
float8: 1e300 | 'Infinity'
smallint: 1
integer: 1
bigint: 9223372036854775807 | -1 | NULL
json: '{}'
jsonb: '{}'
bytea: '\\x0102030405060708' | '' | NULL
boolean: true
timestamp: 'infinity'
timestamptz: '-infinity' | 'infinity' | '4714-11-24 00:00:00+00 BC' | '294276-12-31 23:59:59.999999+00' | NULL
date: 'infinity'
interval: '1 day'
text[]: '{a,NULL}'
inet: '::1'
uuid: '00000000-0000-0000-0000-000000000000'
"""
MYSQL_TYPES = """
TEXT: 'x'
VARCHAR(8): 'abcdefgh'
CHAR(4): 'ab'
DECIMAL(65,30): 1.5
DOUBLE: 1e300
FLOAT: 1e30
TINYINT: 1
BIGINT: 9223372036854775807 | -1 | NULL
BIGINT UNSIGNED: 18446744073709551615
BIT(64): 1
YEAR: 1999
JSON: '{}'
LONGBLOB: x'0102030405060708' | ''
BINARY(8): x'00'
DATETIME(6): '0000-00-00 00:00:00'
DATETIME: '9999-12-31 23:59:59'
DATE: '0000-00-00'
TIMESTAMP NULL: '1970-01-01 00:00:01'
TIME: '-838:59:59'
LONGTEXT CHARACTER SET utf8mb4: NULL | repeat('[', 100000)
ENUM('a',''): ''
SET('a','b'): 'a,b'
TEXT CHARACTER SET latin1: x'ff80'
TEXT CHARACTER SET utf16: 'x'
INET6: '::1'
UUID: '00000000-0000-0000-0000-000000000000'
"""
TEXTS = ("text", "varchar(8)", "char(4)")
MYSQL_NUMBERS = ("TINYINT", "BIGINT", "BIGINT UNSIGNED", "BIT(64)", "YEAR")


def typed(types):
    """(type, value) of such a table."""
    for line in types.strip().splitlines():
        name, _, values = line.partition(": ")
        for value in values.split(" | "):
            yield name, value


def sqlite_changes(table, column):
    for value in SQLITE_VALUES:
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
    for type_, value in typed(POSTGRESQL_TYPES):
        using = f"USING CASE WHEN {first} THEN ({value})::{type_} ELSE NULL END"
        statement = f"{without_constraints}ALTER TABLE {table} ALTER {column} TYPE {type_} {using}; COMMIT;"
        yield f"{type_} {value}", statement, postgresql_valid(table, column, type_, value)
    for value in SERVER_VALUES:
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
    for type_, value in typed(MYSQL_TYPES):
        # False where the journal cannot have a value of that type.
        is_number = column in [*COUNTS, "bytes", "at"] and table in READ
        yield f"{type_} {value}", (
            f"ALTER TABLE {table} ADD other_ {type_}; UPDATE {table} SET other_ = {value} WHERE {where}; {unkeyed}"
            f"ALTER TABLE {table} DROP {column}; ALTER TABLE {table} RENAME COLUMN other_ TO {column}"
        ), False if is_number and type_ not in MYSQL_NUMBERS else None
    for value in SERVER_VALUES:
        yield f"= {value}", f"UPDATE {table} SET {column} = {value} WHERE {FIRST[table]}", None


# Of each database: how packed changes are emptied, cut after some bytes, and given another byte.
PACKED = {
    "sqlite": ("x''", "substr(packed, 1, {0})", "CAST(substr(packed, 1, {0}) || x'{1:02x}' || substr(packed, {0} + 2) AS BLOB)"),
    "postgresql": ("''::bytea", "substring(packed for {0})", "overlay(packed placing '\\x{1:02x}'::bytea from {0} + 1 for 1)"),
    "mysql": ("''", "substr(packed, 1, {0})", "insert(packed, {0} + 1, 1, x'{1:02x}')"),
}


def packed_cases(database, kind):
    """Changes whose packed bytes are cut, or have one other byte."""
    empty, cut, put = PACKED[database]
    values = [("empty", empty), *((f"first {n} bytes", cut.format(n)) for n in range(1, 80, 3))]
    values += [(f"byte {n} is {byte}", put.format(n, byte)) for n in range(100) for byte in (0, 1, 0x7F, 0x80, 0xFF)]
    first = "id = 1" if database == "sqlite" else "replay = 1"
    for name, value in values:
        statement = f"UPDATE apnsift_changes SET packed = {value} WHERE {first}"
        yield Case(kind, "apnsift_changes", "packed", f"{kind} apnsift_changes.packed {name}", statement, None)


# Of each database: the kinds of stores, the columns that are left out, and the changes of a column: (name, statement, is_valid).
SERVERS_OMIT = [("apnsift_replays", "first_change"), ("apnsift_changes", "id")]
DATABASES = {
    "sqlite": (SQLite, ["own", "mark", "flag", "delete", "file"], [("apnsift_changes", name) for name in ("replay", "part")],
        sqlite_changes),
    "postgresql": (PostgreSQL, ["own", "mark", "delete"], SERVERS_OMIT, postgresql_changes),
    "mysql": (MariaDB, ["own", "mark", "delete"], SERVERS_OMIT, mysql_changes),
}


def tables(kind):
    """The tables of a store that cases change."""
    journal = ["apnsift_replays", "apnsift_inputs", "apnsift_changes"] if kind in ("own", "delete", "file") else []
    return ["device_tokens" if kind == "own" else "devices", *journal, *(["apnsift_outcomes"] if kind == "file" else [])]


def cases(database):
    _, kinds, omitted, changes = DATABASES[database]
    for kind in kinds:
        for table, column in ((table, column) for table in tables(kind) for column in COLUMNS[table]):
            if (table, column) not in omitted:
                for name, statement, is_valid in changes(table, column):
                    yield Case(kind, table, column, f"{kind} {table}.{column} {name}", statement, is_valid)
        if kind in ("own", "delete"):
            yield from packed_cases(database, kind)


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


def faults_of(scenario, case, store, arguments, writes, form):
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
    if code == 0 and form:
        if not all(map(is_json, done.stdout.splitlines() if form == "ndjson" else [done.stdout])):
            yield f"{context}: invalid {form}: {done.stdout[:200]}"
    if arguments.startswith("store history") and "--changes" not in arguments and case.is_valid is not None:
        if code != (0 if case.is_valid else 2):
            yield f"{context}, expected {0 if case.is_valid else 2}: {message[:300]}"
        elif not case.is_valid and (missing := [part for part in (case.table, case.column) if part not in message]):
            yield f"{context}: the message does not name {' and '.join(missing)}: {message[:300]}"
    if writes and code and scenario.content(used) != before:
        yield f"{context}: failed and changed the store: {message[:200]}"
    is_undone = arguments == "store undo 1" and code == 0 and case.table.startswith("apnsift_") and "skipped" not in message
    if is_undone and scenario.database == "sqlite" and not restores_other_rows(case):
        if scenario.tokens(used, case.kind) != scenario.base(case.kind)[1]:
            yield f"{context}: did not restore the rows: {message}"
    if used is not store:
        scenario.remove(used)


def restores_other_rows(case):
    """Packed changes with another byte may be those of other rows; without their first byte they are none."""
    return case.column == "packed" and not case.name.split("packed ")[-1].startswith(("first", "empty", "byte 0 "))
