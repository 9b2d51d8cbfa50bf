"""Stores with unexpected values: how they are made in each database, the values, and what every command must do with them."""

import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections import namedtuple

from apnsift_tool import private_server

# What one case changes: a column of a table of a scenario of that kind. `statement` is SQL, `isValid` says whether the journal can
# have the value, or is a function that says it of the value stored, or None where any answer without a fault is right.
Case = namedtuple("Case", "kind table column name statement isValid")

SECONDS = 5.0  # that a command may take
MOST = 1 << 48  # of a count in a journal
TOKENS = [bytes([number]) * 32 for number in range(1, 11)]


def feedback(*tuples):
    return b"".join(at.to_bytes(4, "big") + b"\0\x20" + TOKENS[number] for number, at in tuples)


FILES = {
    "registrations.csv": "token,registered_at\n" + "".join(f"{TOKENS[n].hex()},{1_390_000_000 + (n == 4) * 20_000_000}\n" for n in range(5)),
    "import.csv": f"token,registered_at\n{TOKENS[0].hex()},1420000000\n{TOKENS[9].hex()},1420000000\n",
    "first.bin": feedback((0, 1_400_000_000), (1, 1_400_000_001), (2, 1_400_000_002), (4, 1_400_000_003), (5, 1_400_000_004), (6, 1_400_000_005)),
    "second.bin": feedback((0, 1_400_100_000), (7, 1_400_000_006)),
    "third.bin": feedback((1, 1_400_200_000), (3, 1_400_200_000), (8, 1_400_200_001)),
}
MAPPINGS = {
    "mark": "action: mark\ninvalidated: {column: gone, form: GONE}\n",
    "flag": "action: flag\nflag: {column: state, dead: 'dead', alive: 'live'}\n",
    "delete": "action: delete\n",
}
JOURNAL = {"apnsift_replays", "apnsift_inputs", "apnsift_changes", "apnsift_outcomes"}

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

    def __init__(self, command, directory):
        self.command, self.directory = command, directory
        self.bases, self.lock, self.numbers = {}, threading.Lock(), itertools.count()
        self.environment = {**os.environ, "HOME": str(directory), "TMPDIR": str(directory), "TZ": "UTC"}
        for name, content in FILES.items():
            (directory / name).write_bytes(content.encode() if isinstance(content, str) else content)

    @staticmethod
    def make(database, command, directory, servers):
        if database == "sqlite":
            return SQLite(command, directory)
        socket = servers.enter_context(private_server(database))
        return (PostgreSQL if database == "postgresql" else MariaDB)(command, directory, socket)

    def run(self, arguments, store, kind):
        words = arguments.split() + ["--store", store.url]
        if kind != "own":
            words += ["--mapping", self.mapping(kind)]
        if kind == "file" and not arguments.startswith(WITHOUT_JOURNAL):
            words += ["--journal", f"sqlite:{store.journal}"]
        return subprocess.run(
            [self.command, *words], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def mapping(self, kind):
        action = "mark" if kind == "file" else kind
        path = self.directory / f"{action}.yml"
        if not path.exists():
            path.write_text(
                "table: devices\ntoken: {column: token, form: hex}\napp: bundle\n"
                "environment: {column: env, production: prod, sandbox: dev}\n"
                f"registered: {{column: seen, form: {self.time_form}}}\n" + MAPPINGS[action].replace("GONE", self.time_form))
        return str(path)

    def base(self, kind):
        """The store of a kind with its history: replays 1 and 2, and 3, which undoes 2. Also its tokens before replay 1."""
        with self.lock:
            if kind not in self.bases:
                self.bases[kind] = self.make_base(kind)
            return self.bases[kind]

    def make_base(self, kind):
        store = self.new_store(kind)
        if kind == "own":
            self.check(store, kind, "store register --csv registrations.csv --create")
        else:
            rows = [f"({n + 1}, '{TOKENS[n].hex()}', '', 'prod', {self.time(1_390_000_000)}, NULL, 'live')" for n in range(4)]
            self.execute(store, f"{self.devices}; INSERT INTO devices VALUES {', '.join(rows)}")
        before = self.tokens(store, kind)
        self.check(store, kind, "replay first.bin --max-invalidate 100%")
        self.check(store, kind, "replay second.bin --max-invalidate 100%")
        self.check(store, kind, "store undo 2")
        self.loosen(store, kind)
        return store, before

    def check(self, store, kind, arguments):
        run = self.run(arguments, store, kind)
        if run.returncode:
            sys.exit(f"check-store-values: {arguments} failed: {run.stderr.decode()}")

    def tokens(self, store, kind):
        table, columns = ("device_tokens", "*") if kind == "own" else ("devices", "*")
        return self.rows(store, f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3")


Store = namedtuple("Store", "url path journal")


class SQLite(Scenario):
    database, time_form = "sqlite", "seconds"
    devices = "CREATE TABLE devices (id INTEGER PRIMARY KEY, token TEXT, bundle, env, seen, gone, state)"

    @staticmethod
    def time(seconds):
        return str(seconds)

    def new_store(self, kind):
        number = next(self.numbers)
        path, journal = (self.directory / f"{name}{number}.sqlite" for name in ("store", "journal"))
        return Store(f"sqlite:{path}", path, journal)

    def connect(self, path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.text_factory = bytes
        return connection

    def execute(self, store, sql):
        connection = self.connect(store.path)
        connection.executescript(sql)
        connection.close()

    def loosen(self, store, kind):
        """Removes the constraints, as tables of another program may lack them."""
        for path in (store.path, store.journal):
            if not path.exists():
                continue
            connection = self.connect(path)
            connection.execute("PRAGMA writable_schema = ON")
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall():
                # The definitions of apnsift are read with these changes only: its columns, types and key stay.
                loose = re.sub(r" CHECK \(([^()]|\([^()]*\))*\)| REFERENCES \w+ \(\w+\)", "", sql.decode())
                loose = loose.replace(" NOT NULL", "")
                connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, name.decode()))
            connection.close()

    def copy(self, kind, case):
        base, _ = self.base(kind)
        store = self.new_store(kind)
        for source, target in ((base.path, store.path), (base.journal, store.journal)):
            if source.exists():
                shutil.copyfile(source, target)
        if case:
            in_file = kind == "file" and case.table in JOURNAL
            connection = self.connect(store.journal if in_file else store.path)
            connection.execute("PRAGMA foreign_keys = OFF")
            try:
                connection.execute(case.statement)
            except sqlite3.IntegrityError:
                return None
            finally:
                connection.close()
        return store

    def again(self, store):
        """The same content under another name."""
        copy = self.new_store("")
        for source, target in ((store.path, copy.path), (store.journal, copy.journal)):
            if source.exists():
                shutil.copyfile(source, target)
        return copy

    def remove(self, store):
        for path in (store.path, store.journal):
            path.unlink(missing_ok=True)

    def rows(self, store, sql, path=None):
        connection = self.connect(path or store.path)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def dump(self, store):
        found = []
        for path in (store.path, store.journal):
            if not path.exists():
                continue
            names = self.rows(store, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", path)
            found += [(name, sorted(map(repr, self.rows(store, f"SELECT * FROM {name[0].decode()}", path)))) for name in names]
        return found

    def stored(self, case, store):
        """The value that the column has now, after its affinity was applied."""
        path = store.journal if case.kind == "file" else store.path
        found = self.rows(store, f"SELECT typeof({case.column}), {case.column} FROM {case.table} WHERE {FIRST[case.table]}", path)
        return found[0] if found else None


class Server(Scenario):
    # What comes before a statement that the server would refuse, and after one that drops a database.
    lenient, force = "", ""

    def __init__(self, command, directory, socket):
        super().__init__(command, directory)
        self.socket = socket

    def copy(self, kind, case):
        base, _ = self.base(kind)
        store = self.new_copy(kind, base)
        if base.journal.exists():
            shutil.copyfile(base.journal, store.journal)
        if case and self.client(self.lenient + case.statement, store.path).returncode:
            self.remove(store)
            return None
        return store

    def remove(self, store):
        self.client(f"DROP DATABASE {store.path}{self.force}")
        store.journal.unlink(missing_ok=True)

    def execute(self, store, sql):
        run = self.client(sql, store.path)
        if run.returncode:
            raise sqlite3.IntegrityError(run.stderr.decode())

    def rows(self, store, sql):
        return self.client(sql, store.path).stdout.splitlines()

    def loosen(self, store, kind):
        pass

    def again(self, store):
        return store

    def dump(self, store):
        journal = []
        if store.journal.exists():
            connection = sqlite3.connect(store.journal)
            journal = list(connection.iterdump())
            connection.close()
        return self.content(store), journal


class PostgreSQL(Server):
    database, time_form = "postgresql", "timestamptz"
    force = " WITH (FORCE)"
    devices = (
        "CREATE TABLE devices (id bigint PRIMARY KEY, token text, bundle text, env text, seen timestamptz, gone timestamptz, state text)")

    @staticmethod
    def time(seconds):
        return f"to_timestamp({seconds})"

    def client(self, sql, database="postgres"):
        return subprocess.run(
            ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-U", "postgres", "-d", database], input=sql.encode(),
            capture_output=True)

    def new_store(self, kind, template="template0"):
        name = f"store{next(self.numbers)}"
        self.client(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy;")
        return Store(f"postgresql:///{name}?host={self.socket}&user=postgres", name, self.directory / f"{name}.journal")

    def new_copy(self, kind, base):
        with self.lock:  # a template must have no other connection
            return self.new_store(kind, base.path)

    def content(self, store):
        return self.rows(store, (
            "SELECT format('SELECT %L, md5(coalesce(string_agg(t::text, '','' ORDER BY t::text), '''')) FROM %I AS t;', relname, relname) "
            "FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname \\gexec"))


class MariaDB(Server):
    database, time_form = "mysql", "seconds"
    lenient = "SET sql_mode = ''; "
    devices = (
        "CREATE TABLE devices (id BIGINT PRIMARY KEY, token VARCHAR(200), bundle VARCHAR(200), env VARCHAR(200), seen BIGINT, "
        "gone BIGINT, state VARCHAR(20)) CHARACTER SET utf8mb4")

    @staticmethod
    def time(seconds):
        return str(seconds)

    def client(self, sql, database=None):
        return subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self.socket}/socket", "-uroot", "--batch", "--skip-column-names", "--default-character-set=utf8mb4",
             *([database] if database else [])], input=sql.encode(), capture_output=True)

    def new_store(self, kind):
        name = f"store{next(self.numbers)}"
        self.client(f"CREATE DATABASE {name}")
        return Store(f"mysql://root@/{name}?socket={self.socket}/socket", name, self.directory / f"{name}.journal")

    def tables(self, store):
        return [line.decode() for line in self.rows(store, "SHOW TABLES")]

    def new_copy(self, kind, base):
        store = self.new_store(kind)
        copies = [f"CREATE TABLE {name} LIKE {base.path}.{name}; INSERT INTO {name} SELECT * FROM {base.path}.{name};" for name in self.tables(base)]
        self.execute(store, self.lenient + " ".join(copies))
        return store

    def content(self, store):
        return self.rows(store, " ".join(f"SELECT '{name}'; SELECT * FROM {name} ORDER BY 1, 2, 3;" for name in self.tables(store)))


