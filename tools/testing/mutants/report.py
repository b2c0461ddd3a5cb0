# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Says which faults were noticed, and which were not."""

import collections
import os

STATES = ('unreached', 'unseen', 'equivalent', 'noticed')


class Outcome:
    """The states of the faults that have a result. explained: names of faults that no test can notice."""

    def __init__(self, planted, numbers, results, explained):
        # (state, fault, title, result), what is bad first.
        self.rows = []
        for number in numbers:
            is_explained = planted.names[number] in explained
            result = results.get(planted.names[number], {'seen': None, 'reached': 0} if is_explained else None)
            if result is not None:
                state = state_of(result, is_explained)
                fault = planted.found[number]
                self.rows.append((state, fault, f'{planted.title(number)} in {fault.function}()', result))
        self.rows.sort(key=lambda row: STATES.index(row[0]))

    def unexplained(self):
        """Returns the rows of faults that went unseen without an explanation."""
        return [row for row in self.rows if row[0] in ('unreached', 'unseen')]

    def write(self, path):
        with open(path, 'w', encoding='utf-8') as file:
            for state, _, title, result in self.rows:
                how = f'{result["why"]} in {result["seen"]} after {result["ms"] / 1000:.1f} s' if result['seen'] \
                    else f'tried with {len(result.get("tried", []))} of {result["reached"]} tests'
                file.write(f'{state:10} {title}: {how}\n')

    def print_table(self):
        """Prints the faults that went unseen, and how many there are in each folder."""
        for state, _, title, _ in self.unexplained():
            print(f'{state:10} {title}')
        by_folder = collections.defaultdict(collections.Counter)
        for state, fault, *_ in self.rows:
            by_folder[os.path.dirname(fault.path)][state] += 1
        print(f'\n{"folder":16} {"faults":>7} {"noticed":>8} {"equivalent":>11} {"unseen":>7} {"unreached":>10}')
        for folder, counts in sorted(by_folder.items()):
            print(line_of(folder, counts))
        print(line_of('all', sum(by_folder.values(), collections.Counter())))

    def print_ktap(self):
        """Prints a result for each fault."""
        print('KTAP version 1')
        print(f'1..{max(len(self.rows), 1)}')
        for i, (state, _, title, _) in enumerate(self.rows, 1):
            result = 'not ok' if state in ('unseen', 'unreached') else 'ok'
            print(f'{result} {i} {title}' + {'noticed': '', 'equivalent': ' # SKIP equivalent'}.get(state, f': {state}'))
        if not self.rows:
            print('ok 1 mutants # SKIP no fault is in the lines')


def state_of(result, is_explained):
    if result['seen']:
        return 'noticed'
    if is_explained:
        return 'equivalent'
    return 'unseen' if result['reached'] else 'unreached'


def line_of(folder, counts):
    return (f'{folder:16} {sum(counts.values()):7} {counts["noticed"]:8} {counts["equivalent"]:11} {counts["unseen"]:7} '
            f'{counts["unreached"]:10}')

