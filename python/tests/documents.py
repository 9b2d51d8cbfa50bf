"""Runs the Python of a document. Its blocks are one program; a line that ends in `# = VALUE` is an expression of that value."""

import re

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"^(.*?)  # = (.*)$", re.MULTILINE)


def checked(line):
    return f"found = repr({line[1]})\nassert found == {line[2]!r}, {line[0]!r} + ', found ' + found"


def run_page(text):
    """How many blocks ran."""
    names, blocks = {}, BLOCK.findall(text)
    for block in blocks:
        exec(VALUE.sub(checked, block), names)
    return len(blocks)
