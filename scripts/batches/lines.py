"""Lines of text, drawn from words, times and marks: the carved records must be those of a second reading of
docs/spec/text-lines.md, by regular expressions.
"""

import datetime
import json
import re

from apnsift_tool import CHECKS, binary, run, table
from oracle.wire import EARLIEST, LATEST, utc

USES = re.compile("regist|subscri|stored|storing|saved|saving|enrol|added", re.IGNORECASE)
ENDS = re.compile("feedback|invalid|uninstall|inactive", re.IGNORECASE)
KEYS = tuple(
    """failed failedat invalidsince invalidated invalidatedat unregistered unregisteredat unregisteredsince unsubscribed
    unsubscribedat uninstalled uninstalledat inactivesince feedback feedbacktime""".split())
NEGATIONS = "un de not longer remove removed removing delete deleted deleting expired".split()
TOKEN = re.compile(r"<[0-9a-f]{8}(?: [0-9a-f]{8}){7}>")
ZONE = r"(?: ?(?P<zone>(?:Z|z|UTC|GMT)(?![A-Za-z])|[+-]\d\d(?::\d\d|\d\d)?(?!\d)))?"
CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,]\d+)?" + ZONE
ISO = re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)[T ]" + CLOCK)
CLF = re.compile(r"(?<!\d)(?P<day>\d\d)/(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/(?P<year>\d{4}):" + CLOCK)
NUMBER = re.compile(r"(?<!\d)(?:(?P<seconds>\d{10})|(?P<milliseconds>\d{13}))(?!\d)")
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def moment(match):
    """Seconds since 1970, and whether there is a zone; None if there is no such time."""
    name, zone, offset = match["month"], match["zone"], 0
    month = int(name) if name.isdigit() else MONTHS.index(name) // 3 + 1
    try:
        fields = map(int, match.group("day", "hour", "minute", "second"))
        time = datetime.datetime(int(match["year"]), month, *fields, tzinfo=datetime.timezone.utc)
    except ValueError:
        return None
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "") + "00"
        offset = (int(digits[:2]) * 60 + int(digits[2:4])) * (-60 if zone[0] == "-" else 60)
    return int(time.timestamp()) - offset, zone is not None


def rank(before):
    """The rank that the text before a time gives it: letters alone count, up to a digit or a byte that is no ASCII."""
    letters = re.sub(r"[^A-Za-z]", "", re.split(r"[0-9>\x80-\xff]", before.split("\n")[-1])[-1]).lower()
    return 2 if letters.endswith(KEYS) else 1 if letters.endswith("timestamp") else 0


def is_negated(before):
    """Whether the word that follows is: by another one, which begins as words do, alone or in a name."""
    before = re.sub("[ _-]$", "", before)
    for word in filter(before.lower().endswith, NEGATIONS):
        head, first = before[:-len(word)], before[-len(word)]
        if not head or not head[-1].isalpha() or first.isupper() and head[-1].islower():
            return True
    return False


def times_of(text):
    """(seconds, has a zone, rank, offset) of each plausible time."""
    for match in (match for pattern in (ISO, CLF) for match in pattern.finditer(text)):
        if found := moment(match):
            yield *found, rank(text[:match.start()]), match.start()
    for match in NUMBER.finditer(text):
        named = rank(text[:match.start()])
        if named or match.start() == 0:
            yield int(match[0][:10]), True, named, match.start()


def judge(line, token):
    """`time, flags, confidence` of the token's record; a word for no record."""
    text = line[:token.start()] + "\n" * len(token[0]) + line[token.end():]
    negated = [is_negated(text[:match.start()]) for match in USES.finditer(text)]
    if not all(negated):
        return "in use"
    times = [time for time in times_of(text) if EARLIEST <= time[0] <= LATEST]
    if not times:
        return "untimed"
    best = min(times, key=lambda time: (-time[2], time[0], time[3]))
    flags = ["assumed-utc"] * (not best[1]) + ["carved"] + ["other-time-in-line"] * any(time[0] != best[0] for time in times)
    is_number = re.match("[0-9]{4}-|[0-9]{2}/", text[best[3]:]) is None
    is_named = best[2] > 0 or not is_number and (negated or ENDS.search(text))
    return utc(best[0]), ";".join(flags), "likely" if is_named else "doubtful"


DRAWN = json.loads((CHECKS / "lines.json").read_text())  # words and forms of times


def drawn_time(draw):
    seconds = draw.choice([draw.randint(EARLIEST, LATEST), draw.randint(EARLIEST, LATEST), draw.randint(0, 2 ** 32 - 1)])
    form = draw.choice([f"{seconds}", f"{seconds}{draw.randint(0, 999):03}", f"{seconds}7", *DRAWN["times"]])
    zone = draw.choice(["", "", "Z", " UTC", " GMT", "+02:00", " +0530", "-08", " CET", "Zulu", " +1"])
    text = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(form)
    return text.format(zone=zone, fraction=draw.choice(["", "", ".123", ",5"]))


def drawn_line(draw):
    parts = [draw.choice(DRAWN["words"]) for _ in range(draw.randint(0, 6))]
    parts += [drawn_time(draw) for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3]))]
    parts.append(f"<{draw.randbytes(32).hex(' ', 4)}>")
    draw.shuffle(parts)
    return "".join(part + draw.choice([" ", " ", " ", "", "=", ": "]) for part in parts)


class Lines:
    def __init__(self, draw, directory, count):
        self.lines, self.command = [drawn_line(draw) for _ in range(count)], [binary(), "carve", "--quiet", directory / "lines.log"]
        self.command[-1].write_text("\n".join(self.lines) + "\n")

    def check(self):
        if found := list(self.faults()):
            yield "a log", self.command, found

    def faults(self):
        rows = table(*self.command[1:], "--columns", "token,time,flags,confidence")
        found, left = {row.pop("token"): tuple(row.values()) for row in rows}, {"in use": 0, "untimed": 0}
        for line in self.lines:
            text = line.encode().decode("latin-1")
            if token := TOKEN.search(text):
                record, rules = found.get(re.sub("[<> ]", "", token[0])), judge(text, token)
                if rules in left:
                    left[rules] += 1
                if record != (None if rules in left else rules):
                    yield f"{line}\n  apnsift: {record}\n  by the rules: {rules}"
        finding = run([*self.command, "--records", "findings"])
        if f"{left['in use']} in lines about" not in finding or f"{left['untimed']} in lines without" not in finding:
            yield f"{finding}\n  by the rules: {left}"
