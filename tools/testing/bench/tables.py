# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Tables of the benchmark's results, for terminals and for the documentation."""
from figures import Results, Spread, missing_reason

# The stacks that krdma is compared with: title, boot, stack. The figures of TCP are those of
# krdma's own boot.
BASELINES = (('/ TCP', 'A', 'tcp'), ('/ TCP that copies', 'A', 'tcp_copy'), ('/ in-tree siw', 'B', 'siw'),
             ('/ rxe', 'B', 'rxe'))
# The forms of krdma: title in the column CRC, stack, CRC.
FORMS = (('off', 'krdma', False), ('on', 'krdma', True), ('off, large FPDUs', 'krdma_large', False),
         ('on, large FPDUs', 'krdma_large', True), ('off, crowd', 'krdma_crowd', False))
# All stacks that are measured: title, boot, stack, CRC.
STACKS = (('krdma', 'A', 'krdma', False), ('krdma, CRC', 'A', 'krdma', True),
          ('large FPDUs', 'A', 'krdma_large', False), ('large FPDUs, CRC', 'A', 'krdma_large', True),
          ('crowd', 'A', 'krdma_crowd', False), ('in-tree siw', 'B', 'siw', False),
          ('rxe', 'B', 'rxe', True), ('TCP', 'A', 'tcp', False), ('TCP (B)', 'B', 'tcp', False),
          ('TCP that copies', 'A', 'tcp_copy', False),
          ('TCP, processes', 'A', 'tcp-user', False))


def size_name(size):
    if size >= 1 << 20:
        return f'{size >> 20} MiB'
    return f'{size >> 10} KiB' if size >= 1024 else f'{size} B'


def name_of(key):
    metric, op, size, conns = key
    if metric == 'connects':
        return f'connects, {conns} at a time'
    words = f'{metric} {op} {size_name(size)}' if metric != 'throughput' else f'{op} {size_name(size)}'
    return words + (f', {conns} connections' if conns > 1 else '')


def number(value):
    """Returns the number with three significant digits."""
    if value >= 100:
        return f'{value:.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def cell(spread, text=number):
    if not spread:
        return '-'
    if len(spread.values) == 1:
        return text(spread.median)
    return f'{text(spread.median)} ({text(spread.low)}\u2013{text(spread.high)})'


def ratio_text(value):
    return f'{value:.2f}'


class Reasons:
    """The reasons why cells are empty, each with the rows that it applies to."""

    def __init__(self):
        self.rows = {}

    def add(self, stack, row, name):
        self.rows.setdefault(f'{stack}: {missing_reason(row)}', []).append(name)

    def lines(self):
        for reason, names in self.rows.items():
            names = list(dict.fromkeys(names))
            shown = ', '.join(names[:6]) + (f' and {len(names) - 6} more' if len(names) > 6 else '')
            yield f'- {reason} ({shown})'


def baseline(results, key, boot, stack):
    if stack == 'tcp':
        return results.tcp(key, boot)
    # The row of rxe is one with CRC, because rxe's CRC cannot be switched off.
    return results.row(key, boot, stack, stack == 'rxe')


def ratio_lines(results, reasons):
    yield ['row', 'CRC', 'unit', 'better', 'krdma', *(title for title, _, _ in BASELINES)]
    for key in results.keys:
        for form, stack, crc in FORMS:
            ours = results.row(key, 'A', stack, crc)
            # Without a row of krdma there is no ratio. A row without figures is shown, with its reason.
            if not ours:
                continue
            name = name_of(key)
            line = [name, form, ours['unit'], ours['better'], cell(Spread(ours['values']))]
            if not Spread(ours['values']):
                reasons.add('krdma', ours, name)
            for title, boot, other_stack in BASELINES:
                other = baseline(results, key, boot, other_stack)
                line.append(cell(results.ratio(ours, other), ratio_text))
                if not other or not Spread(other['values']):
                    reasons.add(title[2:], other, name)
            yield line


def figure_lines(results):
    yield ['row', 'unit', 'better', *(title for title, _, _, _ in STACKS)]
    for key in results.keys:
        rows = [results.row(key, *stack) for _, *stack in STACKS]
        known = next((row for row in rows if row), None)
        if known:
            yield [name_of(key), known['unit'], known['better'],
                   *(cell(Spread(row['values'] if row else [])) for row in rows)]


# --- the two forms: plain text and reStructuredText ---

def widths_of(lines):
    return [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]


def plain(lines):
    widths = widths_of(lines)
    for line in lines:
        yield '  '.join(text.ljust(width) for text, width in zip(line, widths)).rstrip()


def rst(lines):
    widths = widths_of(lines)
    rule = '  '.join('=' * width for width in widths)
    body = list(plain(lines))
    yield from (rule, body[0], rule, *body[1:], rule)


def commit_of(about):
    return about.get('commit', '?')[:12] + (' with changes' if about.get('changed') else '')


def about_lines(about):
    rounds = min((sum(boot['boot'] == side and boot['status'] == 0 for boot in about['boots']) for side in 'AB'),
                 default=0)
    yield f'Linux {about.get("kernel", "?")} (user mode, one CPU) on {about.get("cpu", "?")}'
    yield (f'{about.get("date", "?")}, krdma {commit_of(about)}, CRC32C by {about.get("crc32c", "?")}, '
           f'{rounds} whole rounds of {about["rounds"]}')


def legend():
    yield ('Figures are medians of all rounds, with the least and the greatest. TCP is the kernel\'s own, in the same '
           'boot, moving bytes one way.')
    yield ('A ratio above 1 is good for krdma if higher is better, a ratio below 1 if lower is better. The column CRC '
           'applies to krdma;')
    yield ('in-tree siw has no CRC, rxe always has one. With large FPDUs, FPDUs may be longer than a segment of TCP '
           '(siw.rst). A')
    yield 'crowd are 10,000 QPs and 100,000 MRs that each device has besides.'


def ends_of_boots(about):
    for boot in about['boots']:
        if boot['status']:
            yield f'- boot {boot["round"]}{boot["boot"]} did not end well: {boot.get("why") or boot["status"]}'
        elif boot.get('why'):
            yield f'- boot {boot["round"]}{boot["boot"]}, with all rows: {boot["why"]}'


def print_ratios(result, form=plain):
    results, reasons = Results(result), Reasons()
    lines = list(ratio_lines(results, reasons))
    for line in about_lines(result):
        print(line)
    print()
    for line in form(lines) if len(lines) > 1 else ['nothing was measured']:
        print(line)
    print()
    for line in (*legend(), *reasons.lines(), *ends_of_boots(result)):
        print(line)


def print_figures(result, form=plain):
    lines = list(figure_lines(Results(result)))
    for line in form(lines) if len(lines) > 1 else ['nothing was measured']:
        print(line)


def print_rst(result, path):
    """Prints text for performance.rst: how it was measured, the ratios, and all figures."""
    results, reasons = Results(result), Reasons()
    print('::\n\n    make bench' + (f'    # {path}' if path else '') + '\n')
    print('\n'.join(f'| {line}' for line in about_lines(result)), end='\n\n')
    for lines in (list(ratio_lines(results, reasons)), list(figure_lines(results))):
        if len(lines) > 1:
            print('\n'.join(rst(lines)), end='\n\n')
    print('\n'.join(legend()), end='\n\n')
    for line in (*reasons.lines(), *ends_of_boots(result)):
        print(line)
