"""Makes the keys of an exported key file (read from standard input) without a
server, and compares them with its examples. Python 3, standard library.
"""
import json
import struct
import sys

MASK = 0xFFFFFFFF


def rot(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK


def mix(a, b, c):
    for k in (4, 6, 8, 16, 19, 4):
        a = ((a - c) & MASK) ^ rot(c, k)
        c = (c + b) & MASK
        a, b, c = b, c, a
    return a, b, c


def hashtextextended(text, seed):
    """What PostgreSQL's function of this name returns under UTF8."""
    k = text.encode()
    a = b = c = (0x9E3779B9 + len(k) + 3923095) & MASK
    if seed:
        seed &= 0xFFFFFFFFFFFFFFFF
        a, b, c = mix((a + (seed >> 32)) & MASK, (b + (seed & MASK)) & MASK, c)
    while len(k) >= 12:
        x, y, z = struct.unpack("<III", k[:12])
        a, b, c = mix((a + x) & MASK, (b + y) & MASK, (c + z) & MASK)
        k = k[12:]
    x, y, z = struct.unpack("<III", k.ljust(12, b"\0"))
    a, b, c = (a + x) & MASK, (b + y) & MASK, (c + (z << 8)) & MASK
    for k in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - rot(b, k)) & MASK
        a, b, c = b, c, a
    a, b, c = c, a, b  # the seventh turn left c in b's place
    value = (b << 32) | c
    return value - (1 << 64) if value >> 63 else value


def main():
    data = json.load(sys.stdin)
    n = 0
    for v in data["hash"]:
        got = hashtextextended(v["text"], int(v["seed"]))
        assert str(got) == v["hash"], (v, got)
        n += 1
    for f in data["families"]:
        for e in f["examples"]:
            if f["kind"] == "hash":
                got = hashtextextended(f["prefix"] + e["id"], int(f["seed"]))
                assert str(got) == e["key"], (f["name"], e, got)
                n += 1
    print(n, "hashes and keys agree")


main()
