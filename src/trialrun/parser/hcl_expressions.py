"""Read the expressions of HCL: the whole grammar, nothing evaluated, at exact characters.

Operators are a flat list, since no precedence matters without evaluation. A line break ends an expression, but not in
brackets. The depth is bounded (`MAX_DEPTH`), so the recursion is too.
"""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.hcl_syntax import (
    Call,
    Conditional,
    Expression,
    HclError,
    ListExpression,
    Literal,
    ObjectExpression,
    Operation,
    Template,
    Traversal,
)
from trialrun.parser.hcl_templates import Cursor, Segment, heredoc, quoted, template_segments
from trialrun.parser.nodes import MAX_DEPTH

MAX_DIGITS: Final = 300
"""Digits of a number that is read as one."""

_key = re.compile(r"([A-Za-z_][-0-9A-Za-z_]*)[ \t]*(?:=(?![=>])|:(?!:))").match
_number = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").match
_digits = re.compile(r"[0-9]+([eE][+-]?[0-9]+)?").match
_legacy_index = re.compile(r"\.[0-9]").match
_operator = re.compile(r"==|!=|<=|>=|&&|\|\||[-+*/%<>]").match
_WORDS: Final = {"true": True, "false": False, "null": None}


class ExpressionReader(Cursor):
    """Reads expressions; it raises HclError."""

    def expression(self) -> Expression:
        """Read an expression, and the blanks that follow it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise HclError(self.at, f"nested deeper than {MAX_DEPTH} levels; flatten it", rule="resource-limit")
        start = self.at
        first = self._operand()
        if _operator(self.text, self.at):
            operands = [first]
            while match := _operator(self.text, self.at):
                self.at = match.end()
                self.skip()
                operands.append(self._operand())
            first = Operation(start, self.end, operands)
        if self.text.startswith("?", self.at):
            self.at += 1
            self.skip()
            if_true = self.expression()
            self.need(":")
            self.skip()
            if_false = self.expression()
            first = Conditional(start, self.end, first, if_true, if_false)
        self.depth -= 1
        return first

    def _operand(self) -> Expression:
        start = self.at
        signs = []
        while self.text[self.at : self.at + 1] in ("-", "!"):
            signs.append(self.text[self.at])
            self.at += 1
            self.skip()
        term = self._steps(self._term(), start)
        if (
            signs == ["-"]
            and isinstance(term, Literal)
            and isinstance(term.value, int | float)
            and term.value is not True
        ):
            return Literal(start, term.end, -term.value)
        return Operation(start, self.end, [term]) if signs else term

    def _term(self) -> Expression:
        start = self.at
        sign = self.text[start : start + 1]
        term: Expression | None = None
        if sign == '"':
            term = quoted(self)
        elif match := _number(self.text, start):
            self.at = match.end()
            term = Literal(start, self.at, number_value(match[0]))
        elif sign in ("(", "[", "{"):
            outer, self.in_brackets = self.in_brackets, True
            self.at += 1
            term = self._brackets(sign, start)
            self.in_brackets = outer
        elif sign == "<":
            term = heredoc(self)
        elif word := self.word():
            term = self._named(word, start)
        if term is None:
            message = f"unexpected {sign!r}" if sign not in ("", "\n", "}") else "a value is missing"
            raise HclError(start, f"{message}; write a value")
        self.end = self.at
        return term

    def _brackets(self, sign: str, start: int) -> Expression:
        """What follows an opening bracket, up to its closing one."""
        if sign == "{":
            return self._object(start)
        if sign == "[":
            if self.keyword("for"):
                return self._for(start, "]")
            items = self._items("]")
            return ListExpression(start, self.at, items)
        self.skip()
        inner = self.expression()
        self.need(")")
        return inner

    def _named(self, word: str, start: int) -> Expression:
        """A word, a reference or a call."""
        end = self.at
        name = word
        while self.skip() == ":" and self.text.startswith("::", self.at):
            self.at += 2
            self.skip()
            name = f"{name}::{self.word()}"
        if self.text.startswith("(", self.at):
            outer, self.in_brackets = self.in_brackets, True
            self.at += 1
            arguments = self._items(")")
            self.in_brackets = outer
            return Call(start, self.at, name, arguments, expands_last=self.text.endswith("...", start, self.end))
        if name != word:
            raise HclError(start, f"{name} is the name of a function; call it")
        self.at = end
        return Literal(start, end, _WORDS[word]) if word in _WORDS else Traversal(start, end, (word,))

    def _items(self, close: str) -> list[Expression]:
        """Expressions with commas between them and after the last, and the closing bracket."""
        items: list[Expression] = []
        while self.skip() != close:
            items.append(self.expression())
            if close == ")" and self.text.startswith("...", self.at):
                self.at += 3
                self.end = self.at
                self.need(close)
                return items
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith(close, self.at):
                raise HclError(self.at, f"a comma or {close} is missing")
        self.end = self.at
        self.at += 1
        return items

    def _object(self, start: int) -> Expression:
        if self.keyword("for"):
            return self._for(start, "}")
        items: list[tuple[Expression, Expression]] = []
        while self.skip() != "}":
            self.in_brackets = False
            key = self._key()
            if self.skip() not in ("=", ":") or self.text.startswith("=>", self.at):
                raise HclError(self.at, "= is missing behind the key")
            self.at += 1
            self.skip()
            items.append((key, self.expression()))
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith(("\n", "}"), self.at):
                raise HclError(self.at, "a comma, a new line or } is missing")
            self.in_brackets = True
        self.at += 1
        return ObjectExpression(start, self.at, items)

    def _key(self) -> Expression:
        match = _key(self.text, self.at)
        if match is None:
            key = self.expression()
            if not isinstance(key, Traversal) or len(key.steps) > 1 or self.text[key.start - 1 : key.start] == "(":
                return key
            return Template(key.start, key.end, str(key.steps[0]))
        self.at = match.end(1)
        return Template(match.start(), match.end(1), match[1])

    def _for(self, start: int, close: str) -> Expression:
        """A `for` expression, behind its first word."""
        operands = [self.loop()]
        self.need(":")
        self.skip()
        operands.append(self.expression())
        if close == "}":
            if not self.text.startswith("=>", self.at):
                raise HclError(self.at, "=> is missing")
            self.at += 2
            self.skip()
            operands.append(self.expression())
            if self.text.startswith("...", self.at):
                self.at += 3
        if self.keyword("if"):
            self.skip()
            operands.append(self.expression())
        self.need(close)
        return Operation(start, self.at, operands)

    def _steps(self, term: Expression, start: int) -> Expression:
        """The term with the names and indexes that follow it, and the blanks behind them."""
        steps: list[str | int] = [*term.steps] if isinstance(term, Traversal) else []
        operands: list[Expression] = [term]
        is_constant = bool(steps)
        end = term.end
        while (sign := self.skip()) == "[" or (sign == "." and not self.text.startswith("...", self.at)):
            self.at += 1
            step = self._index_step(operands) if sign == "[" else self._name_step()
            is_constant = is_constant and step is not None
            if step is not None:
                steps.append(step)
            self.end = end = self.at
        if end == term.end:
            return term
        return Traversal(term.start, end, tuple(steps)) if is_constant else Operation(start, end, operands)

    def _name_step(self) -> str | int | None:
        """What follows a dot; None for `*`."""
        if self.skip() == "*":
            self.at += 1
            return None
        if match := _digits(self.text, self.at):
            self.at = match.end()
            if _legacy_index(self.text, self.at):
                raise HclError(self.at, "two indexes with dots; write them in brackets")
            return None if match[1] else int(match[0][:MAX_DIGITS])
        word = self.word()
        if not word:
            raise HclError(self.at, "a name is missing behind the dot")
        return word

    def _index_step(self, operands: list[Expression]) -> str | int | None:
        """What is in brackets: a constant, else None, with the expression added to the operands."""
        outer, self.in_brackets = self.in_brackets, True
        step: str | int | None = None
        if self.skip() == "*":
            self.at += 1
        else:
            index = self.expression()
            operands.append(index)
            if isinstance(index, Template):
                step = index.text
            elif isinstance(index, Literal) and type(index.value) is int:
                step = index.value
        self.need("]")
        self.in_brackets = outer
        return step


def number_value(text: str, *, is_negative: bool = False) -> int | float | str:
    """A number without its sign as an int where it has no fraction; its text where no float holds it."""
    sign = "-" if is_negative else ""
    if text.isdigit() and len(text) <= MAX_DIGITS:
        return int(sign + text)
    value = float(text) if len(text) <= MAX_DIGITS else float("inf")
    if value == float("inf"):
        return sign + text
    return int(sign + str(int(value))) if value < 2**53 and value.is_integer() else float(sign + text)


def segments_at(source: str, start: int) -> list[Segment]:
    """The characters of the template that starts at an offset, each with its place; none where no template does."""
    try:
        return template_segments(
            source, (quoted if source.startswith('"', start) else heredoc)(ExpressionReader(source, start))
        )
    except HclError:
        return []