# The row of each table that a case changes.
FIRST = {
    "apnsift_replays": "id = 1", "apnsift_inputs": "replay = 1", "apnsift_changes": "1 = 1", "apnsift_outcomes": "replay = 1", "devices": "id = 1",
    "device_tokens": f"token = X'{TOKENS[0].hex()}'",
}
COLUMNS = {
    "apnsift_replays": (
        "id at version app environment options tuples invalidated updated inserted unchanged kept unknown rejected first_change mapping undoes "
        "changed_rows").split(),
    "apnsift_inputs": ["replay", "source", "sha256", "bytes"],
    "apnsift_changes": ["id", "replay", "part", "packed"],
    "apnsift_outcomes": ["replay", "store", "is_done"],
    "device_tokens": ["app", "environment", "token", "registered_at", "invalidated_at"],
    "devices": ["id", "token", "bundle", "env", "seen", "gone", "state"],
}
COUNTS = "tuples invalidated updated inserted unchanged kept unknown rejected".split()


def is_text(kind, value):
    try:
        return kind == "text" and value.decode() is not None
    except UnicodeDecodeError:
        return False


def is_count(kind, value):
    return kind == "integer" and 0 <= value <= MOST


def is_json(kind, value):
    if not is_text(kind, value):
        return False
    try:
        json.loads(value.decode(), parse_constant=lambda name: 1 / 0)
        return True
    except (ValueError, ZeroDivisionError, RecursionError):
        return False


