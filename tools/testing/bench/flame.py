# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Draws a flame graph.

Each function has a box, as wide as its share of samples, above the box of its caller.
"""
from xml.sax.saxutils import escape

WIDTH, ROW, LETTER = 1400, 17, 6.6
# Boxes narrower than this, in pixels, are left out.
LEAST = 0.3
# Colours by module: the providers, the other RDMA modules, the test ULP, the kernel. OTHER is the
# colour of the host's libraries.
COLOURS = (
    (('siw', 'sib', 'rdma_rxe'), '#56B4E9'),
    (('ib_core', 'ib_mad', 'ib_umad', 'iw_cm', 'rdma_cm', 'ib_uverbs', 'iw_portmap'), '#8FD0F5'),
    (('kulp',), '#BBBBBB'),
    (('linux',), '#F0E442'),
)
OTHER, ROOT = '#E69F00', '#DDDDDD'


class Node:
    def __init__(self, name, module):
        self.name, self.module = name, module
        self.count = 0
        self.calls = {}

    def add(self, chain):
        """Counts a chain, which has the outermost function first."""
        node = self
        node.count += 1
        for function in chain:
            node = node.calls.setdefault(function, Node(*function))
            node.count += 1

    def depth(self):
        return 1 + max((node.depth() for node in self.calls.values()), default=0)


def colour_of(node):
    if node.name == 'all':
        return ROOT
    return next((colour for modules, colour in COLOURS if node.module in modules), OTHER)


def boxes(node, total, height, x=0.0, level=0):
    width = WIDTH * node.count / total
    if width < LEAST:
        return
    y = height - (level + 1) * ROW
    share = f'{100 * node.count / total:.1f} %'
    words = f'{node.name} ({node.module}), {node.count} samples, {share}'
    room = int((width - 4) / LETTER)
    shown = node.name if len(node.name) <= room else node.name[:room - 1] + '\u2026' if room > 3 else ''
    yield (f'<g><title>{escape(words)}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" '
           f'fill="{colour_of(node)}"/>' +
           (f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(shown)}</text>' if shown else '') + '</g>')
    for child in sorted(node.calls.values(), key=lambda child: child.name):
        yield from boxes(child, total, height, x, level + 1)
        x += WIDTH * child.count / total


def legend(y):
    x = 4
    for name, colour in (('siw, rxe', COLOURS[0][1]), ('other RDMA modules', COLOURS[1][1]),
                         ('kulp', COLOURS[2][1]), ('kernel', COLOURS[3][1]), ('host, other modules', OTHER)):
        yield f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 16}" y="{y}">{name}</text>'
        x += 40 + LETTER * len(name)


def svg(chains, title):
    """Yields the lines of an SVG. Each of the chains has the innermost function first."""
    root = Node('all', 'all')
    for chain in chains:
        root.add(reversed(chain))
    top = 44
    height = top + root.depth() * ROW + 4
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">')
    yield '<style>rect { stroke: #fff; stroke-width: 0.3 } g:hover rect { stroke: #000; stroke-width: 1 }</style>'
    yield f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    yield f'<text x="4" y="16" font-size="14">{escape(title)}</text>'
    yield from legend(36)
    yield from boxes(root, root.count, height - 2)
    yield '</svg>'
