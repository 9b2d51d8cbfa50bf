"""Gaps that a dump itself marks, and dumps that are ciphertext (decoding-rules.md, Ciphertext, Marks of other tools)."""

from cases.case import Case, Stream, dump, dumps
from cases.wire import cut, finding, gap, join, mark, opaque, raw, rec, skip

HELLO = bytes.fromhex("160301002a0100002603014f5d0a77") + bytes(range(64, 94))  # the beginning of a ClientHello


def cases():
    return [*gaps(), *marks(), *encrypted()]


def gaps():
    yield dump(
        "feedback/gap-inside-tuples", "After a gap, decoding begins at the first tuple that can be one; that has no flag",
        ["feedback/run-start", "feedback/gap-mark", "feedback/truncated-record", "law/accounting"],
        [rec(0), cut(raw(1)[:20]), gap(30), skip(raw(2)[12:]), rec(3), rec(4)],
        readers={"java": "not-judged", "node": "not-judged"},
    )  # fmt: skip
    yield dump(
        "feedback/gap-between-tuples", "A gap between two tuples costs neither of them, and no byte is skipped",
        ["feedback/run-start", "feedback/gap-mark"], [rec(0), gap(38), rec(2), rec(3)],
    )  # fmt: skip
    yield dump(
        "feedback/no-tuple-behind-a-gap", "Where no tuple begins after a gap, all of its bytes are skipped",
        ["feedback/run-start"],
        [rec(0), gap(5), skip(raw(1)[5:]), gap(38), skip(raw(3)[:4])],
    )  # fmt: skip
    yield dump(
        "feedback/doubtful-tuple-behind-a-gap",
        "A tuple with garbage after it does not start a run, even directly after a gap",
        ["feedback/run-start", "feedback/start"], [rec(0), gap(38), skip(raw(2) + 9 * b"\xff"), rec(3)],
    )  # fmt: skip
    yield dump(
        "feedback/tails-before-a-gap", "A gap ends a run as the end does: a tail is accepted, or not",
        ["feedback/tail", "feedback/unconfirmed-boundary", "feedback/gap-mark"],
        [rec(0), cut(raw(1)[:3]), gap(35), rec(2), rec(3, "unconfirmed-boundary"), skip(b"\xff\xff"), gap(36), rec(5)],
    )  # fmt: skip


def marks():
    yield dump(
        "feedback/mark-without-nul", "A mark ends at its bracket; one NUL after it belongs to it, a second does not",
        ["feedback/gap-mark"], [rec(0), gap(38), rec(1), gap(76), skip(b"\0"), rec(2)],
        data=raw(0) + mark(38, b"") + raw(1) + mark(76) + b"\0" + raw(2),
    )  # fmt: skip
    yield dump(
        "feedback/marks-side-by-side", "Marks side by side are separate gaps, and one of no bytes is a gap, too",
        ["feedback/gap-mark", "feedback/run-start"],
        [rec(0), gap(100), gap(14), gap(0), rec(3), gap(0), skip(raw(4)[:3]), rec(5)],
    )  # fmt: skip
    yield dump(
        "feedback/mark-at-the-front", "After a mark at the very front, the first run does not begin where its stream begins",
        ["feedback/gap-mark", "feedback/run-start"], [gap(20), skip(raw(0)[20:]), rec(1), rec(2)],
    )  # fmt: skip
    longest, text = 9_999_999_999, b"[12345678901 bytes missing in capture file]"
    yield dump(
        "feedback/longest-mark", "A mark has ten digits at most; what only looks like one is bytes of the dump",
        ["feedback/gap-mark"],
        [rec(0), gap(longest), rec(1), rec(2, "unconfirmed-boundary"), skip(text), rec(3, "resynchronised")],
        data=raw(0) + mark(longest) + raw(1) + raw(2) + text + raw(3),
    )  # fmt: skip
    others = [b"[ 5 bytes missing in capture file]", b"[-5 bytes missing in capture file]", b"[5 bytes missing in capture file"]
    yield dumps(
        "feedback/no-marks", "A mark that is not written to the letter is none", ["feedback/gap-mark"],
        {str(n): [rec(0, "unconfirmed-boundary"), skip(text), rec(1, "resynchronised")] for n, text in enumerate(others)},
    )  # fmt: skip


def tls(content, **more):
    """A stream of ciphertext with these parts; its finding covers all of it."""
    length = sum(len(part.data) + (part.missing or 0) for part in content)
    described = {**finding("encrypted-stream", length), "direction": "server", "offset": 0}
    return Stream(server=content, protocol="encrypted", findings=[described], **more)


def encrypted():
    heads = {f"{kind:02x}-{version:02x}": bytes([kind, 3, version]) for kind in (0x14, 0x15, 0x16, 0x17) for version in (0, 4)}
    yield Case(
        "feedback/ciphertext",
        "Record types 14 to 17 (hex) of TLS, versions 3.0 to 3.4, are ciphertext, whatever --protocol says",
        ["feedback/ciphertext"], {f"input.{key}.bin": head + bytes(20) for key, head in heads.items()},
        [tls([opaque(head + bytes(20))], source=f"input.{key}.bin") for key, head in heads.items()],
        options=["--protocol", "feedback"],
    )  # fmt: skip
    others = {"type-13": "130301", "type-18": "180301", "version-2": "170201", "version-3-5": "170305"}
    yield dumps(
        "feedback/no-ciphertext", "Bytes next to those of TLS are none of it",
        ["feedback/ciphertext", "feedback/skip-to-start"],
        {key: [skip(bytes.fromhex(head) + 9 * b"\xff"), rec(0, "resynchronised")] for key, head in others.items()},
        options=["--from", "raw", "--protocol", "feedback"],
    )  # fmt: skip
    yield dump(
        "feedback/two-bytes-of-ciphertext", "Three bytes are needed to know ciphertext",
        ["feedback/ciphertext", "feedback/skip-to-end"],
        [skip(HELLO[:2])], options=["--from", "raw", "--protocol", "feedback"],
    )  # fmt: skip
    yield dump(
        "feedback/ciphertext-behind-a-tuple", "Only the first run counts: data that looks like TLS later is skipped",
        ["feedback/ciphertext"], [rec(0, "unconfirmed-boundary"), skip(HELLO), rec(1, "resynchronised")],
    )  # fmt: skip
    inside = [opaque(HELLO), gap(50, described=False), opaque(HELLO)]
    yield Case(
        "feedback/mark-in-ciphertext", "A gap inside ciphertext is counted, and no finding of its own",
        ["feedback/ciphertext", "feedback/gap-mark"],
        {"input.bin": join(inside)}, [tls(inside)],
    )  # fmt: skip
    after = [gap(50), opaque(HELLO)]
    yield Case(
        "feedback/ciphertext-behind-a-mark",
        "The run after a mark at the front is the first one, and shows that it is ciphertext",
        ["feedback/ciphertext", "feedback/gap-mark"], {"input.bin": join(after)}, [tls(after)],
    )  # fmt: skip
