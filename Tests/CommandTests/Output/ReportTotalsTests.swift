import CommandTestSupport
import Testing

/// The totals, doubtful records and locations of a report, compared with an export of the same inputs.
@Suite("Totals of a report")
struct ReportTotalsTests {
  private let directory = TestDirectory()

  /// Prints what the page must have, from the records of `all.ndjson`, and what it has: two lines for each of the
  /// totals, the doubtful records and the invalidated tokens with their locations.
  private static let recount = #"""
    import html, json, re
    KINDS = ("feedback", "request", "response", "push", "broadcast", "channel")
    DOUBTS = {"malformed-json", "status-inferred", "token-not-hex", "uncorrelated", "unexpected-token-length"}
    WORDS = {"feedback": "feedback tuple", "response": "error response", "channel": "channel request"}
    records = [record for record in map(json.loads, open("all.ndjson")) if record["type"] in KINDS]
    recovered = [record for record in records if record["flags"] == ["carved"]]
    flagged = [record for record in records if record["flags"] and record["flags"] != ["carved"]]
    dates, named, doubts = {}, set(), {}
    for record in records:
        if record["type"] == "feedback":
            named.add(record["token"])
            counts, time = not record["flags"], 1000 * record["timestamp"]
        elif record["type"] == "push" and record["status"] == 410 and record["timestamp_ms"] is not None and record["token"]:
            named.add(record["token"])
            counts, time = not DOUBTS & set(record["flags"]), record["timestamp_ms"]
        else:
            continue
        doubts.setdefault(record["token"], set()).update(record["flags"])
        if counts and time > dates.get(record["token"], (-1,))[0]:
            where = f'{record["source"]}, stream {record["stream"]}, offset {record["offset"]:,}'
            where += f', packet {record["packet"]:,}' if record["packet"] else ""
            where += f', offset {record["file_offset"]:,} in the file' if record["file_offset"] != record["offset"] else ""
            dates[record["token"]] = (time, where)
    found = {token for token in named - set(dates) if doubts[token] == {"carved"}}
    rows = [[sum(record["type"] == kind for record in part) for part in (records, recovered, flagged)] for kind in KINDS]
    rows = [row for row in rows if row[0]] + [
        [len(records), len(recovered), len(flagged)], [len(named), len(found), len(named - set(dates) - found)]]
    print([f"{number:,}" for all, searched, doubtful in rows
           for number in ([all, all - searched - doubtful] + ([searched] if recovered else []) + [doubtful])])
    page = open("page.html", encoding="utf-8").read()
    def section(id):
        return page.split(f'<section id="{id}">')[1].split("</section>")[0]
    def text(part):
        return html.unescape(re.sub("<[^>]*>", "", part))
    print(re.findall(r'<td class="number">([\d,]+)</td>', section("totals").split("Account")[0]))
    print(sorted(f'{WORDS.get(r["type"], r["type"])} {r["source"]} {r["offset"]:,} {",".join(r["flags"])}' for r in flagged))
    found = re.findall(
        r'data-label="Record">([a-z ]+)<.*?data-label="Location"[^>]*>(.*?)<small>(.*?)</small></td>(.*)', section("doubtful"))
    print(sorted(
        f'{kind} {text(source)} {re.search("offset ([0-9,]*[0-9])", where)[1]} {",".join(re.findall("<code>(.*?)</code>", why))}'
        for kind, source, where, why in found))
    print(sorted(f"{token or '(empty)'} {where}" for token, (_, where) in dates.items()))
    print(sorted(f"{token} {text(where)}" for token, where, time in re.findall(
        r'<span class="token">(.*?)</span><small class="found">(.*?)</small>.*? class="when">(.*?)<', section("tokens"))
        if time != "–"))
    """#

  private func expectAgreement(_ arguments: [String], code: Int32 = 0) throws {
    let outcome = try directory.apnsift(["export", "-t", "ndjson"] + arguments).exits(code)
    try directory.write(outcome.output, to: "all.ndjson")
    let limits = ["--max-doubtful", "100000", "--max-tokens", "100000"]
    try directory.write(try directory.report(arguments + limits, code: code).html, to: "page.html")
    let printed = try directory.tool("python3", ["-c", Self.recount])
    let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 6)
    for index in stride(from: 0, to: lines.count - 1, by: 2) {
      #expect(lines[index] == lines[index + 1], "\(arguments)")
    }
  }

  @Test("agree with a recount of the exported records, whatever the inputs")
  func agreement() throws {
    try expectAgreement([Repository.path(of: "samples")], code: 2)
  }

  @Test(
    "agree for a single kind of record",
    arguments: [
      "samples/lost-block.bin", "samples/captures/gateway.pcap", "samples/pushes/httpx-clear-late.pcap",
      "samples/tls-session.bin", "samples/ciphertext.bin",
    ])
  func single(_ name: String) throws { try expectAgreement([Repository.path(of: name)]) }

  @Test("the shortened lists have one entry of every input before a second of any")
  func everyInput() throws {
    for name in ["a", "b", "c"] {
      var bytes: [UInt8] = []
      for part in 0..<6 { bytes += feedback(tuples(4, from: 4 * part)).dropLast(5) }
      try directory.write(bytes, to: "\(name).bin")
    }
    let page = try directory.report(["a.bin", "b.bin", "c.bin", "--max-places", "3", "--max-doubtful", "4"])
    let skipped = try #require(page.elements("article", "finding").first { $0.contains("skipped-bytes") })
    let inputs = skipped.matches(of: /<dt>Input<\/dt><dd>([abc])\.bin<\/dd>/).map { String($0.output.1) }
    #expect(inputs == ["a", "b", "c"])
    let doubtful = page.section("doubtful").matches(of: /class="name">([abc])\.bin</).map { $0.output.1 }
    #expect(doubtful.prefix(4) == ["a", "a", "b", "c"])
    let inspected = try directory.apnsift("inspect", "a.bin", "b.bin", "c.bin").text
    #expect(inspected.matches(of: /(?m)^    ([abc])\.bin/).prefix(3).map { $0.output.1 } == ["a", "b", "c"])
  }
}
