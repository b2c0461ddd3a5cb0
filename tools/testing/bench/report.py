#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Shows what `run` measured, as tables and pictures.

usage: report.py collect DIR        writes DIR/bench.json from the results of the boots so far
       report.py table JSON         krdma, and its ratios to TCP and to the kernel's own RDMA stacks
       report.py figures JSON       the figures of all stacks
       report.py draw JSON DIR      draws DIR/bench.svg and DIR/bench.png
       report.py compare OLD NEW    which rows became slower or faster; status 1 if one is slower
       report.py rst JSON           all tables, for the documentation
       report.py page PAGE.rst      writes the page's short tables and PAGE.svg anew, from its tables of all figures
"""
# The interpreter is given by its path, because Debian's matplotlib is installed for Debian's Python.
import os
import sys

sys.dont_write_bytecode = True

import changes
import figures
import page as documentation
import pictures
import tables


def collect(folder):
    figures.save(figures.collect(folder), os.path.join(folder, 'bench.json'))


def table(path):
    tables.print_ratios(figures.load(path))


def all_figures(path):
    tables.print_figures(figures.load(path))


def draw(path, folder):
    pictures.draw(figures.load(path), folder)


def compare(old, new):
    return changes.print_comparison(figures.load(old), figures.load(new))


def rst(path):
    tables.print_rst(figures.load(path), path)


def page(path):
    documentation.write(path)


COMMANDS = {'collect': (collect, 1), 'table': (table, 1), 'figures': (all_figures, 1), 'draw': (draw, 2),
            'compare': (compare, 2), 'rst': (rst, 1), 'page': (page, 1)}


def main(arguments):
    command, number = COMMANDS.get(arguments[0] if arguments else '', (None, 0))
    if not command or len(arguments) != 1 + number:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return command(*arguments[1:]) or 0
    except figures.Unusable as error:
        print(f'report: {error}', file=sys.stderr)
    except OSError as error:
        print(f'report: {error}', file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
