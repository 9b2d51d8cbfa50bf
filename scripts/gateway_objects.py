"""What apnsift should print of gateway connections, made from what the reference says of them."""

from cross_checking import BYTE_SUMS, flag_counts, severities, severity


class Expected:
    """The objects of one run of the command, in the keys that are compared."""

    def __init__(self):
        self.objects = []
        self.streams = []
        self.sums = dict.fromkeys(BYTE_SUMS, 0)

    def add(self, source, number, directions, **more):
        """A connection; `more` are keys of its stream object."""
        objects = [item for one in directions for item in objects_of(source, number, one)]
        self.objects += objects
        self.streams.append({**stream_object(source, number, directions, objects), **more})
        for name in BYTE_SUMS:
            self.sums[name] += sum(getattr(one, name) for one in directions)

    def of(self, source):
        return [item for item in self.objects + self.streams if item["source"] == source]

    def summary(self):
        """The parts of a summary that follow from the objects and the sums of all directions."""
        findings = [item for item in self.objects if item["type"] == "finding"]
        records = [item for item in self.objects if item["type"] != "finding"]
        return {
            "type": "summary", **self.sums, "streams": len(self.streams), "feedback": 0,
            "requests": sum(item["type"] == "request" for item in records),
            "responses": sum(item["type"] == "response" for item in records),
            "flags": flag_counts(records), "findings": severities(findings),
        }  # fmt: skip


def objects_of(source, number, direction):
    location = {"source": source, "stream": number}
    for record in direction.records:
        yield {**location, "original_packet": None, "captured_at": None, **record}
    for finding in direction.findings:
        known = {key: value for key, value in finding.items() if key != "captured_at"}
        yield {**location, "severity": severity(finding["code"]), **known}


def stream_object(source, number, directions, objects):
    stream = {"type": "stream", "source": source, "stream": number, **protocol_key(directions)}
    for role in ("client", "server"):
        sent = [one for one in directions if one.role == role]
        stream[f"{role}_bytes"] = sum(one.stream_bytes + one.undecoded_bytes for one in sent)
        stream[f"{role}_gap_bytes"] = sum(one.gap_bytes for one in sent)
    stream["findings"] = sum(item["type"] == "finding" for item in objects)
    stream["records"] = len(objects) - stream["findings"]
    return stream


def protocol_key(directions):
    """Omitted if only one direction is ciphertext: the interface leaves that open."""
    with_bytes = [one for one in directions if one.stream_bytes + one.undecoded_bytes > 0]
    encrypted = [one for one in with_bytes if one.is_encrypted]
    if encrypted and len(encrypted) < len(with_bytes):
        return {}
    return {"protocol": "encrypted" if encrypted else "gateway"}
