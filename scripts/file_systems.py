"""Images of ext4, FAT and NTFS: files, a deleted one, tuples in the slack of one, and tuples in no file."""

import os
import struct

from apnsift_tool import run
from oracle.wire import tuples_bytes

SIZE, SECTOR = 20 << 20, 512
# How many bytes The Sleuth Kit counts as a block of each file system.
UNITS = {"ext4": 1024, "vfat": 512, "ntfs": 4096}
MARK = b"ends here"


class Volume:
    """A file system; `planted` has state, path and tuples of each chain in it."""

    def __init__(self, kind, folder, tuples):
        """`tuples` makes a number of them."""
        self.kind, self.image, self.planted = kind, folder / f"{kind}.img", []
        files = folder / f"{kind}.files"
        (files / "sub dir").mkdir(parents=True)
        for path, count in {"kept.bin": 300, "sub dir/other.bin": 40, "gone.bin": 50}.items():
            chain = tuples(count)
            self.planted.append(("deleted" if path == "gone.bin" else "allocated", f"/{path}", chain))
            (files / path).write_bytes(tuples_bytes(chain))
        (files / "short.txt").write_bytes(MARK)
        self.image.touch()
        os.truncate(self.image, SIZE)
        getattr(self, kind)(files)
        self.hide(tuples)

    def ext4(self, files):
        run(["mkfs.ext4", "-q", "-b", UNITS["ext4"], "-d", files, self.image])
        run(["debugfs", "-w", "-R", "rm gone.bin", self.image])

    def vfat(self, files):
        run(["mkfs.vfat", self.image])
        run(["mcopy", "-s", "-i", self.image, *files.iterdir(), "::"])
        run(["mdel", "-i", self.image, "::gone.bin"])
        # FAT loses the first letter.
        self.planted = [(state, path.replace("/g", "/_"), chain) for state, path, chain in self.planted]

    def ntfs(self, files):
        run(["mkntfs", "-F", "-q", self.image])
        for path in files.glob("*.*"):
            run(["ntfscp", self.image, path, path.name])
        self.planted = [plant for plant in self.planted if "sub dir" not in plant[1]]
        # A deleted file: its entry in the table of files is not in use.
        data = bytearray(self.image.read_bytes())
        entry = data.rindex(b"FILE", 0, data.rindex("gone.bin".encode("utf-16-le"), 0, 1 << 20))
        data[entry + 16] += 1  # its sequence number
        data[entry + 22] &= 0xFE
        self.image.write_bytes(data)

    def hide(self, tuples):
        data, free = bytearray(self.image.read_bytes()), tuples(30)
        data[-100_000:-100_000 + 38 * len(free)] = tuples_bytes(free)
        self.planted.append(("unallocated", None, free))
        # NTFS has a short file in its table, in which is no slack.
        if self.kind != "ntfs":
            # In the first sector, as ifind knows no others.
            slack, start = tuples(10), data.index(MARK) + len(MARK)
            data[start:start + 38 * len(slack)] = tuples_bytes(slack)
            self.planted.append(("slack", "/short.txt", slack))
        self.image.write_bytes(data)


def partitioned(volumes):
    """(the bytes of a disk, the offsets of the volumes): two primary partitions in a master boot record."""
    starts = [1 << 20, (1 << 20) + SIZE + (1 << 20)]
    data = bytearray(starts[-1] + SIZE)
    for index, (start, volume, kind) in enumerate(zip(starts, volumes, [0x83, 0x0C])):
        entry = struct.pack("<B3sB3sII", 0, bytes(3), kind, bytes(3), start // SECTOR, SIZE // SECTOR)
        data[446 + 16 * index:462 + 16 * index] = entry
        data[start:start + SIZE] = volume.image.read_bytes()
    data[510:512] = b"\x55\xaa"
    return data, starts


def damaged(volume):
    """The bytes of an ext4 without its root directory: inode 2 is the second in the table that the first group names."""
    data = bytearray(volume.image.read_bytes())
    table = struct.unpack_from("<I", data, 2048 + 8)[0] * UNITS["ext4"]
    data[table + 256:table + 512] = b"\xff" * 256
    return data
