"""Cases of captures: what all of them have in common."""

from cases.case import Case, Stream
from cases.wire import bytes_of, rec
from oracle.captures import Capture, frames, pcap
from oracle.packets import Conversation, ethernet

PARTS = [rec(0), rec(1), rec(2)]  # what the server sends in most captures: 114 bytes
SIZES = [38, 20, 56]  # of the segments


def segments(data, sizes):
    """The bytes of one side in segments of these sizes, as pairs of offset and bytes."""
    at = 0
    for size in sizes:
        yield at, data[at : at + size]
        at += size


def session(parts=PARTS, sizes=SIZES, conversation=None):
    """A whole connection: handshake, what the server sends, and the end of both sides."""
    conversation = conversation or Conversation()
    data = bytes_of(parts)
    talk = [conversation.says("server", at, chunk) for at, chunk in segments(data, sizes)]
    return [*conversation.opening(), *talk, *conversation.closing(server=len(data))]


def feedback(parts=PARTS, conversation=None, **more):
    """The stream of a connection to a feedback server."""
    return Stream(server=parts, peers=(conversation or Conversation()).peers, **more)


def capture(name, shows, covers, content, streams, suffix="pcap", **more):
    """A case of one capture: `content` is a file, or frames of Ethernet."""
    content = content if isinstance(content, Capture) else pcap(content)
    source = f"input.{suffix}"
    spans = {source: content.spans} if content.spans else {}
    return Case(name, shows, covers, {source: content.data}, streams, format="capture", spans=spans, **more)


def captures(name, shows, covers, files, streams, suffix="pcap", **more):
    """A case of several captures: files by the middle part of the input's name, and a function from that to streams."""
    names = {key: f"input.{key}.{suffix}" for key in files}
    described = []
    for key in sorted(files, key=lambda key: names[key].encode()):
        for stream in streams(key):
            stream.source = names[key]
            described.append(stream)
    inputs = {names[key]: file.data for key, file in files.items()}
    spans = {names[key]: file.spans for key, file in files.items() if file.spans}
    return Case(name, shows, covers, inputs, described, format="capture", spans=spans, **more)


def on_ethernet(packets, **more):
    return frames(packets, ethernet, **more)
