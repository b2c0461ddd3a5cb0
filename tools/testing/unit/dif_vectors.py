#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Prints the known sums of test_dif.c, by long division of the block as one polynomial."""


def block(kind, size):
    if kind == 'counting':
        return bytes(i % 256 for i in range(size))
    if kind == 'random':
        state, out = 1, bytearray()
        for _ in range(size):
            state = (state * 1664525 + 1013904223) % 2**32
            out.append(state >> 24)
        return bytes(out)
    return bytes([int(kind, 16)]) * size


def crc(data, seed):
    """The remainder of data * x^16, with the seed added to the first 16 bits, modulo 0x18bb7."""
    value = int.from_bytes(data, 'big') << 16
    bits = 8 * len(data) + 16
    value ^= seed << (bits - 16)
    for bit in range(bits - 1, 15, -1):
        if value >> bit & 1:
            value ^= 0x18bb7 << (bit - 16)
    return value


def csum(data, seed):
    """The complement of the sum, modulo 2^16 - 1; only a sum of nothing but zeros is 0."""
    words = seed + sum(int.from_bytes(data[i:i + 2].ljust(2, b'\0'), 'big')
                       for i in range(0, len(data), 2))
    return 0xffff ^ ((words - 1) % 0xffff + 1 if words else 0)


for kind, size in (('0', 512), ('ff', 512), ('counting', 512), ('random', 512), ('0', 4096),
                   ('ff', 4096), ('counting', 4096), ('random', 4096), ('random', 521)):
    data = block(kind, size)
    sums = [f(data, seed) for f in (crc, csum) for seed in (0, 0xffff)]
    print(f'\t{{ "{kind}", {size},', ', '.join(f'0x{s:04x}' for s in sums), '},')
