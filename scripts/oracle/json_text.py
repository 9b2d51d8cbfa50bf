"""Whether bytes are one JSON value, by the letter of RFC 8259: Python's reader, without what it takes beyond that.

Values nested more than some hundred times are beyond it. No check draws such: the fuzzers of Fuzz/ and Tests/JSONTests do.
"""

import json


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def is_json(data):
    """UTF-8 without a byte order mark, and nothing but blanks around the one value. Numbers may be of any size."""
    try:
        json.loads(data.decode("utf-8"), parse_constant=refuse, parse_int=str, parse_float=str)
        return True
    except ValueError:
        return False