def may_be_null(check):
    return lambda kind, value: kind == "null" or check(kind, value)


# What `store history` reads, and what it can have. Columns that only join tables are not judged.
READ = {
    "apnsift_replays": {
        "at": lambda kind, value: kind == "integer" and -62_135_596_800 <= value <= 253_402_300_799,
        "version": is_text, "app": is_text, "options": is_json, "mapping": may_be_null(is_json),
        "environment": lambda kind, value: kind == "text" and value in (b"production", b"sandbox"),
        "changed_rows": is_count, "first_change": is_count,
        "undoes": may_be_null(is_count),
        **{name: is_count for name in COUNTS},
    },
    "apnsift_inputs": {"source": is_text, "bytes": is_count, "sha256": lambda kind, value: kind == "text" and re.fullmatch(b"[0-9a-f]*", value) is not None},
}

SQLITE_VALUES = [
    "NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", str(MOST), str(MOST + 1), "1e308", "-1e308", "1e18", "0.5",
    "9e999", "-9e999", "''", "'x'", "'production'", "'1'", "'0x10'", "CAST(x'610062' AS TEXT)", "CAST(x'00' AS TEXT)", "CAST(x'ff80' AS TEXT)",
    "CAST(x'c080' AS TEXT)", "x''", "x'00'", "x'31'", "zeroblob(1000)", "CAST(x'1b5b324a0a0d' AS TEXT)", "'{\"a\":1}'", "'{\"a\":'",
    "replace(hex(zeroblob(5000)), '0', '[')", "hex(zeroblob(500000))", "randomblob(33)", "'2014-05-13T16:53:20Z'", "253402300800",
]


