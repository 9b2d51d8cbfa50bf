"""A client whose sockets and TLS are not ours. Prints what each read returned, and how the connection ended."""

import json, socket, ssl, sys
port, options = int(sys.argv[1]), json.loads(sys.argv[2])
connection = socket.create_connection(("127.0.0.1", port), timeout=60)
version = None
if options.get("trusts"):
    context = ssl.create_default_context(cafile=options["trusts"])
    if options.get("shows"):
        context.load_cert_chain(*options["shows"])
    connection = context.wrap_socket(connection, server_hostname="localhost")
    version = connection.version()
reads, end = [], "end"
def read():
    data = connection.recv(1 << 20)
    if data:
        reads.append(data.hex())
    return data
try:
    for turn in options.get("turns", []):
        connection.sendall(bytes.fromhex(turn["send"]))
        for _ in range(turn["reads"]):
            read()
    while read():
        pass
except ConnectionResetError:
    end = "reset"
print(json.dumps({"reads": reads, "end": end, "version": version}))
