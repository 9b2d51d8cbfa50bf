"""apnsift: records of Apple's push services from dumps, captures and logs, as Arrow.

The package runs the command `apnsift`, and decodes nothing itself.

>>> import apnsift
>>> for batch in apnsift.read("samples/lost-byte.bin", columns=["time", "token"]):
...     print(batch.num_rows)
39
"""

from apnsift._command import command, version
from apnsift._errors import CommandNotFound, Error, FindingsError, InputError, PartialWarning, UsageError
from apnsift._reading import Reader, export, read, schema

__all__ = [
    "CommandNotFound",
    "Error",
    "FindingsError",
    "InputError",
    "PartialWarning",
    "Reader",
    "UsageError",
    "command",
    "export",
    "read",
    "schema",
    "version",
]
