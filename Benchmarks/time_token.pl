# The reference that export is measured against: one pass over a dump of 38-byte tuples, time and token as CSV, as
# someone would write it by hand. No rule is applied.
# usage: perl time_token.pl DUMP
use strict;
use warnings;
use POSIX qw(strftime);

my $path = shift or die "usage: perl time_token.pl DUMP\n";
open my $dump, '<:raw', $path or die "$path: $!\n";
local $/ = \38;
print "time,token\n";
while (my $tuple = <$dump>) {
    my ($time, $token) = unpack 'N x2 H64', $tuple;
    print strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $time), ",$token\n";
}
