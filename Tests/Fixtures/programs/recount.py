"""Prints what the page must have, from the records of `all.ndjson`, and what it has: two lines for each of the totals, the
doubtful records and the invalidated tokens with their locations."""

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
