// A provider with Node's http2: sends the pushes of a plan (push_plan.py), some one after the other, the rest together.
// usage: node push_client.js URL PLAN

const fs = require("fs");
const http2 = require("http2");

const [url, plan] = process.argv.slice(2);
const lines = fs.readFileSync(plan, "utf8").trimEnd().split("\n");
const session = http2.connect(url, { rejectUnauthorized: false });

function send(line) {
  const [where, pairs, payload] = line.split("\t");
  const [method, path] = where.split(" ");
  const headers = { ":method": method, ":path": path };
  for (const pair of pairs.split("|")) {
    const [name, value] = pair.split(": ", 2);
    headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    stream.on("error", reject);
    stream.on("data", () => {});
    stream.on("end", resolve);
    // What has no body has ended already.
    if (payload) stream.end(payload);
  });
}

async function main() {
  const half = Math.floor(lines.length / 2);
  for (const line of lines.slice(0, half)) await send(line);
  await Promise.all(lines.slice(half).map(send));
  session.close();
}

main();
