"""Parser of CEL with error recovery for slips that have one clear meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.parse_primary import PrimaryParser
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.token_stream import CLOSING, ParseStopped
from trialrun.values.cel.tokens import Token, tokenize
from trialrun.values.problem import Problem

_RELATIONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_OR, _AND, _RELATION, _SUM, _PRODUCT = range(1, 6)
_PRECEDENCES = {
    "||": _OR,
    "&&": _AND,
    **dict.fromkeys(_RELATIONS, _RELATION),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_NULLS = ("null", "none", "nil")
_WORD_OPERATORS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "ne": "!=", "mod": "%"}
# deeper than the engine allows, and safe for Python's stack
_MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class ParsedExpression:
    """The result of parsing: the tree, None if parsing had to stop; and the problems in text order."""

    tree: Node | None
    problems: tuple[Problem, ...]


def parse(text: str, types: Mapping[int, str] | None = None) -> ParsedExpression:
    """Parse a text; `types` are the types from the engine by position, if known."""
    problems: list[Problem] = []
    operators = _Parser(text, tokenize(text, problems), types or {}, problems)
    try:
        tree = operators.condition()
    except ParseStopped:
        tree = None
    ordered = sorted(set(problems), key=lambda each: (each.start, each.end, each.message))
    return ParsedExpression(tree, tuple(ordered))


class _Parser(PrimaryParser):
    """The grammar of operators, from lowest to highest precedence: ? : then || && relations + - * / % and ! -."""

    def condition(self) -> Node:
        if self.next.kind == "end":
            if self.problems:
                raise ParseStopped
            raise self.stop(Token("text", self.text, 0, len(self.text)), "the condition is empty; write an expression")
        tree = self.expression()
        token = self.next
        if token.kind == "end":
            return tree
        if token.text in CLOSING.values():
            without = (token.start, token.end, "")
            raise self.stop(token, f'"{token.text}" closes nothing; remove it or open it before', stand_in=without)
        raise self.unexpected(token)

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ParseStopped
        condition = self.alternatives()
        if self.is_next("?"):
            condition = self.conditional(condition, self.take())
        self.depth -= 1
        return condition

    def conditional(self, condition: Node, mark: Token) -> Node:
        yes = self.alternatives()
        if not self.is_next(":"):
            if self.next.kind == "end":
                raise self.stop(mark, '"?" has no ":" after it; write condition ? value : other')
            raise self.unexpected(self.next)
        self.take()
        no = self.expression()
        return self.node("conditional", mark, condition.start, no.end, children=(condition, yes, no))

    def alternatives(self) -> Node:
        return self.operation(_OR)

    def operation(self, lowest: int) -> Node:
        """An operand, with the operators after it whose precedence is `lowest` or higher."""
        left = self.unary()
        while (precedence := self.precedence()) >= lowest:
            if precedence <= _AND:
                left = self.chain(left, precedence)
            elif precedence == _RELATION:
                left = self.relation(left)
            else:
                left = self.binary(left, self.operator(), self.operation(precedence + 1))
        return left

    def precedence(self) -> int:
        """The precedence of the next token: 0 if it is neither a binary operator nor a word for one."""
        kind, text, _, _ = self.tokens[self.place]
        if kind == "operator":
            return _PRECEDENCES.get(text, 0)
        if kind != "name":
            return 0
        right = _WORD_OPERATORS.get(text.lower())
        return _PRECEDENCES[right] if right else _RELATION if text == "in" or self.is_not_in() else 0

    def chain(self, first: Node, precedence: int) -> Node:
        mark, operands = self.operator(), [first, self.operation(precedence + 1)]
        while self.precedence() == precedence:
            self.operator()
            operands.append(self.operation(precedence + 1))
        return self.node("operator", mark, first.start, operands[-1].end, children=tuple(operands))

    def operator(self) -> Token:
        """Consume an operator, or a word for one in other languages."""
        kind, text, start, end = token = self.take()
        if kind == "operator":
            return token
        right = _WORD_OPERATORS[text.lower()]
        if text.lower() == "is" and self.next.kind == "name" and self.next.text.lower() == "not":
            right, end = "!=", self.take().end
            token = Token(kind, self.text[start:end], start, end)
        self.report(token, f'"{token.text}" is not an operator of CEL; write {right}', right)
        return Token("operator", right, start, end)

    def relation(self, left: Node) -> Node:
        if self.is_not_in():
            return self.not_in(left, self.take())
        word = self.next
        mark = self.take() if word.text == "in" else self.operator()
        node = self.binary(left, mark, self.operation(_SUM))
        if word.text.lower() == "is":
            self.suggest_has(node)
        return node

    def suggest_has(self, has_node: Node) -> None:
        """Handle `a.b is null` and `a.b is not null` of other languages, which test for presence."""
        field, null = has_node.children
        if field.kind != "select" or null.kind not in ("name", "literal") or null.name.lower() not in _NULLS:
            return
        written = f"{'' if has_node.name == '!=' else '!'}has({self.corrected_text(field.start, field.end)})"
        place, slip = (has_node.start, has_node.end), self.problems[-1]
        message = f'"{self.text[slip.start : has_node.end]}" is not CEL; write {written}'
        self.problems[-1] = Problem("syntax", slip.start, has_node.end, message, written, place, (*place, written))

    def is_not_in(self) -> bool:
        word, following = self.next, self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        return word.kind == "name" and word.text.lower() == "not" and following.text == "in"

    def not_in(self, left: Node, word: Token) -> Node:
        """Handle `a not in b` of other languages."""
        without = (word.start, word.end, "")
        problem_index = self.report(word, '"not in" is not an operator of CEL; write !(a in b)', None, without)
        mark = self.take()
        node = self.binary(left, mark, self.operation(_SUM))
        if not _is_unparenthesized_binary(left) or left.name not in _RELATIONS:
            sought = self.corrected_text(node.start, word.start).rstrip()
            self.set_replacement(
                problem_index, f"!({sought} {self.corrected_text(mark.start, node.end)})", (node.start, node.end)
            )
        return node

    def binary(self, left: Node, mark: Token, right: Node) -> Node:
        return self.node("operator", mark, left.start, right.end, children=(left, right))

    def unary(self) -> Node:
        first = self.tokens[self.place]
        if first.kind == "name" and first.text.lower() == "not":
            return self.word_not()
        if first.kind != "operator" or first.text not in ("!", "-"):
            return self.member()
        count = 0
        while self.is_next(first.text):
            self.take()
            count += 1
        if first.text == "-" and count == 1 and self.next.kind in ("int", "float"):
            self.place -= 1
            return self.member()
        operand = self.member()
        # two negations cancel each other, whatever the type of the operand: the engine drops them
        name = first.text if count % 2 else first.text * 2
        node = self.node("operator", first, first.start, operand.end, children=(operand,))
        return replace(node, name=name, type=operand.type if count % 2 == 0 else node.type)

    def word_not(self) -> Node:
        following = self.tokens[self.place + 1]
        starts_value = following.kind in ("name", "string", "int", "uint", "float") or following.text in ("!", "[")
        if not starts_value or following.text == "in":
            return self.member()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ParseStopped
        node = self.negation(self.take())
        self.depth -= 1
        return node

    def negation(self, word: Token) -> Node:
        """Handle `not a` of other languages, which has lower precedence there than `!` has in CEL."""
        without = (word.start, word.end, "")
        problem_index = self.report(word, f'"{word.text}" is not an operator of CEL; write !', None, without)
        operand = self.operation(_RELATION)
        if _is_unparenthesized_binary(operand):
            self.set_replacement(
                problem_index, f"!({self.corrected_text(operand.start, operand.end)})", (word.start, operand.end)
            )
        else:
            self.set_replacement(problem_index, "!", (word.start, word.end))
        mark = Token("operator", "!", word.start, word.end)
        return self.node("operator", mark, word.start, operand.end, children=(operand,))


def _is_unparenthesized_binary(node: Node) -> bool:
    """Whether a part is a binary operation without parentheses."""
    return node.kind == "operator" and len(node.children) == 2 and node.start == node.children[0].start
