"""The table of rules in samples/corpus/README.md. Labels and sentences are written there by hand; the lists of cases
follow from the cases."""

import re

ROW = re.compile(r"\| `([a-z0-9/-]+)` \| (.*?) \|(?: (.*?) \|)?\Z")


def labels(readme):
    return [match[1] for line in readme.splitlines() if (match := ROW.match(line))]


def with_cases(readme, cases):
    """The README with the cases of every rule in its row."""
    lines = []
    for line in readme.splitlines():
        if match := ROW.match(line):
            names = [f"`{case.name}`" for case in cases if match[1] in case.covers]
            line = f"| `{match[1]}` | {match[2]} | {', '.join(names)} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def faults(readme, cases):
    """Rules that no case covers, and labels that are no rule's."""
    known = labels(readme)
    covered = {label for case in cases for label in case.covers}
    yield from (f"README.md: no case covers {label}" for label in known if label not in covered)
    yield from (f"README.md: {label} is listed twice" for label in sorted({one for one in known if known.count(one) > 1}))
    for case in cases:
        yield from (f"{case.name}: README.md has no rule {label}" for label in case.covers if label not in known)
