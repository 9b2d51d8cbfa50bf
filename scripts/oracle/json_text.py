"""Whether bytes are one JSON value, by the letter of RFC 8259.

Python's own reader takes NaN and Infinity, and fails if values are nested too deeply. This one keeps a list of
open values, so any depth is possible, and goes over the text once.
"""

import re

TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
    (?P<string> "(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")
    | (?P<scalar> true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    | (?P<mark> [\[\]{},:])
    | (?P<end> \Z))""",
    re.VERBOSE,
)
CLOSES = {"[": "]", "{": "}"}


def is_json(data):
    """UTF-8 without a byte order mark, and nothing but blanks around the one value."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    state, open_marks, offset = "value", [], 0
    while True:
        token = TOKEN.match(text, offset)
        if token is None:
            return False
        offset = token.end()
        if token.lastgroup == "end":
            return state == "after a value" and not open_marks
        state = step(state, token.lastgroup, token.group().lstrip(" \t\n\r"), open_marks)
        if state is None:
            return False


def step(state, kind, text, open_marks):
    """What may follow the token, or None if the token is not allowed here."""
    if state in ("value", "first value"):
        if kind in ("string", "scalar"):
            return "after a value"
        if text in CLOSES:
            open_marks.append(text)
            return "first value" if text == "[" else "first key"
        return close(text, open_marks) if state == "first value" else None
    if state in ("key", "first key"):
        if kind == "string":
            return "colon"
        return close(text, open_marks) if state == "first key" else None
    if state == "colon":
        return "value" if text == ":" else None
    if text == "," and open_marks:
        return "value" if open_marks[-1] == "[" else "key"
    return close(text, open_marks)


def close(text, open_marks):
    """The innermost list or object ends here, if `text` is its end."""
    if not open_marks or text != CLOSES[open_marks[-1]]:
        return None
    open_marks.pop()
    return "after a value"
