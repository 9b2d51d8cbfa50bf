"""Dead citations are found where they are planted, and no other."""

from conftest import load

citations = load("check-citations")

PLANTED = {
    "docs/spec/protocol.md":
        "# Protocol\n\n## TLS\n\n## What's `new`, now\n\n## TLS\n\n[dead](#none) [alive](#tls-1) `[code](gone.md)`\n",
    "docs/guide.md": "[alive](spec/protocol.md#whats-new-now) [dead](spec/gone.md) [dead](spec/protocol.md#ssl) [web](https://a.example/b.md#c)\n",
    "README.md": "See docs/guide.md and [docs](docs).\n\n```\n[code](gone.md)\n```\nSee docs/gone.md.\n",
    "Sources/A.swift":
        "/// Alive: docs/spec/protocol.md#tls.\n/// Dead: docs/spec/protocol.md#ssl.\n// Bare: protocol.md, TLS.\n"
        'let name = "protocol.md"\n',
    "Tests/B.swift": 'let path = "docs/gone.md"\n@Suite("docs/spec/gone.md: a rule")\n',
    "scripts/c": "#!/bin/sh\n# docs/spec/protocol.md#tls, docs/lost.md\n",
}
DEAD = [
    ("README.md", 6, "docs/gone.md"), ("Sources/A.swift", 2, "docs/spec/protocol.md#ssl"), ("Sources/A.swift", 3, "protocol.md"),
    ("Sources/A.swift", 4, "protocol.md"), ("Tests/B.swift", 2, "docs/spec/gone.md"), ("docs/guide.md", 1, "spec/gone.md"),
    ("docs/guide.md", 1, "spec/protocol.md#ssl"), ("docs/spec/protocol.md", 9, "#none"), ("scripts/c", 2, "docs/lost.md"),
]


def test_planted_citations(tmp_path):
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert sorted((str(file), number, cited) for file, number, cited, _ in citations.check(tmp_path)) == sorted(DEAD)