def sqlite_changes(table, column):
    for value in SQLITE_VALUES:
        yield f"= {value[:40]}", f"UPDATE {table} SET {column} = {value} WHERE {FIRST[table]}", READ.get(table, {}).get(column)


def packed_cases(database, kind):
    """Changes whose packed bytes are cut, or have one other byte."""
    empty = {"sqlite": "x''", "postgresql": "''::bytea", "mysql": "''"}[database]
    cut = {"sqlite": "substr(packed, 1, {0})", "postgresql": "substring(packed for {0})", "mysql": "substr(packed, 1, {0})"}[database]
    put = {
        "sqlite": "CAST(substr(packed, 1, {0}) || x'{1:02x}' || substr(packed, {0} + 2) AS BLOB)",
        "postgresql": "overlay(packed placing '\\x{1:02x}'::bytea from {0} + 1 for 1)",
        "mysql": "insert(packed, {0} + 1, 1, x'{1:02x}')",
    }[database]
    values = [("empty", empty)]
    values += [(f"first {n} bytes", cut.format(n)) for n in range(1, 80, 3)]
    values += [(f"byte {n} is {byte}", put.format(n, byte)) for n in range(0, 100) for byte in (0, 1, 0x7f, 0x80, 0xff)]
    return [
        Case(kind, "apnsift_changes", "packed", f"{kind} apnsift_changes.packed {name}",
             f"UPDATE apnsift_changes SET packed = {value} WHERE {'id' if database == 'sqlite' else 'replay'} = 1", None)
        for name, value in values
    ]


