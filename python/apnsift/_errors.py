"""What can go wrong, as exceptions with the messages of the command."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 10  # messages in the text of an exception; all are in `messages`


class Error(Exception):
    """The command failed. `messages` has what it printed, `status` its exit status (negative: a signal)."""

    def __init__(self, messages: Sequence[str], status: int | None = None) -> None:
        self.messages = list(messages)
        self.status = status
        super().__init__(summary(self.messages))

    def __reduce__(self) -> tuple[type[Error], tuple[list[str], int | None]]:
        return type(self), (self.messages, self.status)


class InputError(Error):
    """An input could not be read, or not in full. It is raised after the last record that could be read."""


class FindingsError(Error):
    """The inputs have findings of a severity that the option `fail_on` or `strict` names."""


class UsageError(Error):
    """An option is unknown, or its value is wrong."""


class AlreadyRead(Error):
    """The records of a reader were taken already, or it was closed. Call :func:`apnsift.read` again, or keep a table."""


class CommandNotFound(Error):
    """There is no command `apnsift`."""


class PartialWarning(UserWarning):
    """An input could not be read, or not in full, and `partial=True` was given."""


def summary(messages: Sequence[str]) -> str:
    """The first messages, one a line, and the number of the others; without advice for the command line."""
    shown = [message for message in messages if not message.startswith(("hint: ", "Usage: ", "See 'apnsift "))]
    more = len(shown) - _SHOWN
    return "\n".join([*shown[:_SHOWN], *([f"and {more} more messages"] if more > 0 else [])])


def failure(messages: Sequence[str], status: int) -> Error:
    """The exception of an exit status."""
    kinds = {1: FindingsError, 2: InputError, 64: UsageError}
    if status in kinds:
        return kinds[status](messages, status)
    ended = f"the command ended by signal {-status}" if status < 0 else f"the command ended with exit status {status}"
    return Error([*messages, ended], status)
