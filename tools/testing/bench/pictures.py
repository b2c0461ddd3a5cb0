# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Draws the results of the benchmark: bench.svg and bench.png."""
import os
import statistics

from figures import Results, Spread, Unusable
from tables import commit_of, size_name

# The colours are those of Okabe and Ito, which colour-blind readers can distinguish; each line also
# has its own marker. A style has title, boot, stack, CRC, colour, line, marker.
STYLES = (
    ('krdma', 'A', 'krdma', False, '#0072B2', '-', 'o'),
    ('krdma, CRC', 'A', 'krdma', True, '#56B4E9', '--', 's'),
    ('krdma, large FPDUs', 'A', 'krdma_large', False, '#CC79A7', '-', 'P'),
    ('krdma, large FPDUs, CRC', 'A', 'krdma_large', True, '#E69F00', '--', 'X'),
    ('in-tree siw', 'B', 'siw', False, '#D55E00', '-', '^'),
    ('rxe', 'B', 'rxe', True, '#009E73', '-', 'v'),
    ('TCP in the kernel', 'A', 'tcp', False, '#000000', '-', 'D'),
    ('TCP of processes', 'A', 'tcp-user', False, '#808080', ':', 'x'),
)
OPS = ('send', 'write', 'read')


def points(results, op, conns, boot, stack, crc):
    """Returns the points (size, spread) of one line. TCP's rows of send stand for operations not measured over TCP."""
    found = []
    for metric, key_op, size, key_conns in results.keys:
        if metric != 'throughput' or key_conns != conns or key_op != op:
            continue
        key = (metric, op, size, conns)
        row = results.tcp(key, boot) if stack == 'tcp' else results.row(key, boot, stack, crc) or \
            stack == 'tcp-user' and results.row((metric, 'send', size, conns), boot, stack, crc)
        spread = Spread(row['values'] if row else [])
        if spread:
            found.append((size, spread))
    return sorted(found, key=lambda point: point[0])


def draw_throughput(axes, results, op, conns):
    for title, *stack, colour, line, marker in STYLES:
        found = points(results, op, conns, *stack)
        if not found:
            continue
        sizes = [size for size, _ in found]
        axes.plot(sizes, [spread.median / 1000 for _, spread in found], color=colour, linestyle=line,
                  marker=marker, markersize=4.5, linewidth=1.6, label=title)
        axes.fill_between(sizes, [spread.low / 1000 for _, spread in found],
                          [spread.high / 1000 for _, spread in found], color=colour, alpha=0.18, linewidth=0)
    axes.set_xscale('log', base=2)
    sizes = sorted({size for metric, _, size, _ in results.keys if metric == 'throughput'})
    axes.set_xticks(sizes, [size_name(size) for size in sizes], fontsize=8, rotation=30)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_title(f'{op}, {conns} connection{"s" if conns > 1 else ""}', fontsize=11)
    axes.grid(alpha=0.3)


def median_cdf(rounds):
    """Returns for each percentile the median of its values in the rounds."""
    rounds = [values for values in rounds if values]
    return [statistics.median(values) for values in zip(*rounds)] if rounds else []


def draw_cdf(axes, result):
    for title, boot, stack, crc, colour, line, _ in STYLES:
        for cdf in result['cdfs']:
            if (cdf['boot'], cdf['stack'], cdf['crc']) == (boot, stack, crc):
                values = median_cdf(cdf['values'])
                axes.plot(values, range(len(values)), color=colour, linestyle=line, linewidth=1.8, label=title)
    axes.set_xscale('log')
    axes.xaxis.set_major_formatter('{x:g}')
    axes.xaxis.set_minor_formatter(lambda x, _: f'{x:g}' if f'{x:.0e}'[0] in '25' else '')
    axes.tick_params(axis='x', which='minor', labelsize=8)
    axes.set_title('round trips of 64 bytes: share that took no longer than ...', fontsize=11)
    axes.set_xlabel('\u00b5s, both ways')
    axes.set_ylabel('%')
    axes.set_ylim(0, 101)
    axes.grid(alpha=0.3, which='both')


def draw_bars(axes, results, metric, title, scale):
    """Draws a group of bars for each number of connections, with whiskers from the least to the greatest."""
    keys = [key for key in results.keys if key[0] == metric]
    keys = sorted({key[1:] for key in keys}, key=str)
    shown = [style for style in STYLES if any(results.row((metric, *key), *style[1:4]) for key in keys)]
    width = 0.8 / max(len(shown), 1)
    for i, (name, *stack, colour, _, _) in enumerate(shown):
        for j, key in enumerate(keys):
            row = results.row((metric, *key), *stack)
            spread = Spread(row['values'] if row else [])
            if spread:
                axes.bar(j + (i - (len(shown) - 1) / 2) * width, spread.median / scale, width * 0.9, color=colour,
                         label=name, yerr=[[(spread.median - spread.low) / scale],
                                           [(spread.high - spread.median) / scale]],
                         error_kw={'elinewidth': 1, 'ecolor': '#555555', 'capsize': 2})
    axes.set_xticks(range(len(keys)), [bar_name(metric, key) for key in keys], fontsize=9)
    axes.set_title(title, fontsize=11)
    axes.set_axisbelow(True)
    axes.grid(alpha=0.3, axis='y')


def bar_name(metric, key):
    op, size, conns = key
    return f'{conns} at a time' if metric == 'connects' else f'{op} {size_name(size)}, {conns} conn.'


def figure_of(plt, result):
    results = Results(result)
    figure = plt.figure(figsize=(13.5, 13), layout='constrained')
    # The last row is for the legend.
    rows = figure.subfigures(4, 1, height_ratios=(1, 1, 1, 0.08))
    every = []
    for row, conns in zip(rows, (1, 16)):
        for axes, op in zip(row.subplots(1, len(OPS), sharey=True), OPS):
            draw_throughput(axes, results, op, conns)
            every.append(axes)
        every[-len(OPS)].set_ylabel('GB/s')
    latency, rate, connects = rows[2].subplots(1, 3, width_ratios=(1.6, 1, 1))
    draw_cdf(latency, result)
    draw_bars(rate, results, 'messages', 'messages in a second, millions', 1000)
    draw_bars(connects, results, 'connects', 'connects in a second, thousands', 1000)
    every += [latency, rate, connects]
    figure.suptitle(f'krdma {commit_of(result)} and the kernel\'s own: Linux {result.get("kernel", "?")} '
                    f'(user mode, one CPU), {result.get("cpu", "?")}, {result.get("date", "?")[:10]}\n'
                    'medians of all rounds; bands and whiskers: least to greatest', fontsize=12)
    handles = {}
    for axes in every:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    order = [style[0] for style in STYLES if style[0] in handles]
    if order:
        rows[3].legend([handles[label] for label in order], order, loc='center', ncol=min(len(order), 8), fontsize=10,
                       frameon=False)
    return figure


def draw(result, folder):
    try:
        import matplotlib
    except ImportError as error:
        raise Unusable('no pictures: matplotlib is not installed (apt-get install python3-matplotlib)') from error
    # The backend agg needs no display. With fonttype none, text in the SVG stays text.
    matplotlib.use('agg')
    matplotlib.rcParams['svg.fonttype'] = 'none'
    import matplotlib.pyplot as plt
    figure = figure_of(plt, result)
    for form in ('svg', 'png'):
        figure.savefig(os.path.join(folder, f'bench.{form}'), dpi=110)
    plt.close(figure)
