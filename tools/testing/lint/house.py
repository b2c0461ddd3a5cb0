# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Reads the C code: folders, modules, functions, which file uses the functions of which, circles and floors."""

import collections
import glob
import os
import re

Function = collections.namedtuple('Function', 'file name is_static length')


def read(top, path):
    with open(os.path.join(top, path), encoding='utf-8') as file:
        return file.read()


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def code_of(text):
    """Returns the text with comments, strings and names of headers blanked, so that line numbers stay the same."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|#\s*include <[^\n]*>', blank, text,
                  flags=re.S)


def sources_in(top, folder):
    """Returns a dictionary from each .c and .h file in the folder, and in those below, to its code."""
    codes = {}
    for path, _, names in sorted(os.walk(os.path.join(top, folder))):
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                file = os.path.relpath(os.path.join(path, name), top)
                codes[file] = code_of(read(top, file))
    return codes


def kbuild_of(top, path):
    """Returns the text of a Kbuild file, with the ones that it includes, and prefixes, in their places."""
    text = read(top, path).replace('\\\n', ' ')
    text = re.sub(r'\$\(addprefix ([^,]*),([^)]*)\)',
                  lambda match: ' '.join(match.group(1) + name for name in match.group(2).split()), text)
    return re.sub(r'^-?include \$\(src\)/(.*)$', lambda match: kbuild_of(top, match.group(1)), text, flags=re.M)


def folders_of(top):
    """Returns the folders of the modules that are installed: those that the Kbuild file at the top includes."""
    found = re.findall(r'^include \$\(src\)/(.*)/Kbuild$', read(top, 'Kbuild'), flags=re.M)
    return [folder for folder in found if folder != 'compat']


def modules_of(top, folders):
    """Returns a dictionary from module to its files. The files of a list NAME-objs are in the modules that name it."""
    lines, lists = [], {}
    for folder in folders:
        lines += re.findall(r'^([\w-]+)-(y|objs|\$\(\w+\))\s*[:+]?=(.*)$', kbuild_of(top, f'{folder}/Kbuild'), flags=re.M)
    for name, kind, objects in lines:
        if kind == 'objs':
            lists[f'$({name}-objs)'] = objects
    modules = collections.defaultdict(list)
    for name, kind, objects in lines:
        for variable, its_objects in lists.items():
            objects = objects.replace(variable, its_objects)
        if kind != 'objs':
            modules[name] += [file + '.c' for file in re.findall(r'(\S+)\.o\b', objects)]
    return modules


def programs_of(top, folder):
    """Returns a dictionary from each program that the folder's Makefile builds to its files. A Makefile without a list
    of programs builds one of all files."""
    if not os.path.exists(os.path.join(top, folder, 'Makefile')):
        return {}
    variables = dict(re.findall(r'^([\w-]+)\s*:=\s*(.*)$', read(top, f'{folder}/Makefile').replace('\\\n', ' '), flags=re.M))
    programs = {}
    for name in variables.get('programs', '').split():
        programs[name] = variables.get(f'{name}-sources', f'{name}.c')
    return {name: sources_of(top, folder, patterns)
            for name, patterns in (programs or {os.path.basename(folder): '*.c'}).items()}


def sources_of(top, folder, patterns):
    """Returns the files that match the patterns, which a Makefile has in the folder, with or without $(wildcard)."""
    found = [path for pattern in re.sub(r'\$\(wildcard ([^)]*)\)', r'\1', patterns).split()
             for path in glob.glob(os.path.join(top, folder, pattern))]
    return sorted(os.path.relpath(path, top) for path in found)


def first_line(lines, brace):
    """Returns the first line of the function whose opening brace is alone on the line brace."""
    line = brace
    while line > 0 and lines[line - 1] and not lines[line - 1].endswith((';', '}')) \
            and not lines[line - 1].startswith('#'):
        line -= 1
    return line


def functions_of(file, code):
    lines = [line.rstrip() for line in code.split('\n')]
    for brace, line in enumerate(lines):
        if line != '{':
            continue
        begin = first_line(lines, brace)
        head = ' '.join(lines[begin:brace])
        name = re.search(r'(\w+)\)?\(', head)
        if name:
            yield Function(file, name.group(1), head.lstrip().startswith('static'), lines.index('}', brace) - begin + 1)


def uses_of(files, functions, codes):
    """Returns a dictionary from each of the files to those of them whose external functions it names, and these
    functions: {file: {other: {function, ...}}}. Structures and members have names of their own."""
    home = {f.name: f.file for f in functions if f.file in files and not f.is_static}
    uses = {file: collections.defaultdict(set) for file in files}
    for file in files:
        for name in set(re.findall(r'(?<!struct )(?<![\w.>])[A-Za-z_]\w*', codes[file])):
            if home.get(name, file) != file:
                uses[file][home[name]].add(name)
    return uses


def circles_in(uses):
    """Returns the groups of files that use each other, over other files or at once, lowest first. A file that is in
    no circle is a group of its own."""
    order, seen, below = [], set(), collections.defaultdict(set)
    for file, others in uses.items():
        for other in others:
            below[other].add(file)

    def walk(file, following, visited, found):
        todo = [(file, iter(sorted(following(file))))]
        visited.add(file)
        while todo:
            here, rest = todo[-1]
            following_file = next((other for other in rest if other not in visited), None)
            if following_file is None:
                todo.pop()
                found.append(here)
            else:
                visited.add(following_file)
                todo.append((following_file, iter(sorted(following(following_file)))))

    for file in sorted(uses):
        if file not in seen:
            walk(file, lambda name: uses[name], seen, order)
    groups, seen = [], set()
    for file in reversed(order):
        if file not in seen:
            groups.append([])
            walk(file, lambda name: below[name], seen, groups[-1])
    return [sorted(group) for group in reversed(groups)]


def floors_of(uses):
    """Returns a dictionary from file to its floor: 0 if it uses no other file, otherwise one more than the highest
    of those that it uses. The files of a circle are on one floor."""
    floors = {}
    for group in circles_in(uses):
        floor = max((floors[other] + 1 for file in group for other in uses[file] if other not in group), default=0)
        floors.update((file, floor) for file in group)
    return floors
