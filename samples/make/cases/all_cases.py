"""All cases, in the order of their names."""

from cases import (
    captured_gateway,
    compressed,
    containers,
    correlation,
    error_readers,
    feedback,
    limits,
    links,
    long_streams,
    marks,
    public,
    pushes,
    readers,
    requests,
    responses,
    tcp,
    texts,
)  # fmt: skip

LISTS = [
    feedback, marks, requests, responses, correlation, links, tcp, limits, captured_gateway, containers, public, texts,
    compressed, readers, long_streams, error_readers, pushes,
]  # fmt: skip


def collect():
    cases = sorted((case for module in LISTS for case in module.cases()), key=lambda case: case.name)
    names = [case.name for case in cases]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"cases with the same name: {twice}"
    return cases