# Types of other programs with values; the second of each pair is no value of a journal's column of text, number, time or bytes.
POSTGRESQL_TYPES = [
    ("text", "'x'"), ("text", "''"), ("varchar(8)", "'abcdefgh'"), ("char(4)", "'ab'"), ("numeric", "1.5"), ("numeric", "'NaN'"), ("float8", "1e300"),
    ("float8", "'Infinity'"), ("smallint", "1"), ("integer", "1"), ("bigint", "9223372036854775807"), ("bigint", "-1"), ("bigint", "NULL"), ("json", "'{}'"), ("jsonb", "'{}'"),
    ("bytea", "'\\x0102030405060708'"), ("bytea", "''"), ("boolean", "true"), ("timestamp", "'infinity'"), ("timestamptz", "'-infinity'"),
    ("timestamptz", "'infinity'"), ("timestamptz", "'4714-11-24 00:00:00+00 BC'"), ("timestamptz", "'294276-12-31 23:59:59.999999+00'"), ("timestamptz", "NULL"),
    ("date", "'infinity'"), ("interval", "'1 day'"), ("text[]", "'{a,NULL}'"), ("text", "NULL"), ("bytea", "NULL"), ("text", "E'\\x1b[2J\\n'"),
    ("text", "repeat('[', 100000)"), ("inet", "'::1'"), ("uuid", "'00000000-0000-0000-0000-000000000000'"), ("text", "'{\"a\":1}'"),
]
INTEGERS = {"smallint", "integer", "bigint"}
TEXTS = {"text", "varchar(8)", "char(4)"}


def postgresql_valid(table, column, type_, value):
    """Whether a journal can have it; None where the column is not judged."""
    check = READ.get(table, {}).get(column)
    if column == "at":
        return type_ == "timestamptz" and value.startswith("'1")
    if check is None or column in ("undoes", "first_change"):
        return None
    if column in COUNTS + ["bytes", "changed_rows"]:
        return type_ in INTEGERS and (check("null", None) if value == "NULL" else check("integer", int(value)))
    if type_ not in TEXTS:
        return False
    if type_ == "char(4)" or value.startswith("repeat") or value.startswith("E"):
        return None
    return check("null", None) if value == "NULL" else check("text", value.strip("'").encode())


def postgresql_changes(table, column):
    first = FIRST[table].replace("X'", "'\\x")
    # Other constraints than those of the table that the history does not read would refuse most types.
    without_constraints = (
        "BEGIN; DO $$ DECLARE c record; BEGIN FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE conrelid = "
        f"'{table}'::regclass OR confrelid = '{table}'::regclass LOOP IF c.t::text <> 'device_tokens' THEN EXECUTE format('ALTER TABLE %s "
        "DROP CONSTRAINT IF EXISTS %I CASCADE', c.t, c.conname); END IF; END LOOP; END $$; "
        + "".join(f"ALTER TABLE {table} ALTER {column} DROP {what}; " for what in ("DEFAULT", "IDENTITY IF EXISTS", "NOT NULL")))
    for type_, value in POSTGRESQL_TYPES:
        statement = f"ALTER TABLE {table} ALTER {column} TYPE {type_} USING CASE WHEN {first} THEN ({value})::{type_} ELSE NULL END; COMMIT;"
        valid = postgresql_valid(table, column, type_, value)
        if valid and column not in ("mapping", "undoes"):
            valid = False  # the other rows of the column are null then, which only these two can be
        stop = "" if value == "NULL" else "\\set ON_ERROR_STOP 1\n"  # only the one row is odd where the others can be kept
        yield f"{type_} {value}", stop + without_constraints + statement, valid
    for value in VALUES_OF_ITS_TYPE:
        yield f"= {value}", f"ALTER TABLE {table} ALTER {column} DROP NOT NULL; UPDATE {table} SET {column} = {value} WHERE {first}", None


