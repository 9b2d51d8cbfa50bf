"""What docs/spec says of any bytes, written down a second time: the oracle that the checks hold apnsift to.

What protects its independence: it imports nothing of apnsift and runs none of it (but compare.py, which asks the command for its
answer); it was written from docs/spec, not from the code; and it is slow and plain, over whole streams in memory. So a mistake of
the one is hardly a mistake of the other, and where the two differ, one of them is wrong. A rule that changes is changed in docs/spec
first, and here from that page. samples/make/corpus --check holds the oracle itself to cases that were worked out by hand.

    wire            tuples, requests, responses and gap marks as bytes, and the inside of one request
    runs            the rules of all runs, and the walk through a dump or one direction
    feedback        runs of feedback tuples, with the bytes between them
    gateway         runs of requests and of error responses
    correlation     what became of requests
    decoder         dumps and connections decoded
    packets         TCP over IP
    captures        pcap files: written
    tcp             pcap files read: packets, directions, the location of each byte
    tls_records     records of TLS, and where their plaintext is
    http2           frames of HTTP/2 in captures, in clear or in TLS
    pushes          what a push must be exported as
    recorded        what the captures of samples/captures hold, as it was logged
    damage          streams and conversations with damage of every kind, drawn from a seed
    conversations   captures of several connections, with what the network does to them
    compare         what the command must print, and where it prints something else
"""
