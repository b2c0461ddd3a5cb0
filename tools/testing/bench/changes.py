# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What became slower or faster between two runs of the benchmark."""
from figures import Results, Spread, Unusable
from tables import name_of, ratio_text, plain

# A change smaller than this is none, however steady the figures.
LEAST = 0.05


def against_tcp(result):
    """For each figure its ratio to in-kernel TCP of the same boot, as machines are not equally fast."""
    results = Results(result)
    ratios = {}
    for (*key, boot, stack, crc), row in results.rows.items():
        if not stack.startswith('tcp'):
            ratios[(*key, boot, stack, crc)] = (row['better'], results.ratio(row, results.tcp(key, boot)))
    return ratios


def apart(old, new):
    return old.high < new.low or new.high < old.low


def verdict(better, old, new):
    """-1 slower, 1 faster, 0 neither."""
    change = new.median / old.median - 1
    if not apart(old, new) or abs(change) <= LEAST:
        return 0
    return 1 if (change > 0) == (better == 'higher') else -1


class Comparison:
    def __init__(self, old, new):
        self.lines = {-1: [], 1: []}
        self.compared = 0
        self.lost = []
        # Of the kernel's own stacks, which did not change: how much is mere chance.
        self.chance = {-1: 0, 0: 0, 1: 0}
        before, after = against_tcp(old), against_tcp(new)
        for key, (better, ratio) in before.items():
            self.look_at(key, better, ratio, after.get(key, (better, Spread([])))[1])

    def look_at(self, key, better, old, new):
        *row, _, stack, crc = key
        name = name_of(row) + (', CRC on' if crc else '')
        if not old:
            return
        if not new:
            if stack == 'krdma':
                self.lost.append(name)
            return
        found = verdict(better, old, new)
        if stack != 'krdma':
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
    """The exit status: 1 if something is slower."""
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
    print(f'krdma: of {found.compared} rows {len(found.lines[-1])} slower, {len(found.lines[1])} faster; what differs by '
          f'no more than {LEAST:.0%}, or whose rounds overlap, counts as equal')
    print(f'in-tree siw and rxe, by the same measure: of {sum(found.chance.values())} rows {found.chance[-1]} slower, '
          f'{found.chance[1]} faster. Where these did not change, so much is chance.')
    return 1 if found.lines[-1] or found.lost else 0
