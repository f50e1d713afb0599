"""Reading a CEL text into its syntax tree, past the slips that have one clear meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from trialrun.record import dataclass
from trialrun.values.cel.cursor import CLOSING, Stop
from trialrun.values.cel.operands import Operands
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.tokens import Token, read_tokens
from trialrun.values.problem import Problem

_RELATIONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "ne": "!=", "mod": "%"}
# deeper than the engine goes, and safe for Python's stack
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Parse:
    """What reading gave: the tree, None when reading had to stop; and what is wrong, in the order of the text."""

    tree: Node | None
    problems: tuple[Problem, ...]


def parse(text: str, types: Mapping[int, str] | None = None) -> Parse:
    """Read a text; `types` are the engine's types by place, where it has any."""
    problems: list[Problem] = []
    operators = _Operators(text, read_tokens(text, problems), types or {}, problems)
    try:
        tree = operators.condition()
    except Stop:
        tree = None
    ordered = sorted(set(problems), key=lambda each: (each.start, each.end, each.message))
    return Parse(tree, tuple(ordered))


class _Operators(Operands):
    """The grammar from the loosest binding on: ? : then || && relations + - * / % and ! -."""

    def condition(self) -> Node:
        if self.next.kind == "end":
            if self.problems:
                raise Stop
            raise self.stop(Token("text", self.text, 0, len(self.text)), "the condition is empty; write an expression")
        tree = self.expression()
        token = self.next
        if token.kind == "end":
            return tree
        if token.text in CLOSING.values():
            raise self.stop(token, f'"{token.text}" closes nothing; remove it or open it before')
        raise self.unexpected(token)

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Stop
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
        return self.chain("||", self.conjunction)

    def conjunction(self) -> Node:
        return self.chain("&&", self.relation)

    def chain(self, operator: str, operand: Callable[[], Node]) -> Node:
        first = operand()
        operands, mark = [first], None
        while (token := self.operator(operator)) is not None:
            mark = mark or token
            operands.append(operand())
        if mark is None:
            return first
        return self.node("operator", mark, first.start, operands[-1].end, children=tuple(operands))

    def operator(self, *operators: str) -> Token | None:
        """Take the next token when it is one of these operators, or the word that other languages have for one."""
        kind, text, start, end = token = self.next
        if kind == "operator" and text in operators:
            return self.take()
        if kind != "name" or (right := _WORDS.get(text.lower())) not in operators:
            return None
        self.tell(token, f'"{text}" is not an operator of CEL; write {right}', right)
        self.take()
        return Token("operator", right, start, end)

    def relation(self) -> Node:
        left = self.sum()
        while True:
            mark = self.operator(*_RELATIONS) or self.membership()
            if mark is None:
                return left
            left = self.binary(left, mark, self.sum())

    def membership(self) -> Token | None:
        token = self.next
        if token.kind != "name":
            return None
        following = self.tokens[self.place + 1] if token.text.lower() == "not" else None
        if following and following.text == "in":
            self.tell(token, '"not in" is not an operator of CEL; write !(a in b)')
            self.take()
        return self.take() if self.next.text == "in" else None

    def sum(self) -> Node:
        left = self.product()
        while self.is_next("+", "-"):
            left = self.binary(left, self.take(), self.product())
        return left

    def product(self) -> Node:
        left = self.unary()
        while mark := self.operator("*", "/", "%"):
            left = self.binary(left, mark, self.unary())
        return left

    def binary(self, left: Node, mark: Token, right: Node) -> Node:
        return self.node("operator", mark, left.start, right.end, children=(left, right))

    def unary(self) -> Node:
        first = self.next
        if first.kind == "name" and first.text.lower() == "not":
            return self.word_not()
        if first.kind != "operator" or first.text not in "!-":
            return self.member()
        count = 0
        while self.is_next(first.text):
            self.take()
            count += 1
        if first.text == "-" and count == 1 and self.next.kind in ("int", "float"):
            self.place -= 1
            return self.member()
        operand = self.member()
        # two of them cancel out, whatever the operand's type: the engine drops them
        name = first.text if count % 2 else first.text * 2
        node = self.node("operator", first, first.start, operand.end, children=(operand,))
        return replace(node, name=name, type=operand.type if count % 2 == 0 else node.type)

    def word_not(self) -> Node:
        following = self.tokens[self.place + 1]
        starts_value = following.kind in ("name", "string", "int", "uint", "float") or following.text in ("!", "[")
        if not starts_value or following.text == "in":
            return self.member()
        token = self.take()
        self.tell(token, f'"{token.text}" is not an operator of CEL; write !', "!")
        operand = self.relation()
        return self.node(
            "operator", Token("operator", "!", token.start, token.end), token.start, operand.end, children=(operand,)
        )
