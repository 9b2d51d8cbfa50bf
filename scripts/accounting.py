"""The sums of docs/spec/interface.md#sums, of the objects of any export."""

COVERING = {"skipped-bytes", "truncated-record"}
CLEAR = "plaintext-before-tls"
LENGTHS = {"feedback": lambda row: 6 + row["token_length"], "request": lambda row: row["length"], "response": lambda row: 6}
# Their frames and lines are no records, so bytes are not in any.
UNTILED = {"http2", "provider-log"}


def ranges(objects):
    """What covers bytes of the streams: (offset, length) by source, stream and direction."""
    found = {}
    for row in objects:
        is_covering = row["type"] == "finding" and row["code"] in COVERING and row["stream"] is not None
        if row["type"] in LENGTHS or is_covering:
            length = row["length"] if is_covering else LENGTHS[row["type"]](row)
            found.setdefault((row["source"], row["stream"], row["direction"]), []).append((row["offset"], length))
    return found


def broken_sums(objects):
    """What does not add up, as a sentence; nil if all does."""
    summary = objects[-1]
    if summary["type"] != "summary":
        return f"the last object is a {summary['type']}"
    if summary["record_bytes"] + summary["skipped_bytes"] + summary["truncated_bytes"] != summary["stream_bytes"]:
        return "the sums of the summary"
    streams = [row for row in objects if row["type"] == "stream"]
    covered, decoded, received = ranges(objects), 0, 0
    # All separators of a dump are one finding, whose length is not that of a range.
    separated = {(row["source"], row["stream"]) for row in objects if row.get("code") == "separating-bytes"}
    # What was said in clear before TLS is not decoded.
    clear = {(row["source"], row["stream"], row["direction"]): row["length"] for row in objects if row.get("code") == CLEAR}
    for stream in streams:
        for direction in ("client", "server"):
            count = stream[f"{direction}_bytes"]
            received += count
            count -= clear.get((stream["source"], stream["stream"], direction), 0)
            found = sorted(covered.pop((stream["source"], stream["stream"], direction), []))
            if any(first[0] + first[1] > second[0] for first, second in zip(found, found[1:])):
                return f"a byte of stream {stream['stream']} is in two records"
            total = sum(length for _, length in found)
            is_tiled = total in (0, count) or total < count and (stream["source"], stream["stream"]) in separated
            if stream["protocol"] not in UNTILED and not is_tiled:
                return f"{total} of {count} bytes from the {direction} of stream {stream['stream']} are accounted for"
            decoded += count if total else 0
    if covered:
        return f"records of no stream: {sorted(covered)[:3]}"
    if received != summary["stream_bytes"] + summary["undecoded_bytes"]:
        return f"streams have {received} bytes, the summary others"
    if decoded != summary["stream_bytes"] and not UNTILED.intersection(stream["protocol"] for stream in streams):
        return f"decoded are {decoded} bytes, the summary says {summary['stream_bytes']}"
    return None
