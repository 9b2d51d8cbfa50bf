"""What Wireshark makes of captures, by sharkd, which comes with tshark: one process reads many, and its start takes longest."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from apnsift_tool import program

# Prints the fields with these names in each packet, in each pass: values in hex, as a text may have any characters.
RECORDER = """
local recorder = Proto("recorder", "Prints fields")
function recorder.init() print("opened") end
function recorder.dissector(_, pinfo)
  for _, field in ipairs({ all_field_infos() }) do
    if field.name:find("^apns") or (" NAMES "):find(" " .. field.name .. " ", 1, true) then
      local is_raw = field.len > 0 and (" RAW "):find(" " .. field.name .. " ", 1, true)
      print(pinfo.visited, pinfo.number, field.name, Struct.tohex(is_raw and field.range:raw() or tostring(field.value)))
    end
  end
end
register_postdissector(recorder, true)
"""


def read(captures, names, raw="", script="", settings=""):
    """(packet, field, bytes of its value) of each field with one of the names, in their order, [in one pass, in a second one], of
    each capture: (path, {preference: value}). Of fields in `raw`, what the packet has. `script` is of Lua, `settings` of all."""
    requests = []
    for number, (path, preferences) in enumerate(captures):
        requests += [(1, "setconf", {"name": name, "value": value}) for name, value in preferences.items()]
        # For a filter that no earlier capture had, all packets are read again. It lets none through.
        requests += [(1, "load", {"file": str(path)}), (2, "frames", {"filter": f"frame.number > {10**9 + number}"})]
    lines = [json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": more}) + "\n" for id, method, more in requests]
    with TemporaryDirectory() as home:
        for name, text in {
            ".config/wireshark/preferences": settings,
            # Without a protocol that asks for fields, as this one does, there are none in the first pass.
            ".config/wireshark/enabled_protos": "transum\n",
            ".local/lib/wireshark/plugins/recorder.lua": script + RECORDER.replace("NAMES", names).replace("RAW", raw),
        }.items():
            path = Path(home, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": f"{home}/.config"}
        done = subprocess.run(["sharkd", "-"], input="".join(lines), capture_output=True, text=True, env=environment)
    *answers, rest = re.split(r'^\{"jsonrpc":"2.0","id":2,.*\n', done.stdout, flags=re.MULTILINE)
    if rest or len(answers) != len(captures):
        sys.exit(f"{program()}: sharkd read {len(answers)} of {len(captures)} captures: {done.stderr[-2000:]}")
    # Of a file that is refused, the second pass would be one over the capture before.
    return [passes("".join(answer.split("opened\n")[1:])) for answer in answers]


def passes(printed):
    found = {"false": [], "true": []}
    for line in printed.splitlines():
        if not line.startswith("{"):
            is_again, packet, name, value = line.split("\t")
            found[is_again].append((int(packet), name, bytes.fromhex(value)))
    return list(found.values())
