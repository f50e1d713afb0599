"""The values of the state that conditions read, as classes that no condition tells apart.

A part that reads one path, or relates several, is an *atom*. The engine evaluates all atoms of related paths on
candidates; candidates with the same results are one class, and the solver chooses among classes. Where the candidates
may not be all classes, there is one more, about which nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise, product
from typing import Any

import z3

from trialrun.prove.instants import instants
from trialrun.prove.reads import COMPARISONS, LANGUAGE, START, STORE, Path, Reader, Unsupported
from trialrun.prove.texts import escape, text_formula, unescape
from trialrun.prove.truth import Truth, all_of, any_of
from trialrun.prove.verdict import Situation
from trialrun.values.cel import CelError, Node
from trialrun.values.cel import compile as compile_condition
from trialrun.values.cel.batch import compile_expression
from trialrun.values.cel.environment import plain_engine
from trialrun.values.cel.evaluate import convert_time, evaluate_expression
from trialrun.values.cel.syntax_tree import is_has, walk
from trialrun.values.language_tag import canonicalize
from trialrun.values.timestamp import FIRST_INSTANT

ABSENT = object()
"""Stands for a value that the client does not send, where that is an error to read."""
MAX_CANDIDATES, MAX_CLASSES, MAX_TAGS = 4096, 256, 30
TEXT_BUDGET = 3_000_000
"""Resources of the solver for one more text; no seconds, so that all machines answer alike."""
_LANGUAGES = ("en", "es", "fr", "de", "en-US", "es-MX", "fr-CA", "pt-BR", "ja", "zh-Hant-TW")


@dataclass(slots=True)
class Domain:
    """The classes of related paths: a number of the solver, and the values of each class by path."""

    paths: tuple[Path, ...]
    number: z3.ArithRef
    classes: list[tuple[Any, ...]]
    reason: str = ""
    """Why there may be another class, which has the next number; empty if there is none."""


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    paths: frozenset[Path]
    truth: Truth
    tree: Node


class Values:
    """The atoms of conditions, and in the end their classes."""

    def __init__(self, situation: Situation, reader: Reader) -> None:
        self.situation, self.reader = situation, reader
        self.atoms: dict[str, _Atom] = {}
        self.domains: list[Domain] = []
        self._roots = tuple(situation.schema.roots)

    def atom(self, text: str, paths: frozenset[Path]) -> Truth:
        """The truth of a part that reads these paths alone. Raises Unsupported if the text is none for the engine."""
        if text not in self.atoms:
            try:
                tree = compile_condition(text, schema=self.situation.schema).tree
            except CelError as error:
                raise Unsupported(error.message) from None
            name = f"atom {len(self.atoms)}"
            self.atoms[text] = _Atom(text, paths, Truth(z3.Bool(f"{name} t"), z3.Bool(f"{name} f")), tree)
        return self.atoms[text].truth

    def close(self) -> list[z3.BoolRef]:
        """The classes of all paths that were read, as facts."""
        return [fact for group in self._groups() for fact in self._domain(group)]

    def _groups(self) -> list[list[_Atom]]:
        """Atoms whose paths are related, by themselves or by others between them."""
        groups: list[tuple[set[Path], list[_Atom]]] = []
        for atom in self.atoms.values():
            related = [group for group in groups if not group[0].isdisjoint(atom.paths)]
            paths, atoms = set(atom.paths), list[_Atom]()
            for group in related:
                paths |= group[0]
                atoms += group[1]
            groups = [group for group in groups if group not in related] + [(paths, [*atoms, atom])]
        return [atoms for _, atoms in groups]

    def _domain(self, atoms: Sequence[_Atom]) -> Iterator[z3.BoolRef]:
        paths = tuple(sorted({path for atom in atoms for path in atom.paths}))
        classes: dict[tuple[bool | None, ...], tuple[Any, ...]] = {}
        candidates = _Candidates(self.situation, self.reader, paths, [atom.tree for atom in atoms])
        tried = list(islice(candidates, MAX_CANDIDATES if len(paths) > 1 else None))
        for values in tried:
            classes.setdefault(self._vector(atoms, paths, values), values)
        reason = candidates.why_incomplete
        if not reason and candidates.has_texts:
            reason = _Texts(self, atoms, paths, classes).complete(are_all=len(tried) < MAX_CANDIDATES)
        elif not reason and len(paths) > 1 and len(tried) == MAX_CANDIDATES:
            reason = "too many values"
        domain = Domain(paths, z3.Int("class " + " ".join(".".join(path) for path in paths)), [], reason)
        yield domain.number >= 0
        yield domain.number < len(classes) + bool(reason)
        for number, (vector, values) in enumerate(classes.items()):
            domain.classes.append(values)
            chosen = domain.number == number
            for atom, value in zip(atoms, vector, strict=True):
                yield z3.Implies(chosen, atom.truth.true if value is True else z3.Not(atom.truth.true))
                yield z3.Implies(chosen, atom.truth.false if value is False else z3.Not(atom.truth.false))
        if reason:
            yield from (z3.Not(z3.And(atom.truth.true, atom.truth.false)) for atom in atoms)
        self.domains.append(domain)

    def _vector(self, atoms: Sequence[_Atom], paths: Sequence[Path], values: Sequence[Any]) -> tuple[bool | None, ...]:
        """What the engine says of each atom; None for an error."""
        activation = plain_engine(self._roots).Activation(data=self._state(paths, values))
        found: list[bool | None] = []
        for atom in atoms:
            try:
                value = evaluate_expression(compile_expression(atom.text, self._roots), activation)
            except CelError:
                value = None
            found.append(value if isinstance(value, bool) else None)
        return tuple(found)

    def _state(self, paths: Sequence[Path], values: Sequence[Any]) -> dict[str, Any]:
        state: dict[str, Any] = {root: {} for root in self._roots}
        for path, value in zip(paths, values, strict=True):
            target = state
            for step in path[:-1]:
                target = target.setdefault(step, {})
            if value is not ABSENT:
                target[path[-1]] = convert_time(value) if isinstance(value, datetime) else value
        return state


class _Candidates:
    """The values of related paths to try, the simplest first; `why_incomplete` says whether there are other classes."""

    def __init__(self, situation: Situation, reader: Reader, paths: Sequence[Path], trees: Sequence[Node]) -> None:
        self.situation, self.reader, self.trees = situation, reader, trees
        self.why_incomplete, self.has_texts = "", False
        nodes = [node for tree in trees for node in walk(tree)]
        self.literals = list(dict.fromkeys(node.value for node in nodes if node.kind == "literal"))
        self._of_path = [list(self._path(path)) for path in paths]
        kinds = {reader.type_of(path).name for path in paths}
        if len(paths) > 1 and not self.why_incomplete and not kinds <= {"string", "enum", "bool"}:
            self.why_incomplete = f"a relation of {' and '.join('.'.join(path) for path in paths)}"

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return product(*self._of_path)

    def _path(self, path: Path) -> Iterator[Any]:
        type_ = self.reader.type_of(path)
        if path == STORE and self.reader.is_kept(path):
            yield self.situation.store
            return
        if self.reader.can_be_absent(path):
            yield ABSENT
        match type_.name:
            case "bool":
                yield from (False, True)
            case "enum":
                yield from type_.members
                if self.reader.is_kept(path):
                    self.why_incomplete = f"{'.'.join(path)}, which a session knows, may be no member"
            case "string":
                yield from self._texts(path)
            case "double":
                yield from self._doubles(path)
            case "timestamp":
                yield from self._times(path)
            case _:
                self.why_incomplete = f"{'.'.join(path)} beside other values"

    def _texts(self, path: Path) -> Iterator[str]:
        texts = [value for value in self.literals if isinstance(value, str)]
        self.has_texts = True
        if path == LANGUAGE and self.reader.is_kept(path):
            spoken = self.situation.languages or ("",)  # a session without a language yet
            tags = (*map(canonicalize, texts), *_LANGUAGES)
            yield from dict.fromkeys((*spoken, *(tag for tag in tags if tag)))
            return
        other = "other"
        while other in texts:
            other += "s"
        yield from dict.fromkeys(("", *texts, other, f"{other} {'.'.join(path)}"))
        if not all(map(_is_equality, self.trees)):
            yield from (f"{first} {second}" for first in texts[:6] for second in texts[:6])

    def _doubles(self, path: Path) -> Iterator[float]:
        yield 0.0
        numbers = sorted({float(each) for each in self.literals if isinstance(each, int | float)})
        signed = sorted({sign * number for number in numbers for sign in (1, -1)})
        for number in signed:
            yield from (number, math.nextafter(number, -math.inf), math.nextafter(number, math.inf))
        yield from ((first + second) / 2 for first, second in pairwise(signed))
        yield from (math.inf, -math.inf, math.nan)

        def is_side(node: Node) -> bool:
            return _is_literal(node) or self.reader.path(node, frozenset()) == path

        if not all(_compares(tree, (*COMPARISONS, "in"), is_side) for tree in self.trees):
            self.why_incomplete = f"arithmetic with {'.'.join(path)}"

    def _times(self, path: Path) -> Iterator[datetime]:
        bounds, is_time = self.situation.bounds, lambda node: self.reader.path(node, frozenset()) == path
        if not (path == START and self.reader.is_kept(path)):
            yield FIRST_INSTANT
        times, is_complete = instants(self.trees, is_time, self.situation.begin, bounds.days)
        yield from times
        if not is_complete:
            self.why_incomplete = f"what is computed of {'.'.join(path)}"


def _compares(tree: Node, operators: Sequence[str], is_side: Callable[[Node], bool]) -> bool:
    """Whether a part is comparisons of such sides, and of elements of lists, under logic alone."""
    if tree.kind != "operator":
        return is_has(tree)
    if tree.name in ("&&", "||", "!"):
        return all(_compares(each, operators, is_side) for each in tree.children)
    sides = [each for child in tree.children for each in (child.children if child.kind == "list" else (child,))]
    return tree.name in operators and all(map(is_side, sides))


def _is_equality(tree: Node) -> bool:
    """Whether a part compares texts for being equal, and no more."""
    return _compares(tree, ("==", "!=", "in"), lambda node: node.kind in ("literal", "select", "index"))


def _is_literal(node: Node) -> bool:
    """Whether a part is a literal, with its sign."""
    return node.kind == "literal" or (
        (node.kind, node.name, len(node.children)) == ("operator", "-", 1) and _is_literal(node.children[0])
    )


class _Texts:
    """Asks the solver's strings for texts with yet other results, until there are none."""

    def __init__(
        self,
        values: Values,
        atoms: Sequence[_Atom],
        paths: Sequence[Path],
        classes: dict[tuple[bool | None, ...], tuple[Any, ...]],
    ) -> None:
        self.values, self.atoms, self.paths, self.classes = values, atoms, paths, classes
        self.reader = values.reader

    def complete(self, *, are_all: bool) -> str:
        """Add all classes; returns why there may be others, empty if there are none."""
        if are_all and all(_is_equality(atom.tree) for atom in self.atoms) and not self._is_language():
            return ""  # the literals and two other texts are all that can be told apart
        absent_sets = product(*((False, True) if self.reader.can_be_absent(path) else (False,) for path in self.paths))
        try:
            reasons = [self._present(dict(zip(self.paths, absent, strict=True))) for absent in absent_sets]
        except Unsupported as reason:
            return str(reason)
        return next(filter(None, reasons), "")

    def _is_language(self) -> bool:
        return LANGUAGE in self.paths and self.reader.is_kept(LANGUAGE)

    def _present(self, absent: Mapping[Path, bool]) -> str:
        """Add the classes of texts that are there, where some paths are absent."""
        variables = {path: z3.String(".".join(path)) for path in self.paths if not absent[path]}
        if not variables:
            return ""
        atoms = [atom for atom in self.atoms if not any(absent[path] for path in atom.paths)]

        terms = dict(variables)

        def term(node: Node) -> z3.SeqRef | None:
            path = self.reader.path(node, frozenset())
            return None if path is None else terms.get(path)

        if not atoms:
            return ""
        own = z3.Context()  # how soon the solver finds a text depends on what else its context has
        formulas = [text_formula(atom.tree, term).translate(own) for atom in atoms]
        facts = [fact.translate(own) for path, each in variables.items() for fact in self._facts(path, each)]
        variables = {path: each.translate(own) for path, each in variables.items()}
        solver = z3.Solver(ctx=own)
        solver.set("rlimit", TEXT_BUDGET)
        solver.add(*facts)
        chosen = [index for index, atom in enumerate(self.atoms) if atom in atoms]
        known = dict.fromkeys(tuple(vector[index] for index in chosen) for vector in self.classes)
        for vector in known:
            if None not in vector:
                solver.add(_other(formulas, vector))
        for _ in range(MAX_CLASSES):
            match solver.check():
                case z3.unsat:
                    return ""
                case z3.unknown:
                    return "the solver's budget for texts ran out"
            model = solver.model()
            texts = {path: unescape(model.eval(each, True).as_string()) for path, each in variables.items()}
            if any(0xD800 <= ord(each) < 0xE000 for text in texts.values() for each in text):
                return "a text with half of a surrogate pair"
            expected = tuple(z3.is_true(model.eval(formula, True)) for formula in formulas)
            if reason := self._add(solver, formulas, expected, chosen, variables, texts):
                return reason
            solver.add(_other(formulas, expected))
        return "too many kinds of texts"

    def _add(
        self,
        solver: z3.Solver,
        formulas: Sequence[z3.BoolRef],
        expected: tuple[bool, ...],
        chosen: Sequence[int],
        variables: Mapping[Path, z3.SeqRef],
        texts: dict[Path, str],
    ) -> str:
        """Add the class of texts; returns why it cannot be trusted."""
        if self._is_language() and LANGUAGE in texts and canonicalize(texts[LANGUAGE]) != texts[LANGUAGE]:
            solver.push()
            solver.add(*(formula == value for formula, value in zip(formulas, expected, strict=True)))
            found = self._canonical(solver, variables[LANGUAGE])
            solver.pop()
            if found is None:
                return ""
            if not found:
                return "a language tag that may be written otherwise"
            if len(variables) > 1:
                return "a relation of a language with another text"
            texts[LANGUAGE] = found
        values = tuple(texts.get(path, ABSENT) for path in self.paths)
        vector = self.values._vector(self.atoms, self.paths, values)
        if tuple(vector[index] for index in chosen) != expected:
            return "a text that the solver reads otherwise"
        self.classes.setdefault(vector, values)
        return ""

    def _canonical(self, solver: z3.Solver, variable: z3.SeqRef) -> str | None:
        """A canonical tag of the solver's texts; None if there is none, empty if none was found."""
        for _ in range(MAX_TAGS):
            match solver.check():
                case z3.unsat:
                    return None
                case z3.unknown:
                    return ""
            text = unescape(solver.model().eval(variable, True).as_string())
            if canonicalize(text) == text:
                return text
            solver.add(variable != z3.StringVal(escape(text), variable.ctx))
        return ""

    def _facts(self, path: Path, variable: z3.SeqRef) -> Iterator[z3.BoolRef]:
        type_ = self.reader.type_of(path)
        if path == STORE and self.reader.is_kept(path):
            yield variable == z3.StringVal(escape(self.values.situation.store))
        elif path == LANGUAGE and self.reader.is_kept(path):
            letters = z3.Union(z3.Range("a", "z"), z3.Range("A", "Z"), z3.Range("0", "9"), z3.Re("-"))
            yield z3.InRe(variable, z3.Plus(letters))
        elif type_.name == "enum":
            yield any_of([variable == z3.StringVal(escape(member)) for member in type_.members])
        elif type_.name != "string":
            raise Unsupported(f"{'.'.join(path)} beside texts")
        else:
            yield z3.Not(z3.Contains(variable, z3.StringVal("\\u{0}")))  # the engine reads a text up to it


def _other(formulas: Sequence[z3.BoolRef], vector: Sequence[bool | None]) -> z3.BoolRef:
    same = all_of([formula if value else z3.Not(formula) for formula, value in zip(formulas, vector, strict=True)])
    return z3.Not(same)
