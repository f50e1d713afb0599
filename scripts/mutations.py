"""The mutations of a Python text: small mistakes, each on one line, that its tests should notice.

Left alone are texts for people (docstrings, messages, anything with a space), types, decorators and assertions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
NOT_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Set, ast.Dict)
SKIPPED_FIELDS = ("annotation", "returns", "decorator_list", "bases")
SKIPPED_NAMES = ("__all__", "__slots__", "__match_args__")
TYPE_CALLS = ("cast", "TypeVar", "ParamSpec", "NewType", "NamedTuple", "TypedDict")
TEXT_KEYWORDS = ("help", "short_help", "description", "metavar", "title", "doc")
REMOVED_CALLS = (ast.Call, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(frozen=True)
class Mutation:
    """A line of a text, counted from 1, as it is and as the mutation leaves it."""

    line: int
    original: str
    mutated: str


@dataclass(frozen=True)
class _Replacement:
    """A part of a line, from byte to byte, and the text that comes in its place."""

    line: int
    start: int
    end: int
    new_text: Callable[[str], str]


def mutations(text: str) -> list[Mutation]:
    """All mutations of a text, from its first line to its last."""
    lines = text.split("\n")
    replacements = (change for node in _mutable_nodes(ast.parse(text)) for kind in KINDS for change in kind(node))
    unique = {_mutation(lines, replacement): None for replacement in replacements}
    return sorted(unique, key=lambda mutation: (mutation.line, mutation.mutated))


def mutate(text: str, mutation: Mutation) -> str:
    """The text with one of its mutations."""
    lines = text.split("\n")
    lines[mutation.line - 1] = mutation.mutated
    return "\n".join(lines)


def changes_code(text: str, mutation: Mutation) -> bool:
    """Whether a mutation leaves a program, and another one than before."""
    try:
        mutated = ast.parse(mutate(text, mutation))
    except SyntaxError:
        return False
    return ast.dump(mutated) != ast.dump(ast.parse(text))


def _mutation(lines: list[str], replacement: _Replacement) -> Mutation:
    original = lines[replacement.line - 1]
    encoded = original.encode()
    before, after = encoded[: replacement.start].decode(), encoded[replacement.end :].decode()
    replaced = encoded[replacement.start : replacement.end].decode()
    return Mutation(replacement.line, original, f"{before}{replacement.new_text(replaced)}{after}")


def _mutable_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, without what has no behavior or is a text for people."""
    if _is_skipped(node):
        return
    yield node
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        if name not in SKIPPED_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _mutable_nodes(child)


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.Assert() | ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name("TYPE_CHECKING")) | ast.If(test=ast.Compare(left=ast.Name("__name__"))):
            return True
        case ast.Assign(targets=[ast.Name(name)]):
            return name in SKIPPED_NAMES
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")) | ast.Subscript(value=ast.Name("Literal")):
            return True
        case ast.Call(func=ast.Name(name)):
            return name in TYPE_CALLS
        case ast.keyword(arg=name):
            return name in TEXT_KEYWORDS
    return False


def _comparisons(node: ast.AST) -> Iterator[_Replacement]:
    if isinstance(node, ast.Compare):
        for operator, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
            yield from _between(left, right, *COMPARISONS[type(operator)])


def _boolean_operators(node: ast.AST) -> Iterator[_Replacement]:
    if isinstance(node, ast.BoolOp):
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            yield from _between(left, right, *words)


def _arithmetic(node: ast.AST) -> Iterator[_Replacement]:
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _joins(node.left, node.right):
        yield from _between(node.left, node.right, *ARITHMETIC[type(node.op)])


def _joins(*operands: ast.expr) -> bool:
    """Whether an operand is no number: a text or a list is joined, and a path gets a name."""
    return any(
        isinstance(one, NOT_NUMBERS) or (isinstance(one, ast.Constant) and isinstance(one.value, str | bytes))
        for one in operands
    )


def _conditions(node: ast.AST) -> Iterator[_Replacement]:
    """Negated conditions; a comparison that has an opposite, and a `not`, change in another way."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            conditions = [test]
        case ast.comprehension(ifs=conditions):
            pass
        case _:
            return
    for condition in conditions:
        if not _has_opposite(condition):
            yield from _replaced(condition, lambda source: f"not ({source})")


def _has_opposite(condition: ast.expr) -> bool:
    match condition:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[operator]):
            return not isinstance(operator, ORDERINGS)
    return isinstance(condition, ast.Constant)


def _dropped_not(node: ast.AST) -> Iterator[_Replacement]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _replaced(node, lambda source: re.sub(r"^not\b\s*", "", source))


def _constants(node: ast.AST) -> Iterator[_Replacement]:
    if not isinstance(node, ast.Constant):
        return
    match node.value:
        case bool(truth):
            yield from _replaced(node, lambda _: repr(not truth))
        case int(number) | float(number):
            yield from _replaced(node, lambda _: repr(number + 1))
        case str(text) if not any(map(str.isspace, text)):
            yield from _replaced(node, lambda _: '""' if text else '"mutant"')
        case bytes(data):
            yield from _replaced(node, lambda _: 'b""' if data else 'b"mutant"')


def _slices(node: ast.AST) -> Iterator[_Replacement]:
    """Bounds of slices that are not constants, or are left out."""
    if not isinstance(node, ast.Slice):
        return
    for bound in (node.lower, node.upper):
        if bound and not isinstance(bound, ast.Constant):
            yield from _replaced(bound, lambda source: f"({source}) + 1")
    if node.lower is None and node.lineno == node.end_lineno:
        yield _Replacement(node.lineno, node.col_offset, node.col_offset, lambda _: "1")


def _returned_values(node: ast.AST) -> Iterator[_Replacement]:
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        yield from _replaced(node, lambda _: "return None")


def _removed_statements(node: ast.AST) -> Iterator[_Replacement]:
    match node:
        case ast.Expr(value=value):
            is_removed = isinstance(value, REMOVED_CALLS)
        case ast.Assign(targets=targets):
            is_removed = all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        case _:
            is_removed = isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Delete)
    if is_removed:
        yield from _replaced(node, lambda _: "pass")


def _replaced(node: Any, new_text: Callable[[str], str]) -> Iterator[_Replacement]:
    """A node on one line with another text; `Any`, since only statements and expressions know their place."""
    if node.lineno == node.end_lineno:
        yield _Replacement(node.lineno, node.col_offset, node.end_col_offset, new_text)


def _between(left: ast.expr, right: ast.expr, operator: str, other: str) -> Iterator[_Replacement]:
    """The operator between two operands; only the end of the one and the start of the other are known."""
    if left.end_lineno == right.lineno and left.end_col_offset is not None:
        end = right.col_offset
        yield _Replacement(right.lineno, left.end_col_offset, end, lambda gap: gap.replace(operator, other, 1))


KINDS: tuple[Callable[[ast.AST], Iterator[_Replacement]], ...] = (
    _comparisons,
    _boolean_operators,
    _arithmetic,
    _conditions,
    _dropped_not,
    _constants,
    _slices,
    _returned_values,
    _removed_statements,
)
