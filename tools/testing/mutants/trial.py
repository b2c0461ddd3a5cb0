# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs the tests: first each without a fault, to see what it reaches; then the faults, each with the tests that reach it."""

import collections
import concurrent.futures
import os

import plant
import programs
from machines import SLOWER, SPARE, Item
from store import keep_log, read_bytes, read_json, say, write_json

# How many faults a machine tries, and how many tests it runs, before another one takes its place.
FAULTS_IN_A_MACHINE = 12
TESTS_IN_A_MACHINE = 6

# How many tests a machine gets for a fault that was compiled for itself.
TESTS_FOR_ONE_ALONE = 8

# How much sooner than another one a test comes that has its name from the fault's file, such as siw/qp_states for siw/qp.c.
NAMESAKE = 16


def is_namesake(test, path):
    """Returns whether the name of a test begins like that of a file in a folder of the test's: core/netlink for core/netlink.c,
    sib/traps for drivers/sib/trap_state.c."""
    folder, _, name = test.partition('/')
    *folders, file = path.split('/')
    return folder in folders and name.startswith(file.partition('.')[0].partition('_')[0])


def records_of(results):
    """Returns how many faults of a folder each test has noticed: {(test, folder): number}. Names begin with the file's path."""
    return collections.Counter((result['seen'], os.path.dirname(name.partition(':')[0]))
                               for name, result in results.items() if result.get('seen'))


