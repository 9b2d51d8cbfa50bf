"""What docs/spec says of any bytes, written down a second time: the oracle that the checks hold apnsift to.

What protects its independence: it imports nothing of apnsift and runs none of it (but compare.py, which asks the command for its
answer); it was written from docs/spec, not from the code; and it is slow and plain, over whole streams in memory. So a mistake of
the one is hardly a mistake of the other, and where the two differ, one of them is wrong. A rule that changes is changed in docs/spec
first, and here from that page. samples/make/corpus --check holds the oracle itself to cases that were worked out by hand.
"""
