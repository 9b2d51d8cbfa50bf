// Prints the pushes of an HTTP/2 connection as lines `token,status,reason,timestamp`, and what is no push after a `#`.
// Imports the library alone, so the bytes come as hex digits, after the name of their sender: `client 505249…`.
import APNsPushes

func bytes(_ hex: Substring) -> [UInt8] {
  stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

var sent: [Substring: [UInt8]] = [:]
while let line = readLine() {
  let words = line.split(separator: " ")
  if words.count == 2 { sent[words[0], default: []] += bytes(words[1]) }
}

let found = PushDecoder.decode(client: sent["client"] ?? [], server: sent["server"] ?? [])
for push in found.records {
  let token = push.token.map(hex) ?? ""
  let status = push.status.map(String.init) ?? ""
  let timestamp = push.timestamp.map(String.init) ?? ""
  print("\(token),\(status),\(push.reason ?? ""),\(timestamp)")
}
for rest in found.rest {
  print("# \(rest.direction), offset \(rest.offset): \(rest.length) bytes: \(rest.kind)")
}