# Each column refuses those of another type.
VALUES_OF_ITS_TYPE = [
    "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "281474976710657", "''", "'x'", "'infinity'", "'-infinity'", "'4714-11-24 BC'",
    "'294276-12-31 23:59:59.999999'", "repeat('x', 1000000)", "'{\"a\":'", "''", "'\\x00'",
]

MYSQL_TYPES = [
    ("TEXT", "'x'"), ("VARCHAR(8)", "'abcdefgh'"), ("CHAR(4)", "'ab'"), ("DECIMAL(65,30)", "1.5"), ("DOUBLE", "1e300"), ("FLOAT", "1e30"), ("TINYINT", "1"),
    ("BIGINT", "9223372036854775807"), ("BIGINT", "-1"), ("BIGINT", "NULL"), ("BIGINT UNSIGNED", "18446744073709551615"), ("BIT(64)", "1"), ("YEAR", "1999"), ("JSON", "'{}'"),
    ("LONGBLOB", "x'0102030405060708'"), ("LONGBLOB", "''"), ("BINARY(8)", "x'00'"), ("DATETIME(6)", "'0000-00-00 00:00:00'"), ("DATETIME", "'9999-12-31 23:59:59'"),
    ("DATE", "'0000-00-00'"), ("TIMESTAMP NULL", "'1970-01-01 00:00:01'"), ("TIME", "'-838:59:59'"), ("LONGTEXT CHARACTER SET utf8mb4", "NULL"),
    ("LONGTEXT CHARACTER SET utf8mb4", "repeat('[', 100000)"), ("ENUM('a','')", "''"), ("SET('a','b')", "'a,b'"), ("TEXT CHARACTER SET latin1", "x'ff80'"),
    ("TEXT CHARACTER SET utf16", "'x'"), ("INET6", "'::1'"), ("UUID", "'00000000-0000-0000-0000-000000000000'"),
]


def mysql_changes(table, column):
    where = FIRST[table] if column not in ("id", "replay") else "1 = 1"
    for type_, value in MYSQL_TYPES:
        statement = f"ALTER TABLE {table} ADD other_ {type_}; UPDATE {table} SET other_ = {value} WHERE {where}; "
        if column in ("id", "replay", "part", "app", "environment", "token") and table != "apnsift_inputs":
            statement += f"ALTER TABLE {table} MODIFY {column} LONGTEXT; " if table == "apnsift_replays" else ""
            statement += f"ALTER TABLE {table} DROP PRIMARY KEY; " if column in ("id", "part") or table == "device_tokens" else ""
        statement += f"ALTER TABLE {table} DROP {column}; ALTER TABLE {table} RENAME COLUMN other_ TO {column}"
        yield f"{type_} {value}", statement, mysql_valid(table, column, type_)
    for value in VALUES_OF_ITS_TYPE:
        yield f"= {value}", f"UPDATE {table} SET {column} = {value} WHERE {FIRST[table]}", None


def mysql_valid(table, column, type_):
    """False where the journal cannot have a value of that type."""
    is_number = type_ in ("TINYINT", "BIGINT", "BIGINT UNSIGNED", "BIT(64)", "YEAR")
    return False if column in COUNTS + ["bytes", "at"] and table in READ and not is_number else None


