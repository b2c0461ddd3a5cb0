# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Compares two runs of the benchmark: which rows became slower or faster."""
from figures import Results, Spread, Unusable
from tables import name_of, ratio_text, plain

# What the name of a row says of krdma's stack.
WORDS = {'krdma_large': ', large FPDUs', 'krdma_crowd': ', crowd'}

# A relative change up to this counts as none, even if the ranges do not overlap.
LEAST = 0.05


def against_tcp(result):
    """Returns the ratio of each figure to that of in-kernel TCP in the same boot.

    Ratios are compared because machines are not equally fast.
    """
    results = Results(result)
    ratios = {}
    for (*key, boot, stack, crc), row in results.rows.items():
        if not stack.startswith('tcp'):
            ratios[(*key, boot, stack, crc)] = (row['better'], results.ratio(row, results.tcp(key, boot)))
    return ratios


def disjoint(old, new):
    return old.high < new.low or new.high < old.low


def verdict(better, old, new):
    """Returns -1 for slower, 1 for faster, 0 for neither."""
    change = new.median / old.median - 1
    if not disjoint(old, new) or abs(change) <= LEAST:
        return 0
    return 1 if (change > 0) == (better == 'higher') else -1


class Comparison:
    def __init__(self, old, new):
        self.lines = {-1: [], 1: []}
        self.compared = 0
        self.lost = []
        # Number of rows of the kernel's own stacks, by verdict. These stacks did not change, so the
        # numbers show how many verdicts are due to chance.
        self.chance = {-1: 0, 0: 0, 1: 0}
        before, after = against_tcp(old), against_tcp(new)
        for key, (better, ratio) in before.items():
            self.compare_row(key, better, ratio, after.get(key, (better, Spread([])))[1])

    def compare_row(self, key, better, old, new):
        *row, _, stack, crc = key
        ours = stack.startswith('krdma')
        name = name_of(row) + (', CRC on' if crc else '') + WORDS.get(stack, '')
        if not old:
            return
        if not new:
            if ours:
                self.lost.append(name)
            return
        found = verdict(better, old, new)
        if not ours:
            self.chance[found] += 1
            return
        self.compared += 1
        if found:
            self.lines[found].append([name, better, *map(text_of, (old, new)),
                                      f'{(new.median / old.median - 1) * 100:+.0f} %'])


def text_of(spread):
    return f'{ratio_text(spread.median)} ({ratio_text(spread.low)}\u2013{ratio_text(spread.high)})'


def differences(old, new):
    for field, name in (('cpu', 'machine'), ('kernel', 'kernel'), ('crc32c', 'CRC32C driver')):
        if old.get(field) != new.get(field):
            yield f'note: not the same {name}: {old.get(field)} and {new.get(field)}'


def print_comparison(old, new):
    """Prints the comparison. Returns the exit status: 1 if a row of krdma is slower or no longer measured."""
    found = Comparison(old, new)
    for line in differences(old, new):
        print(line)
    if not found.compared:
        raise Unusable('the two files have no row in common')
    for side, title in ((-1, 'slower'), (1, 'faster')):
        if found.lines[side]:
            print(f'{title}, as ratios to TCP of the same boot:')
            print('\n'.join(plain([['row', 'better', 'old', 'new', 'change'], *found.lines[side]])), end='\n\n')
    if found.lost:
        print(f'no longer measured: {", ".join(found.lost)}\n')
    print(f'krdma: of {found.compared} rows {len(found.lines[-1])} slower, {len(found.lines[1])} faster; a row that '
          f'differs by no more than {LEAST:.0%}, or whose rounds overlap, counts as equal')
    print(f'in-tree siw and rxe, by the same measure: of {sum(found.chance.values())} rows {found.chance[-1]} slower, '
          f'{found.chance[1]} faster. If these stacks did not change, that is chance.')
    return 1 if found.lines[-1] or found.lost else 0
