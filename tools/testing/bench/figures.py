# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Figures of the benchmark: collects them from the boots' lines, reads bench.json, computes ratios.

bench.json:
  schema, kernel, cpu, date, commit, crc32c (the driver), versions, rounds
  boots   for each boot: round, boot (A: krdma, B: the kernel's own stack), status, seconds
  rows    for each figure: metric, op, size, conns, boot, stack, crc, unit, better, and a value for each round,
          null if there is none; then reason says why
  cdfs    for each latency: op, size, boot, stack, crc, and for each round the percentiles 0 to 100
"""
import json
import os
import statistics

SCHEMA = 1

# For each kind of line, its figures: metric, unit, better (higher or lower), and a function that
# returns the value from kulp's result.
KINDS = {
    'throughput': [('throughput', 'MB/s', 'higher', lambda r: r['MBps'])],
    'long': [('MTU 65535', 'MB/s', 'higher', lambda r: r['MBps'])],
    'rate': [('messages', '1/ms', 'higher', lambda r: 1000 / r['usec_per_op'])],
    'latency': [('latency p50', 'us', 'lower', lambda r: r['p50_us']),
                ('latency p99', 'us', 'lower', lambda r: r['p99_us']),
                ('latency p99.9', 'us', 'lower', lambda r: r['p999_us'])],
    'connect': [('connects', '1/s', 'higher', lambda r: 1e6 / r['usec_per_op'])],
}

KEY = ('metric', 'op', 'size', 'conns')
STACK = ('boot', 'stack', 'crc')


class Unusable(Exception):
    """A file or result that cannot be used; the text is a message for the user."""


def key_of(row, fields=KEY):
    return tuple(row[field] for field in fields)


# --- from the boots ---

def lines_of(path):
    """Yields the objects of a file.

    Skips lines that are not JSON, because a guest that was killed may leave half a line.
    """
    try:
        with open(path, encoding='utf-8') as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue
    except FileNotFoundError:
        return


def figures_of(line):
    """Yields (metric, unit, better, value, reason) for each figure of a line."""
    for metric, unit, better, figure in KINDS[line['kind']]:
        value, reason = None, line.get('reason', '')
        if 'result' in line:
            try:
                value = round(float(figure(line['result'])), 3)
            except (KeyError, ZeroDivisionError) as error:
                reason = f'no {metric} in the result: {error!r}'
        yield metric, unit, better, value, reason


class Collection:
    """Collects rows and distributions by their keys, boot by boot."""

    def __init__(self, rounds):
        self.rounds = rounds
        self.rows = {}
        self.cdfs = {}

    def add_line(self, number, boot, line):
        common = {'op': line['op'], 'size': line['size'], 'conns': line['conns'], 'boot': boot,
                  'stack': line['stack'], 'crc': line['crc']}
        for metric, unit, better, value, reason in figures_of(line):
            fresh = {'metric': metric, **common, 'unit': unit, 'better': better,
                     'values': [None] * self.rounds}
            row = self.rows.setdefault(key_of(fresh, KEY + STACK), fresh)
            row['values'][number - 1] = value
            if value is None:
                row['reason'] = reason or 'no figure'
        if line.get('result', {}).get('cdf_us') and line['kind'] == 'latency':
            fresh = {**common, 'values': [None] * self.rounds}
            cdf = self.cdfs.setdefault(tuple(common.values()), fresh)
            cdf['values'][number - 1] = line['result']['cdf_us']


def read_boot(folder):
    """Returns what `run` recorded of a boot: round, boot, status, seconds."""
    with open(os.path.join(folder, 'boot.json'), encoding='utf-8') as file:
        return json.load(file)


def collect(folder):
    """Returns all boots so far as one object, for bench.json."""
    with open(os.path.join(folder, 'run.json'), encoding='utf-8') as file:
        result = {'schema': SCHEMA, **json.load(file)}
    boots = os.path.join(folder, 'boots')
    collection = Collection(result['rounds'])
    result['boots'] = []
    for name in sorted(os.listdir(boots), key=lambda name: (int(name.split('-')[0]), name)):
        path = os.path.join(boots, name)
        if not os.path.exists(os.path.join(path, 'boot.json')):
            continue
        boot = read_boot(path)
        result['boots'].append(boot)
        for line in lines_of(os.path.join(path, 'rows.jsonl')):
            if 'kind' in line:
                collection.add_line(boot['round'], boot['boot'], line)
            else:
                result.update(line)
    result['rows'] = list(collection.rows.values())
    result['cdfs'] = list(collection.cdfs.values())
    return result


def save(result, path):
    """Replaces the file atomically, so that a concurrent reader sees the old or the new one."""
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump(result, file, separators=(',', ':'))
    os.replace(path + '.new', path)


# --- as one object ---

def load(path):
    try:
        with open(path, encoding='utf-8') as file:
            result = json.load(file)
    except OSError as error:
        raise Unusable(f'{path}: {error.strerror}') from error
    except ValueError as error:
        raise Unusable(f'{path}: not JSON: {error}') from error
    schema = result.get('schema') if isinstance(result, dict) else None
    if schema != SCHEMA:
        raise Unusable(f'{path}: schema {schema}, this program reads {SCHEMA}')
    return result


class Spread:
    """The median and the range of the values that one figure has in the rounds."""

    def __init__(self, values):
        self.values = [value for value in values if value is not None]
        self.median = statistics.median(self.values) if self.values else None
        self.low = min(self.values, default=None)
        self.high = max(self.values, default=None)

    def __bool__(self):
        return bool(self.values)


class Results:
    """The rows of a bench.json by key, and the ratios between them."""

    def __init__(self, result):
        self.about = result
        self.rows = {key_of(row, KEY + STACK): row for row in result['rows']}
        # The keys are in the order in which the rows were measured.
        self.keys = list(dict.fromkeys(key_of(row) for row in result['rows']))

    def row(self, key, boot, stack, crc):
        return self.rows.get((*key, boot, stack, crc))

    def tcp(self, key, boot):
        """Returns TCP's row to compare a row with: that of the same operation if there is one, else that of send."""
        metric, _, size, conns = key
        return self.row(key, boot, 'tcp', False) or self.row((metric, 'send', size, conns), boot, 'tcp', False)

    @staticmethod
    def ratio(row, other):
        """Returns the ratios of two rows, for the rounds in which both were measured."""
        if not row or not other:
            return Spread([])
        return Spread([a / b for a, b in zip(row['values'], other['values']) if a is not None and b])


def missing_reason(row):
    return row.get('reason', 'no figure') if row else 'not measured'