# Of each database: the kinds of stores, the columns that are left out, and the changes of a column: (name, statement, isValid).
SERVERS_OMIT = [("apnsift_replays", "first_change"), ("apnsift_changes", "id")]
DATABASES = {
    "sqlite": (["own", "mark", "flag", "delete", "file"], [("apnsift_changes", "replay"), ("apnsift_changes", "part")], sqlite_changes),
    "postgresql": (["own", "mark", "delete"], SERVERS_OMIT, postgresql_changes),
    "mysql": (["own", "mark", "delete"], SERVERS_OMIT, mysql_changes),
}


def tables(kind):
    """The tables of a store that cases change."""
    journal = ["apnsift_replays", "apnsift_inputs", "apnsift_changes"] if kind in ("own", "delete", "file") else []
    return ["device_tokens" if kind == "own" else "devices", *journal, *(["apnsift_outcomes"] if kind == "file" else [])]


def cases(database):
    kinds, omitted, changes = DATABASES[database]
    found = []
    for kind in kinds:
        columns = [(table, column) for table in tables(kind) for column in COLUMNS[table] if (table, column) not in omitted]
        found += [
            Case(kind, table, column, f"{kind} {table}.{column} {name}", statement, valid)
            for table, column in columns for name, statement, valid in changes(table, column)]
        found += packed_cases(database, kind) if kind in ("own", "delete") else []
    return found


# MARK: what must hold


def findings(scenario, case):
    """How many commands were run, and what was wrong."""
    store = scenario.copy(case.kind, case)
    if store is None:
        return 0, []
    faults, count = [], 0
    valid = validity(scenario, case, store)
    try:
        for arguments, writes, form in COMMANDS:
            used = scenario.again(store) if writes else store
            before = scenario.dump(used) if writes else None
            started = time.monotonic()
            run = scenario.run(arguments, used, case.kind)
            count += 1
            context = f"{arguments}: exit {run.returncode}"
            message = run.stderr.decode(errors="replace").strip()
            if run.returncode not in (0, 1, 2, 3) or "Fatal error" in message:
                faults.append(f"{context}: {message[-300:]}")
            if time.monotonic() - started > SECONDS:
                faults.append(f"{context}: took {time.monotonic() - started:.1f} s")
            if run.returncode == 2 and not message.startswith("apnsift: "):
                faults.append(f"{context}: no message: {message[:200]}")
            if run.returncode == 0 and form and not is_form(form, run.stdout):
                faults.append(f"{context}: invalid {form}: {run.stdout[:200]}")
            if arguments.startswith("store history") and "--changes" not in arguments and valid is not None:
                faults += judged_history(context, case, valid, run.returncode, message)
            if writes and run.returncode and scenario.dump(used) != before:
                faults.append(f"{context}: failed and changed the store: {message[:200]}")
            if arguments == "store undo 1" and run.returncode == 0 and case.table in JOURNAL and "skipped" not in message:
                now, then = scenario.tokens(used, case.kind), scenario.base(case.kind)[1]
                isEqual = now == then or case.column == "packed" and not case.name.split("packed ")[-1].startswith(("first", "empty", "byte 0 "))
                if not isEqual and scenario.database == "sqlite":
                    faults.append(f"{context}: did not restore the rows: {message}")
            if writes and used is not store:
                scenario.remove(used)
    finally:
        scenario.remove(store)
    return count, faults


def validity(scenario, case, store):
    if not callable(case.isValid):
        return case.isValid
    found = scenario.stored(case, store)
    return None if found is None else bool(case.isValid(found[0].decode(), found[1]))


def judged_history(context, case, valid, code, message):
    if valid and code != 0:
        return [f"{context}, expected 0: {message[:300]}"]
    if not valid:
        if code != 2:
            return [f"{context}, expected 2"]
        missing = [part for part in (case.table, case.column) if part not in message]
        if missing:
            return [f"{context}: the message does not name {' and '.join(missing)}: {message[:300]}"]
    return []


def is_form(form, output):
    try:
        for text in output.decode().splitlines() if form == "ndjson" else [output.decode()]:
            json.loads(text)
        return True
    except (ValueError, RecursionError):
        return False