class Reach:
    """What each test reaches. tests: from their names to digests, see tests.Tests. records: see records_of()."""

    def __init__(self, planted, tests, machines):
        self.planted, self.tests, self.machines = planted, tests, machines
        self.path = f'{planted.state}/reached.json'
        self.kept = read_json(self.path)
        # {test: {'for': digests, 'ms': ..., 'ok': ..., 'faults': [...]}}
        self.of = {}
        self.records = collections.Counter()

    def run(self, chosen, limit_of):
        """Runs the tests of which it is not known what they reach, for these faults. limit_of: gives the seconds of a test."""
        of_tests = any(plant.is_of_tests(self.planted.found[number]) for number in chosen)
        self.of = {test: self.kept[test] for test, depends in self.tests.items()
                   if self.kept.get(test, {}).get('for') == [self.planted.code, depends]
                   and (not of_tests or self.kept[test]['tests'] == self.planted.code_of_tests)}
        left = [test for test in self.tests if test not in self.of]
        for test in left:
            if test in programs.TESTS:
                self.done(test, *programs.reach(self.planted.tree, test))
        # The longest tests first.
        items = sorted((Item(test, f'{test} {limit_of(test)}', limit_of(test), limit_of(test)) for test in left
                        if test not in programs.TESTS), key=lambda item: -item.limit)
        self.machines.run('reach', items, TESTS_IN_A_MACHINE, self.done_in_machine)
        for entry in self.of.values():
            entry['set'] = set(entry['faults'])

    def done(self, test, status, milliseconds, data, of_programs=b''):
        """Keeps what a test has reached: a byte for each fault."""
        numbers = [number for number, byte in enumerate(data) if byte and number]
        numbers += [number for number, byte in enumerate(of_programs)
                    if byte and number and self.planted.is_in_program(number)]
        self.of[test] = self.kept[test] = {
            'for': [self.planted.code, self.tests[test]], 'tests': self.planted.code_of_tests, 'ms': milliseconds,
            'ok': status == 0, 'faults': numbers}
        write_json(self.path, self.kept)
        state = '' if status == 0 else ', AND FAILS without a fault: it is not used'
        say(f'{test} reaches {len(numbers)} faults in {milliseconds / 1000:.0f} s{state}; '
            f'{len(self.tests) - len(self.of)} tests left')

    def done_in_machine(self, test, words, folder):
        if words[0] is None:
            self.done(test, None, 0, b'')
            return
        path = f'{folder}/reached/{test.replace("/", ".")}'
        self.done(test, int(words[0]), int(words[1]), read_bytes(path), read_bytes(f'{path}.programs'))
        keep_log(folder, test, f'{self.planted.state}/logs')

    def tests_for(self, number):
        """Returns the tests that reach a fault, those first that are likely to notice it soon: short ones, those that reach few
        faults, those that have noticed many in the folder, and those that have their name from the fault's file."""
        path = self.planted.found[number].path
        folder = os.path.dirname(path)
        tests = [(test, entry) for test, entry in self.of.items() if entry['ok'] and number in entry['set']]
        tests.sort(key=lambda pair: (pair[1]['ms'] + 500) * max(len(pair[1]['set']), 1) ** .5
                   / (1 + self.records[pair[0], folder]) ** .5 / (NAMESAKE if is_namesake(pair[0], path) else 1))
        return [test for test, _ in tests]

    def near(self, number):
        """Returns the tests in machines that reach other faults of the file, those first that reach many in a short time."""
        path = self.planted.found[number].path
        others = {other for other, fault in self.planted.found.items() if fault.path == path}
        tests = [(test, entry) for test, entry in self.of.items()
                 if entry['ok'] and test not in programs.TESTS and others & entry['set']]
        tests.sort(key=lambda pair: (pair[1]['ms'] + 500) / (1 + len(others & pair[1]['set'])))
        return [test for test, _ in tests]

    def item(self, number, tests):
        """Returns what a machine gets to try a fault with these tests, or no fault if the number is 0."""
        limits = [SLOWER * self.of[test]['ms'] // 1000 + SPARE for test in tests]
        words = [str(number), 'program' if number and self.planted.is_in_program(number) else 'module',
                 *(f'{limit}:{test}' for limit, test in zip(limits, tests))]
        return Item(words[0], ' '.join(words), sum(limits), max(limits))


class Trial:
    """The results of faults that were tried: {name: {'code': ..., 'seen': test or None, 'ms': ..., 'why': ..., 'reached': how many
    tests, 'tried': [[test, digest], ...] if none noticed it}}.

    budget: how many seconds the tests that try a fault take together without one, or 0 for no limit.
    explained: names of faults that are not tried, because no test can notice them.
    """

    def __init__(self, planted, reach, machines, budget, explained):
        self.planted, self.reach, self.machines, self.budget, self.explained = planted, reach, machines, budget, explained
        self.path = f'{planted.state}/results.json'
        self.results = read_json(self.path)
        self.todo = {}
        reach.records = records_of(self.results)

    def run(self, numbers):
        """Tries the faults of which it is not known that a test notices them, with the tests that have not tried them yet."""
        numbers = [number for number in numbers if self.planted.names[number] not in self.explained]
        alone = [number for number in numbers if self.planted.found[number].other is not None]
        self.todo = self.to_try([number for number in numbers if self.planted.found[number].other is None])
        todo = dict(self.todo)
        items = []
        with concurrent.futures.ThreadPoolExecutor(self.machines.jobs) as pool:
            noticed = pool.map(self.try_programs, todo.keys(), todo.values())
            for (number, tests), result in zip(todo.items(), noticed):
                in_machines = [test for test in tests if test not in programs.TESTS]
                if result:
                    self.done(number, *result)
                elif in_machines:
                    items.append(self.reach.item(number, in_machines))
                else:
                    self.done(number, None)
        self.machines.run('try', items, FAULTS_IN_A_MACHINE, self.done_in_machine)
        self.confirm_hangs(numbers)
        for number in alone:
            self.try_alone(number)
        if alone:
            self.planted.plant()
        write_json(self.path, self.results)

    def to_try(self, numbers):
        """Returns a dictionary from the numbers of the faults that are to be tried to tests."""
        todo = {}
        for number in numbers:
            tests = self.reach.tests_for(number)
            known = self.known(number)
            if known.get('seen'):
                continue
            again = [test for test in self.affordable(tests) if self.attempt_of(test) not in known.get('tried', [])]
            if again:
                todo[number] = again
            else:
                self.results[self.planted.names[number]] = {
                    **known, 'code': self.planted.code_of(number), 'seen': None, 'reached': len(tests)}
        return todo

    def affordable(self, tests):
        """Returns those of the tests that the budget allows, in their order; a long one only if the shorter ones leave time for it,
        or if it is the only one."""
        found, spent = [], 0
        for test in tests:
            took = self.reach.of[test]['ms']
            if not self.budget or not found or spent + took <= 1000 * self.budget:
                found.append(test)
                spent += took
        return found

    def known(self, number):
        """Returns the result for a fault, {} if there is none for this code. Tests that have changed have not tried the fault."""
        known = self.results.get(self.planted.names[number], {})
        if known.get('code') != self.planted.code_of(number):
            return {}
        return {**known, 'tried': [attempt for attempt in known.get('tried', [])
                                   if attempt[0] in self.reach.of and attempt == self.attempt_of(attempt[0])]}

    def attempt_of(self, test):
        return [test, self.reach.of[test]['for'][1]]

    def done(self, number, seen, milliseconds=0, why=''):
        tried = self.known(number).get('tried', []) + [self.attempt_of(test) for test in self.todo.pop(number)]
        reached = len(self.reach.tests_for(number))
        self.keep(number, {'seen': seen, 'ms': milliseconds, 'why': why, 'reached': reached, 'tried': [] if seen else tried})
        text = f'{why} in {seen} after {milliseconds / 1000:.0f} s' if seen else f'UNSEEN by {len(tried)} of {reached} tests'
        say(f'{self.planted.title(number)}: {text}; {len(self.todo)} left')

    def keep(self, number, result):
        self.results[self.planted.names[number]] = {'code': self.planted.code_of(number), **result}
        write_json(self.path, self.results)

    def try_programs(self, number, tests):
        """Tries a fault with those of the tests that are unit tests and fuzzers; returns None, or which has noticed it, after how
        many milliseconds, and how."""
        for test in tests:
            if test in programs.TESTS:
                why, milliseconds = programs.attempt(self.planted.tree, test, number)
                if why:
                    return test, milliseconds, why
        return None

    def done_in_machine(self, key, words, folder):
        if words[0] is None:
            self.done(int(key), words[1] if len(words) > 2 else '?', 0, words[-1])
        elif words[0] == 'noticed':
            self.done(int(key), words[1], int(words[2]), words[3])
            keep_log(folder, key, f'{self.planted.state}/logs')
        else:
            self.done(int(key), None)

    def confirm_hangs(self, numbers):
        """Tries faults with which a test took too long once more with this test, without another machine beside: it may only have
        been slow. A fault that passes is tried with all tests the next time."""
        hangs = {number: self.known(number)['seen'] for number in numbers
                 if self.known(number).get('why') == 'hang' and not self.known(number).get('twice')}
        hangs = {number: test for number, test in hangs.items() if test in self.reach.of}

        def done(key, words, _):
            number = int(key)
            if words[0] is None or words[0] == 'noticed':
                self.keep(number, {**self.known(number), 'why': words[-1], 'twice': True})
            else:
                self.results.pop(self.planted.names[number])
                write_json(self.path, self.results)
            say(f'{self.planted.title(number)}: {words[-1]} the second time')

        self.machines.run('try', [self.reach.item(number, [test]) for number, test in hangs.items()], 1, done, jobs=1)

    def try_alone(self, number):
        """Tries a fault that has no switch: it is compiled, and meets the tests that reach others of its file, some in a machine,
        until one fails."""
        if self.known(number):
            return
        tests = self.reach.near(number)
        result = {'seen': None, 'ms': 0, 'why': '', 'reached': len(tests), 'tried': []}

        def done(_, words, __):
            if words[0] is None or words[0] == 'noticed':
                result.update(seen=words[1] if len(words) > 1 else '?', why=words[-1])

        self.planted.plant(alone=number)
        if self.planted.compile() is not None:
            result.update(seen='compiler', why='does not compile')
            tests = []
        for first in range(0, len(tests), TESTS_FOR_ONE_ALONE):
            if not result['seen']:
                self.machines.run('try', [self.reach.item(0, tests[first:first + TESTS_FOR_ONE_ALONE])], 1, done)
        self.keep(number, result)
        say(f'{self.planted.title(number)}: {result["seen"] or "UNSEEN"}')
