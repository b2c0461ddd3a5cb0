# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Makes the short tables and the picture of performance.rst from the page's tables of all figures."""
import math
import os
import re

from figures import Unusable
from tables import rst, size_name

BEGIN = '.. The short tables are written by tools/testing/bench/report.py page.\n'
END = '.. The end of the short tables.\n'
# The columns of the table of all figures that are shown: colour and dashes in the picture. The colours are those of
# Okabe and Ito, which colour-blind readers can distinguish.
COLUMNS = {'krdma': ('#0072B2', ''), 'krdma, CRC': ('#56B4E9', '6 3'), 'large FPDUs': ('#CC79A7', ''),
           'large FPDUs, CRC': ('#E69F00', '6 3'), 'in-tree siw': ('#D55E00', ''), 'rxe': ('#009E73', ''),
           'TCP that copies': ('#808080', ''), 'TCP': ('#000000', '')}
ROWS = ('send 64 B', 'send 4 KiB', 'send 64 KiB', 'write 64 KiB', 'read 64 KiB', 'MTU 65535 write 64 KiB',
        'write 64 KiB, 16 connections', 'messages send 64 B', 'latency p50 ping 64 B', 'connects, 32 at a time')
OPS = ('send', 'write', 'read')
# Rows and columns of the table of shares of TCP that copies: %s is one of OPS; the forms are those of the table of ratios.
SHARES = ('%s 4 KiB', '%s 64 KiB', '%s 1 MiB', 'MTU 65535 %s 64 KiB', 'MTU 65535 %s 1 MiB')
FORMS = {'krdma': 'off', 'krdma, CRC': 'on', 'large FPDUs': 'off, large FPDUs', 'large FPDUs, CRC': 'on, large FPDUs'}
SIZES = [1 << bits for bits in (6, 10, 12, 14, 16, 18, 20)]

# The picture, in its own units: each panel and its margins.
WIDTH, HEIGHT, LEFT, TOP, GAP = 270, 220, 45, 30, 25
LEGEND = 60


def rows_of(text, titles):
    """Returns the rows of the page's table with these first titles, each as its cells by column."""
    found = re.search(rf'^(=[= ]+)\n({titles} .*)\n\1\n((?:.*\n)*?)\1\n', text, re.M)
    if not found:
        raise Unusable('the page has no table of all figures')
    starts = [match.span() for match in re.finditer('=+', found.group(1))]

    def cells(line):
        return [line[start:end].strip() for start, end in starts]
    return [dict(zip(cells(found.group(2)), cells(line))) for line in found.group(3).splitlines()]


def median(cell):
    number = re.match(r'[\d.]+', cell)
    return number.group() if number else '-'


def short_table(rows):
    yield ['median', 'unit', 'better', *COLUMNS]
    for name in ROWS:
        yield [name, rows[name]['unit'], rows[name]['better'], *(median(rows[name][column]) for column in COLUMNS)]


def share_table(ratios):
    """Yields the table of shares of TCP that copies: the least and the greatest median of sends, writes and reads."""
    yield ['share of TCP that copies', *FORMS]
    medians = {(row['row'], row['CRC']): median(row['/ TCP that copies']) for row in ratios}
    for name in SHARES:
        line = [(name % '').replace('  ', ', ').strip()]
        for form in FORMS.values():
            shares = [medians.get((name % op, form), '-') for op in OPS]
            line.append('-' if '-' in shares else '\u2013'.join(sorted({min(shares), max(shares)})))
        yield line


def text_at(x, y, text, anchor='middle', size=11):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{text}</text>'


def panel(rows, op, left, top_value):
    """Yields one panel: GB/s by the size of the messages."""
    def x_of(size):
        return left + WIDTH * (math.log2(size) - 6) / 14

    def y_of(value):
        return TOP + HEIGHT * (1 - value / top_value)
    yield text_at(left + WIDTH / 2, TOP - 10, f'{op}, 1 connection', size=13)
    for value in range(0, top_value + 1, 5):
        yield (f'<line x1="{left}" y1="{y_of(value):.1f}" x2="{left + WIDTH}" y2="{y_of(value):.1f}" '
               'stroke="#cccccc"/>')
        yield text_at(left - 6, y_of(value) + 4, value, 'end')
    for size in SIZES:
        yield text_at(x_of(size), TOP + HEIGHT + 16, size_name(size), size=9)
    for column, (colour, dashes) in COLUMNS.items():
        points = [(x_of(size), y_of(float(number) / 1000)) for size in SIZES
                  for number in [median(rows[f'{op} {size_name(size)}'][column])] if number != '-']
        line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
        yield (f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"'
               + (f' stroke-dasharray="{dashes}"' if dashes else '') + '/>')
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points)


def legend(width, top):
    for i, (column, (colour, dashes)) in enumerate(COLUMNS.items()):
        x, y = LEFT + i % 4 * (width - LEFT) / 4, top + i // 4 * 20
        yield (f'<line x1="{x:g}" y1="{y}" x2="{x + 30:g}" y2="{y}" stroke="{colour}" stroke-width="2.5"'
               + (f' stroke-dasharray="{dashes}"' if dashes else '') + '/>')
        yield text_at(x + 36, y + 4, column, 'start')


def picture(rows):
    top_value = 25
    width, height = LEFT + len(OPS) * (WIDTH + GAP + 20), TOP + HEIGHT + LEGEND + 25
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" font-family="sans-serif">')
    yield '<!-- SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause -->'
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    yield text_at(6, TOP - 10, 'GB/s', 'start')
    for i, op in enumerate(OPS):
        yield from panel(rows, op, LEFT + i * (WIDTH + GAP + 20), top_value)
    yield from legend(width, TOP + HEIGHT + 45)
    yield '</svg>'


def write(path):
    """Writes the short tables into the page, and the picture beside it: NAME.svg for NAME.rst."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    rows = {row['row']: row for row in rows_of(text, r'row  +unit')}
    ratios = rows_of(text, r'row  +CRC')
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise Unusable('the page has no place for the short tables')
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    try:
        tables = ['\n'.join(rst(list(table))) for table in (short_table(rows), share_table(ratios))]
        lines = list(picture(rows))
    except KeyError as error:
        raise Unusable(f'the table of all figures lacks {error}') from error
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{before}{BEGIN}\n{tables[0]}\n\n{tables[1]}\n\n{END}{after}')
    with open(os.path.splitext(path)[0] + '.svg', 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
