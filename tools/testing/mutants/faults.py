# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Finds the places in C code where a fault can be planted, with libclang: see KINDS, and Documentation/mutants.rst.

A fault is text to insert before and after an expression or a statement (mutants.h has the macros), so that a switch turns
it on while the code runs; or, in constant tables, other text that has to be compiled. What comes from a macro of the code
is left alone, except for the macros that are named here.
"""

import bisect
import collections
import os
import re

from clang import cindex
from clang.cindex import CursorKind as K

# path, line: where. kind: see KINDS. what: the text that the fault changes. function: where it is. start, end: byte offsets of the
# text. head, tail: what is inserted before and after it; "@" stands for the fault's number. cut: None, or the offsets of an
# operator, which becomes a comma. other: in faults that have no switch, the text that replaces it.
Fault = collections.namedtuple('Fault', 'path line kind what function start end head tail cut other')

KINDS = {
    'guard': 'a refusal that decides, left out: its errno or status is a constant of its own',
    'refusal': 'another early exit left out: an error is passed on, or memory or room in a message is missing',
    'clause': 'a clause of && or || left out',
    'bound': 'a comparison with a bound, off by one',
    'minmax': 'min, max or clamp left out, or an if that limits a value',
    'errno': 'another errno',
    'code': 'another constant of an enumeration: a status, an event, a state',
    'call': 'a call left out: a counter, an event, a wake-up, a notification',
    'put': 'memory or a reference not given back',
    'endian': 'the order of bytes not converted',
    'assign': 'an assignment of a member left out',
    'arith': 'another shift, mask or sign',
    'list': 'head and tail of a list exchanged',
    'table': 'another constant in a table: compiled for itself',
}

# Calls that are no faults of the kinds above when they are left out: locks and contexts, which lockdep and sparse check, and what
# only says or asserts something.
NO_CALL = re.compile(
    r'(.*_)?(lock|unlock|trylock|lock_\w+|unlock_\w+|lockdep\w*|assert\w*)$|rcu_read_\w+|local_(bh|irq)_\w+|preempt_\w+|'
    r'might_\w+|cond_resched|cpu_relax|trace_\w+|pr_\w+|(ib|net|k)?dev_(dbg|info|notice|warn|err)\w*|printk\w*|WARN\w*|BUG\w*|'
    r'BUILD_BUG\w*|static_assert|barrier|smp_\w+|prefetch\w*|__acquire|__release|kmsan\w*|kmemleak\w*|kfree_sensitive|'
    r'va_start|va_end|seq_\w+|debugfs_\w+|NL_SET_ERR\w*|\w+_log\w*|schedule|msleep|usleep_range|ssleep|typecheck')
PUT = re.compile(r'(?!put_unaligned)(.*_)?(put|free|kfree|kvfree|vfree|release|destroy|unref|drop|unpin|uncharge|[dfi]put|kfree_rcu|'
                 r'unmap|unregister|del|erase|remove|cancel|close|deref)(_\w+)?$|k(v)?free\w*')
# Macros whose call is a statement that can be left out.
CALL_MACROS = re.compile(r'WRITE_ONCE|smp_store_release|rcu_assign_pointer|RCU_INIT_POINTER|wake_up\w*|kfree_rcu|'
                         r'list_\w+|hlist_\w+|xa_\w+|refcount_\w+|atomic\w+|this_cpu_\w+|percpu_\w+')
ASSIGN_MACROS = re.compile(r'WRITE_ONCE|smp_store_release|rcu_assign_pointer|RCU_INIT_POINTER')
MIN_MAX = {'min': 2, 'max': 2, 'umin': 2, 'umax': 2, 'min_t': 2, 'max_t': 2, 'clamp': 1, 'clamp_t': 1, 'clamp_val': 1, 'min3': 3,
           'max3': 3, 'min_not_zero': 2}
WITHOUT_EFFECT = {'sizeof', 'ARRAY_SIZE', 'PAGE_ALIGN', 'READ_ONCE', *MIN_MAX}
ENDIAN = re.compile(r'cpu_to_[bl]e(16|32|64)|[bl]e(16|32|64)_to_cpu|hton[sl]|ntoh[sl]|get_unaligned_[bl]e(16|32|64)')
LISTS = {'list_add': 'list_add_tail', 'list_add_tail': 'list_add', 'list_move': 'list_move_tail',
         'list_move_tail': 'list_move', 'list_splice': 'list_splice_tail', 'list_splice_tail': 'list_splice',
         'list_splice_init': 'list_splice_tail_init', 'list_splice_tail_init': 'list_splice_init'}
OFF_BY_ONE = {'<': 'LT', '<=': 'LE', '>': 'GT', '>=': 'GE'}
ARITH = {'<<': 'SHL', '>>': 'SHR', '&': 'AND', '-': 'SUB', '+': 'ADD'}
ERRNO = re.compile(r'-\s*E[A-Z0-9]+')
INTEGERS = {getattr(cindex.TypeKind, name) for name in (
    'BOOL', 'CHAR_U', 'UCHAR', 'USHORT', 'UINT', 'ULONG', 'ULONGLONG', 'CHAR_S', 'SCHAR', 'SHORT', 'INT', 'LONG', 'LONGLONG',
    'ENUM')}
# Operands and places whose values the compiler has to know.
CONSTANT = {K.CXX_UNARY_EXPR}


def other_errno(text):
    return '-ENOENT' if 'EINVAL' in text else '-EINVAL'


def arguments_of(call):
    """Returns the arguments in the text of a call."""
    parts, depth = [''], 0
    for char in call[call.index('(') + 1:call.rindex(')')]:
        depth += (char in '([{') - (char in ')]}')
        if char == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


class File:
    """The text of a file, and where it calls macros."""

    def __init__(self, top, path):
        self.path = path
        with open(os.path.join(top, path), 'rb') as file:
            self.bytes = file.read()
        self.macros = []
        self.starts = []

    def text(self, start, end):
        return self.bytes[start:end].decode()

    def set_macros(self, found):
        """Keeps the outermost calls: (start, end, name)."""
        self.macros = []
        for start, end, name in sorted(found, key=lambda macro: (macro[0], -macro[1])):
            if ENDIAN.fullmatch(name):
                end = self.end_of_call(start)
            if not self.macros or start >= self.macros[-1][1]:
                self.macros.append((start, end, name))
        self.starts = [macro[0] for macro in self.macros]

    def end_of_call(self, start):
        """Returns where the parenthesis closes that opens next. Some macros are names of macros with arguments."""
        at, depth = self.bytes.index(b'(', start), 0
        while True:
            depth += (self.bytes[at] == ord('(')) - (self.bytes[at] == ord(')'))
            at += 1
            if not depth:
                return at

    def macro_at(self, offset):
        """Returns the outermost call of a macro that contains this offset, or None."""
        i = bisect.bisect_right(self.starts, offset) - 1
        return self.macros[i] if i >= 0 and offset < self.macros[i][1] else None

    def line_of(self, offset):
        return self.bytes.count(b'\n', 0, offset) + 1


class Finder:
    """Finds the faults in the files of a translation unit."""

    def __init__(self, top, unit, wanted):
        self.top, self.unit = top, unit
        self.files = {}
        self.names = {}
        self.wanted = wanted
        self.found = []
        self.function = ''

    def file_of(self, name):
        """Returns the File, or None if no faults are wanted in it."""
        if name not in self.names:
            path = os.path.relpath(os.path.realpath(name), self.top)
            self.names[name] = File(self.top, path) if path in self.wanted else None
        return self.names[name]

    def find(self):
        macros = collections.defaultdict(list)
        for node in self.unit.cursor.get_children():
            if node.kind == K.MACRO_INSTANTIATION and node.location.file:
                file = self.file_of(node.location.file.name)
                if file:
                    macros[file].append((node.extent.start.offset, node.extent.end.offset, node.spelling))
        for file, found in macros.items():
            file.set_macros(found)
        for node in self.unit.cursor.get_children():
            if not node.location.file or node.kind not in (K.FUNCTION_DECL, K.VAR_DECL) or not node.is_definition():
                continue
            self.file = self.file_of(node.location.file.name)
            if not self.file:
                continue
            self.function = node.spelling
            if node.kind == K.VAR_DECL:
                self.table(node)
                continue
            for child in node.get_children():
                if child.kind == K.COMPOUND_STMT:
                    self.returns_bool = node.result_type.get_canonical().kind == cindex.TypeKind.BOOL
                    self.block(child)
        return self.found

    # --- text ---

    def span(self, node):
        """Returns the byte offsets of the node's text, with the whole call of a macro at either end; None if it begins or
        ends within a call, or in another file."""
        start, end = node.extent.start, node.extent.end
        if not start.file or self.file_of(start.file.name) is not self.file or not end.file \
                or self.file_of(end.file.name) is not self.file:
            return None
        start, end = start.offset, end.offset
        if start >= end:
            macro = self.file.macro_at(start)
            return macro[:2] if macro and macro[0] == start else None
        first, last = self.file.macro_at(start), self.file.macro_at(end - 1)
        if first and first[0] != start:
            return None
        if last and first is not last and last[0] < start:
            return None
        if last and end < last[1]:
            # The end of an expression that a macro's call ends is given as the end of the macro's name.
            end = last[1]
        elif first and end < first[1]:
            end = first[1]
        return start, end

    def text_of(self, node):
        span = self.span(node)
        return self.file.text(*span) if span else ''

    def is_macro(self, span):
        macro = self.file.macro_at(span[0])
        return macro and macro[:2] == tuple(span)

    def macro_name(self, span):
        macro = self.file.macro_at(span[0])
        return macro[2] if macro and macro[:2] == tuple(span) else ''

    def is_clean(self, span):
        text = self.file.text(*span)
        return '#' not in re.sub(r'"(\\.|[^"\\])*"', '', text) and text.count('(') == text.count(')') \
            and text.count('{') == text.count('}') and text.strip() and not text.startswith(('else',))

    def add(self, kind, node, head, tail, cut=None, other=None):
        span = self.span(node)
        if not span or not self.is_clean(span):
            return
        text = self.file.text(*span)
        self.found.append(Fault(self.file.path, self.file.line_of(span[0]), kind, ' '.join(text.split())[:100], self.function,
                                span[0], span[1], head, tail, cut, other))

    # --- statements ---

    def block(self, node):
        """Finds the faults of the statements in a compound statement."""
        before = None
        for child in node.get_children():
            self.statement(child, before)
            before = child

    def statement(self, node, before=None):
        kind = node.kind
        children = list(node.get_children())
        span = self.span(node)
        if span and self.is_macro(span):
            self.expression_statement(node, children)
        elif kind == K.COMPOUND_STMT:
            self.block(node)
        elif kind == K.IF_STMT:
            self.if_statement(node, children, before)
        elif kind in (K.WHILE_STMT, K.SWITCH_STMT):
            self.expression(children[0])
            self.statement(children[-1])
        elif kind == K.DO_STMT:
            self.statement(children[0])
            self.expression(children[-1])
        elif kind == K.FOR_STMT:
            if children:
                self.statement(children[-1])
        elif kind in (K.CASE_STMT, K.DEFAULT_STMT, K.LABEL_STMT):
            if children:
                self.statement(children[-1])
        elif kind == K.DECL_STMT:
            for child in children:
                if child.kind == K.VAR_DECL and child.storage_class != cindex.StorageClass.STATIC:
                    for part in child.get_children():
                        if part.kind.is_expression():
                            self.expression(part)
                elif child.kind == K.VAR_DECL:
                    self.table(child)
        elif kind == K.RETURN_STMT:
            for child in children:
                self.expression(child)
        elif kind.is_expression():
            self.expression_statement(node, children)
        else:
            for child in children:
                if child.kind.is_statement():
                    self.statement(child)

    def exit_of(self, node):
        """Returns the statement of a branch that ends in return, goto, break or continue, or None, and the statements before it."""
        if node.kind == K.COMPOUND_STMT:
            children = list(node.get_children())
            if children and len(children) <= 4:
                last, _ = self.exit_of(children[-1])
                return last, children[:-1]
            return None, []
        if node.kind in (K.RETURN_STMT, K.GOTO_STMT, K.BREAK_STMT, K.CONTINUE_STMT):
            return node, []
        return None, []

    def decides(self, text):
        """Whether the text is a constant of a refusal: an errno, a status of an enumeration."""
        text = text.strip()
        return bool(re.fullmatch(r'-\s*E[A-Z0-9]+|(ERR_PTR|ERR_CAST)\(\s*-\s*E[A-Z0-9]+\s*\)|[A-Z][A-Z0-9_]{4,}', text)) \
            and 'ENOMEM' not in text and 'OOM' not in text and text not in ('FALSE', 'NULL')

    def lacks_room(self, value, condition):
        """Whether the refusal says that there is no more room in a netlink message of our own, which nobody has asked for."""
        return 'EMSGSIZE' in value and re.search(r'\w*(nla|nlmsg|put)_\w*\(|^!\w+$', self.text_of(condition))

    def constant_assigned(self, node):
        if node is None or node.kind != K.BINARY_OPERATOR:
            return False
        parts = list(node.get_children())
        return len(parts) == 2 and self.operator(node, parts) == '=' and self.decides(self.text_of(parts[1]))

    def refusal_kind(self, branch, before, condition):
        """Returns 'guard' or 'refusal' if the branch leaves the function or the loop, else None."""
        last, steps = self.exit_of(branch)
        if last is None:
            return None
        text = self.text_of(condition)
        passed_on = re.fullmatch(r'(unlikely\()?!?\s*(err|ret|rc|res|status|error)\)?|.*\bIS_ERR\w*\(.*', text, flags=re.S)
        if last.kind == K.RETURN_STMT:
            value = next(iter(last.get_children()), None)
            value = self.text_of(value) if value is not None else ''
            decides = (self.decides(value) or value == 'false' and self.returns_bool) and not self.lacks_room(value, condition)
        else:
            decides = any(self.constant_assigned(step) for step in steps) or self.constant_assigned(before)
        return 'guard' if decides and not passed_on else 'refusal'

    def if_statement(self, node, children, before):
        condition, branches = children[0], children[1:]
        kind = self.refusal_kind(branches[0], before, condition)
        other = self.refusal_kind(branches[1], None, condition) if len(branches) > 1 else None
        if len(branches) == 1 and self.limits(condition, branches[0]):
            self.add('minmax', condition, 'MUTANT_NEVER(@, ', ')')
        self.expression(condition, refusal=kind)
        if other and not kind and branches[1].kind != K.IF_STMT:
            self.add(other, condition, 'MUTANT_ALWAYS(@, ', ')')
        for branch in branches:
            if branch.kind.is_statement():
                self.statement(branch)
            else:
                self.expression_statement(branch, list(branch.get_children()))

    def limits(self, condition, branch):
        """Whether the branch is no more than another value for what the condition looks at."""
        parts = list(branch.get_children())
        return branch.kind == K.BINARY_OPERATOR and len(parts) == 2 and self.operator(branch, parts) == '=' \
            and bool(re.search(rf'(?<![\w>.]){re.escape(self.text_of(parts[0]))}(?![\w\[]|->)', self.text_of(condition)))

    def expression_statement(self, node, children):
        span = self.span(node)
        if not span:
            return
        name = self.macro_name(span)
        if name:
            if CALL_MACROS.fullmatch(name) and not NO_CALL.fullmatch(name):
                kind = 'assign' if ASSIGN_MACROS.fullmatch(name) else 'put' if PUT.fullmatch(name) else 'call'
                self.add(kind, node, 'MUTANT_SKIP(@, ', ')')
            return
        if node.kind == K.CALL_EXPR:
            self.call_statement(node, span)
        elif node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            operator = self.operator(node, children)
            if operator.endswith('=') and self.is_member(children[0]):
                self.add('assign', node, 'MUTANT_SKIP(@, ', ')')
        elif node.kind == K.UNARY_OPERATOR and children and self.is_member(children[0]):
            self.add('assign', node, 'MUTANT_SKIP(@, ', ')')
        self.expression(node)

    def call_statement(self, node, span):
        name = node.spelling or ''
        if not name:
            # A call through a pointer.
            name = self.file.text(*span).split('(')[0].split('>')[-1].split('.')[-1].strip()
        if NO_CALL.fullmatch(name):
            return
        if name in LISTS:
            text = self.file.text(*span)
            if text.startswith(name + '('):
                self.add('list', node, f'MUTANT_OTHER(@, {LISTS[name]}{text[len(name):]}, ', ')')
        swapped = re.fullmatch(r'put_unaligned_[bl]e(16|32|64)', name)
        if swapped:
            value, *rest = arguments_of(self.file.text(*span))
            other = f'{name}({", ".join([f"__builtin_bswap{swapped.group(1)}({value})", *rest])})'
            self.add('endian', node, f'MUTANT_OTHER(@, {other}, ', ')')
        self.add('put' if PUT.fullmatch(name) else 'call', node, 'MUTANT_SKIP(@, ', ')')

    def is_member(self, node):
        while node.kind in (K.ARRAY_SUBSCRIPT_EXPR, K.PAREN_EXPR, K.UNARY_OPERATOR, K.UNEXPOSED_EXPR):
            children = list(node.get_children())
            if node.kind == K.UNARY_OPERATOR and self.text_of(node).startswith('*'):
                return True
            if not children:
                return False
            node = children[0]
        return node.kind == K.MEMBER_REF_EXPR

    # --- expressions ---

    def operator(self, node, children):
        first, second = self.span(children[0]), self.span(children[1])
        if not first or not second:
            return ''
        return re.sub(r'/\*.*?\*/', '', self.file.text(first[1], second[0]), flags=re.S).strip()

    def varies(self, node):
        """Whether the value of the expression is not a constant."""
        if node.kind in (K.CALL_EXPR, K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR, K.StmtExpr):
            return True
        if node.kind == K.DECL_REF_EXPR and node.referenced is not None \
                and node.referenced.kind in (K.VAR_DECL, K.PARM_DECL):
            return True
        if node.kind in CONSTANT:
            return False
        return any(self.varies(child) for child in node.get_children())

    def strip(self, node):
        """Returns the expression within implicit conversions."""
        while node.kind == K.UNEXPOSED_EXPR:
            children = list(node.get_children())
            if len(children) != 1 or self.span(children[0]) != self.span(node):
                break
            node = children[0]
        return node

    def expression(self, node, refusal=None, argument=False):
        """Finds the faults in an expression. refusal: the kind of the refusal whose condition it is. argument: its value is
        passed, returned or assigned."""
        node = self.strip(node)
        span = self.span(node)
        if node.kind in CONSTANT or not span:
            return
        if self.is_macro(span):
            self.macro(node, span, refusal)
            return
        children = list(node.get_children())
        if node.kind == K.PAREN_EXPR and children:
            self.expression(children[0], refusal)
            return
        if node.kind == K.BINARY_OPERATOR and len(children) == 2:
            self.binary(node, children, refusal)
            return
        if refusal and self.varies(node):
            self.add(refusal, node, 'MUTANT_NEVER(@, ', ')')
        if node.kind == K.UNARY_OPERATOR and ERRNO.fullmatch(self.text_of(node)):
            self.add('errno', node, f'MUTANT_OTHER(@, {other_errno(self.text_of(node))}, ', ')')
            return
        if node.kind == K.DECL_REF_EXPR and argument:
            self.constant(node)
        if node.kind == K.CONDITIONAL_OPERATOR and len(children) == 3:
            self.choice(children)
        if node.kind == K.CALL_EXPR:
            if ENDIAN.fullmatch(node.spelling or '') and self.varies(node):
                self.add('endian', node, 'MUTANT_SWAB(@, ', ')')
            children = list(node.get_arguments())
            argument = True
        if node.kind == K.StmtExpr:
            return
        if node.kind == K.INIT_LIST_EXPR:
            argument = True
        for child in children:
            if child.kind.is_expression():
                self.expression(child, argument=argument or node.kind in (K.COMPOUND_LITERAL_EXPR,))

    def macro(self, node, span, refusal):
        name = self.macro_name(span)
        # What warns is an assertion about our own code.
        if refusal and self.varies(node) and not name.startswith('WARN'):
            self.add(refusal, node, 'MUTANT_NEVER(@, ', ')')
        if name in MIN_MAX and self.varies(node):
            for other in self.operands_of(name, span):
                # A call must not be made twice.
                calls = set(re.findall(r'(\w+)\s*\(', other)) - WITHOUT_EFFECT
                self.add('minmax', node, f'MUTANT_{"OTHER" if calls else "PICK"}(@, {other}, ', ')')
        elif ENDIAN.fullmatch(name) and self.varies(node):
            self.add('endian', node, 'MUTANT_SWAB(@, ', ')')

    def operands_of(self, name, span):
        """Returns the arguments of min() and the like that are used in its place."""
        parts = arguments_of(self.file.text(*span))
        if name.endswith('_t'):
            parts = [f'({parts[0]})({part})' for part in parts[1:]]
        return parts[:MIN_MAX[name]]

    def binary(self, node, children, refusal):
        operator = self.operator(node, children)
        if operator in ('||', '&&'):
            for child in children:
                child_refusal = refusal if operator == '||' else None
                inner = self.strip(child)
                nested = self.operator(inner, list(inner.get_children())) if inner.kind == K.BINARY_OPERATOR else ''
                if not child_refusal and nested != operator and self.varies(inner):
                    self.add('clause', child, f'MUTANT_{"NEVER" if operator == "||" else "ALWAYS"}(@, ', ')')
                self.expression(child, child_refusal)
            if refusal and operator == '&&':
                self.add(refusal, node, 'MUTANT_NEVER(@, ', ')')
            return
        if refusal and self.varies(node):
            self.add(refusal, node, 'MUTANT_NEVER(@, ', ')')
        integers = all(child.type.get_canonical().kind in INTEGERS for child in children)
        if operator in OFF_BY_ONE and integers and self.varies(node):
            self.split(node, children, 'bound', OFF_BY_ONE[operator])
        elif operator in ARITH and integers and self.varies(node) and self.is_number(node, operator):
            self.split(node, children, 'arith', ARITH[operator])
        if operator == '=' and len(children) == 2:
            self.expression(children[0])
            self.expression(children[1], argument=True)
            return
        for child in children:
            self.expression(child)

    def is_number(self, node, operator):
        return operator != '&' or not self.text_of(node).startswith('&')

    def split(self, node, children, kind, name):
        """Adds a fault that takes both operands of a binary operator: the macro gets them apart."""
        first, second, whole = self.span(children[0]), self.span(children[1]), self.span(node)
        if not first or not second or not whole or first[0] != whole[0] or second[1] != whole[1]:
            return
        if not self.is_clean(first) or not self.is_clean(second):
            return
        self.add(kind, node, f'MUTANT_{name}(@, ', ')', cut=(first[1], second[0]))

    def choice(self, children):
        """A ? b : c, in which b or c is an errno."""
        condition, yes, no = children
        if not self.varies(condition):
            return
        if self.decides(self.text_of(yes)):
            self.add('guard', condition, 'MUTANT_NEVER(@, ', ')')
        elif self.decides(self.text_of(no)):
            self.add('guard', condition, 'MUTANT_ALWAYS(@, ', ')')

    def constant(self, node):
        """A constant of an enumeration, exchanged for the next one that has another value."""
        which = node.referenced
        if which is None or which.kind != K.ENUM_CONSTANT_DECL or which.spelling in ('true', 'false') \
                or self.text_of(node) != which.spelling:
            return
        others = [constant for constant in which.semantic_parent.get_children() if constant.kind == K.ENUM_CONSTANT_DECL]
        names = [constant.spelling for constant in others]
        for i in range(1, len(others)):
            other = others[(names.index(which.spelling) + i) % len(others)]
            if other.enum_value != which.enum_value and not re.search(r'MAX|COUNT|NUM|__', other.spelling):
                self.add('code', node, f'MUTANT_OTHER(@, {other.spelling}, ', ')')
                return

    def table(self, node):
        """The constants in the initializer of a static variable."""
        for child in node.get_children():
            if child.kind == K.INIT_LIST_EXPR:
                self.table_of(child)

    def table_of(self, node):
        for child in node.get_children():
            child = self.strip(child)
            span = self.span(child)
            if not span:
                continue
            text = self.file.text(*span)
            if child.kind == K.DECL_REF_EXPR and child.referenced is not None \
                    and child.referenced.kind == K.ENUM_CONSTANT_DECL and not self.is_designator(span):
                before = len(self.found)
                self.constant(child)
                for i in range(before, len(self.found)):
                    fault = self.found[i]
                    other = re.match(r'MUTANT_OTHER\(@, (\w+), $', fault.head).group(1)
                    self.found[i] = fault._replace(kind='table', head='', tail='', other=other)
            elif child.kind == K.UNARY_OPERATOR and ERRNO.fullmatch(text):
                self.add('table', child, '', '', other=other_errno(text))
            elif child.kind in (K.INIT_LIST_EXPR, K.UNEXPOSED_EXPR):
                self.table_of(child)

    def is_designator(self, span):
        return self.file.bytes[:span[0]].rstrip().endswith(b'[')


def parse(top, source, arguments, wanted):
    """Returns the faults in those of the wanted files (paths below top) that the source includes."""
    index = cindex.Index.create()
    unit = index.parse(source, args=arguments, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    errors = [str(problem) for problem in unit.diagnostics if problem.severity >= cindex.Diagnostic.Error]
    return Finder(top, unit, wanted).find(), errors
