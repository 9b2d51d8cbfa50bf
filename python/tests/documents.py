"""Runs the Python of a document. Its blocks are one program; a line that ends in `# = VALUE` is an expression of that value."""

import re

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(text):
    """How many blocks ran."""
    names, blocks = {}, BLOCK.findall(text)
    for block in blocks:
        run(block, names)
    return len(blocks)


def run(block, names):
    rest = []
    for line in block.splitlines():
        expression, mark, value = line.partition("  # = ")
        if mark:
            exec("\n".join(rest), names)
            rest = []
            found = repr(eval(expression, names))
            assert found == value, f"{line}, found {found}"
        else:
            rest.append(line)
    exec("\n".join(rest), names)
