"""apnsift: records of Apple's push services from dumps, captures and logs, as Arrow.

The package runs the command `apnsift`, and decodes nothing itself.

>>> import apnsift
>>> for batch in apnsift.read("samples/lost-byte.bin", columns=["time", "token"]):
...     print(batch.num_rows)
39
"""

from importlib import metadata as _metadata

from apnsift._command import command, version
from apnsift._comparing import Comparison, compare
from apnsift._errors import AlreadyRead, CommandNotFound, Error, FindingsError, InputError, PartialWarning, UsageError
from apnsift._queries import dataset, relation, scan
from apnsift._reading import Reader, export, read, schema, tokens

try:
    __version__ = _metadata.version("apnsift")
except _metadata.PackageNotFoundError:  # sources that are not installed
    __version__ = "unknown"

__all__ = [
    "AlreadyRead", "CommandNotFound", "Comparison", "Error", "FindingsError", "InputError", "PartialWarning", "Reader",
    "UsageError", "__version__", "command", "compare", "dataset", "export", "read", "relation", "scan", "schema", "tokens",
    "version",
]  # fmt: skip
