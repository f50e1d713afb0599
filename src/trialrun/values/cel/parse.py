"""Reading a CEL text into its syntax tree, past the slips that have one clear meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.tokens import NAME, RESERVED, Token, escape_problems, literal_text, read_tokens
from trialrun.values.problem import Problem

_RELATIONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "ne": "!=", "mod": "%"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CONSTANTS = {"true": True, "false": False, "null": None}
# deeper than the engine goes, and safe for Python's stack
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Parse:
    """What reading gave: the tree, None when reading had to stop; and what is wrong, in the order of the text."""

    tree: Node | None
    problems: tuple[Problem, ...]


class _Stop(Exception):
    pass


def parse(text: str, types: Mapping[int, str] | None = None) -> Parse:
    """Read a text; `types` are the engine's types by place, where it has any."""
    problems: list[Problem] = []
    reader = _Reader(text, read_tokens(text, problems), types or {}, problems)
    try:
        tree = reader.condition()
    except _Stop:
        tree = None
    ordered = sorted(set(problems), key=lambda each: (each.start, each.end, each.message))
    return Parse(tree, tuple(ordered))


class _Reader:
    def __init__(self, text: str, tokens: list[Token], types: Mapping[int, str], problems: list[Problem]) -> None:
        self.text, self.tokens, self.types, self.problems = text, tokens, types, problems
        self.place = self.depth = 0

    # tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def is_next(self, *words: str) -> bool:
        kind, text, _, _ = self.tokens[self.place]
        return text in words and kind == "operator"

    def take(self) -> Token:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def stop(self, token: Token, message: str, replacement: str | None = None) -> _Stop:
        # an open quote swallows the rest: what is cut off there is not missing
        if self.next.kind not in ("cut", "stray") and not any(
            each.end == token.end > token.start for each in self.problems
        ):
            self.tell(token, message, replacement)
        return _Stop()

    def tell(self, token: Token, message: str, replacement: str | None = None) -> None:
        self.problems.append(Problem("syntax", token.start, token.end, message, replacement))

    # the grammar, loosest binding first

    def condition(self) -> Node:
        if self.next.kind == "end":
            if self.problems:
                raise _Stop
            raise self.stop(Token("text", self.text, 0, len(self.text)), "the condition is empty; write an expression")
        tree = self.expression()
        token = self.next
        if token.kind == "end":
            return tree
        if token.text in _CLOSING.values():
            raise self.stop(token, f'"{token.text}" closes nothing; remove it or open it before')
        raise self.unexpected(token)

    def unexpected(self, token: Token) -> _Stop:
        following = self.tokens[self.place + 1].kind if token.kind != "end" else "end"
        if token.kind == "name" and following in ("name", "string", "int", "uint", "float"):
            return self.stop(token, f'"{token.text}" is not an operator of CEL; a function is written a.f(b)')
        return self.stop(token, f'an operator is missing before {token.text}; put one there, such as "&&"')

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Stop
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

    def member(self) -> Node:
        node = self.primary()
        while self.is_next(".", "[", "{"):
            if self.is_next("."):
                node = self.select(node, self.take())
            elif self.is_next("["):
                node = self.index(node, self.take())
            elif (name := _type_name(node)) is not None:
                node = self.message(node, name, self.take())
            else:
                break
        return node

    def select(self, operand: Node, dot: Token) -> Node:
        optional = self.is_next("?") and bool(self.take())
        name = self.next
        is_field = name.kind == "quoted" or (name.kind == "name" and name.text not in ("in", *_CONSTANTS))
        if not is_field:
            raise self.stop(dot, '"." has no name after it; write a field or remove it')
        self.take()
        if self.is_next("(") and not optional and name.kind == "name":
            return self.call(name, operand.start, operand)
        node = self.node("select", dot, operand.start, name.end, children=(operand,))
        return replace(node, name=name.text.strip("`"), name_start=name.start, name_end=name.end, optional=optional)

    def index(self, operand: Node, bracket: Token) -> Node:
        optional = self.is_next("?") and bool(self.take())
        key = self.expression()
        closing = self.close(bracket)
        node = self.node("index", bracket, operand.start, closing.end, children=(operand, key))
        return replace(node, optional=optional)

    def call(self, name: Token, start: int, receiver: Node | None) -> Node:
        opening = self.take()
        arguments, closing = self.items(opening, trailing=False)
        node = self.node(
            "call", opening, start, closing.end, children=(receiver, *arguments) if receiver else tuple(arguments)
        )
        return replace(node, name=name.text, name_start=name.start, name_end=name.end, receiver=receiver is not None)

    def items(self, opening: Token, *, trailing: bool) -> tuple[list[Node], Token]:
        """The expressions up to the closing bracket; a comma before it where the grammar lets one."""
        found: list[Node] = []
        while not self.is_next(_CLOSING[opening.text]):
            if trailing and self.is_next("?"):
                self.take()
            found.append(self.expression())
            if not self.is_next(","):
                break
            comma = self.take()
            if self.is_next(_CLOSING[opening.text]) and not trailing:
                self.tell(comma, '"," has no argument after it; remove it', "")
        return found, self.close(opening)

    def close(self, opening: Token) -> Token:
        closing = _CLOSING[opening.text]
        if self.is_next(closing):
            return self.take()
        if self.next.kind == "end":
            raise self.stop(opening, f'"{opening.text}" is not closed; add "{closing}"')
        if self.next.text in _CLOSING.values():
            raise self.stop(self.next, f'"{self.next.text}" does not close "{opening.text}"; write {closing}', closing)
        raise self.unexpected(self.next)

    def primary(self) -> Node:
        kind, text, start, _ = token = self.next
        signed = text == "-" and self.tokens[self.place + 1].kind in ("int", "float")
        if signed or kind in ("string", "float", "uint", "int"):
            return self.literal()
        if kind == "stray":
            # told already; it stands for a value, so that none is missing here
            return self.node("name", self.take(), start, token.end)
        if kind == "name":
            return self.constant() if text in _CONSTANTS else self.name(start)
        if kind == "operator" and text in _OPENERS:
            return _OPENERS[text](self, self.take())
        raise self.missing_value(token)

    def missing_value(self, token: Token) -> _Stop:
        before = self.tokens[self.place - 1] if self.place else None
        if token.kind == "end" and before:
            if before.text in _CLOSING:
                return self.stop(before, f'"{before.text}" is not closed; add "{_CLOSING[before.text]}"')
            return self.stop(before, f'"{before.text}" has no value after it; write one')
        if token.kind == "quoted":
            plain = token.text.strip("`") if NAME.match(token.text.strip("`")) else None
            return self.stop(token, f"only a field is written in backticks; write {plain or 'a name'}", plain)
        return self.stop(token, f'a value is missing before "{token.text}"; write one')

    def literal(self) -> Node:
        sign = self.take() if self.is_next("-") else None
        token = self.take()
        start = sign.start if sign else token.start
        name, value = self.literal_value(token, -1 if sign else 1)
        return Node("literal", name, start, token.end, start, start, token.end, value=value, type=name)

    def literal_value(self, token: Token, sign: int) -> tuple[str, str | bytes | int | float]:
        if token.kind == "string":
            wrong = list(escape_problems(token))
            self.problems.extend(wrong)
            value = literal_text(token) if not wrong else token.text
            return "string" if isinstance(value, str) else "bytes", value
        if token.kind == "float":
            return "double", sign * float(token.text)
        digits = token.text.rstrip("uU")
        # Python refuses to read thousands of digits, and 20 are too many already
        number = sign * int(digits[:40], 16 if digits.startswith("0x") else 10)
        lowest, highest = (0, 2**64) if token.kind == "uint" else (-(2**63), 2**63)
        if not lowest <= number < highest:
            shown = digits if len(digits) <= 40 else digits[:40] + "…"
            self.tell(token, f"{shown} is out of the 64-bit range of {token.kind}; write a smaller number")
        return token.kind, number

    def constant(self) -> Node:
        token = self.take()
        value = _CONSTANTS[token.text]
        name = "null" if value is None else "bool"
        return Node(
            "literal", name, token.start, token.end, token.start, token.start, token.end, value=value, type=name
        )

    def name(self, start: int) -> Node:
        token = self.next
        if token.text == "in":
            raise self.missing_value(token)
        self.take()
        if token.text in RESERVED:
            self.tell(token, f'"{token.text}" is a reserved word of CEL; it cannot be a name')
        if self.is_next("("):
            return self.call(token, start, None)
        return self.node("name", token, start, token.end)

    def absolute(self, dot: Token) -> Node:
        if self.next.kind != "name" or self.next.text in _CONSTANTS:
            raise self.stop(dot, '"." has nothing before it; write the value whose field this is')
        return replace(self.name(dot.start), value=".")

    def group(self, opening: Token) -> Node:
        inner = self.expression()
        if self.is_next(","):
            raise self.stop(self.next, '"," does not stand in parentheses; write a list in brackets, [a, b]')
        closing = self.close(opening)
        return replace(inner, start=opening.start, end=closing.end)

    def list_literal(self, opening: Token) -> Node:
        elements, closing = self.items(opening, trailing=True)
        return self.node("list", opening, opening.start, closing.end, children=tuple(elements))

    def map_literal(self, opening: Token) -> Node:
        entries, closing = self.entries(opening, keys=True)
        return self.node("map", opening, opening.start, closing.end, children=tuple(entries))

    def message(self, operand: Node, name: str, opening: Token) -> Node:
        entries, closing = self.entries(opening, keys=False)
        node = self.node("message", opening, operand.start, closing.end, children=tuple(entries))
        made = self.types.get(operand.start, "dyn")
        node = replace(node, name=name, type=made, at=operand.start)
        return replace(node, name_start=operand.start, name_end=operand.end)

    def entries(self, opening: Token, *, keys: bool) -> tuple[list[Node], Token]:
        found: list[Node] = []
        while not self.is_next("}"):
            if self.is_next("?"):
                self.take()
            found.append(self.expression() if keys else self.field_name())
            if not self.is_next(":"):
                raise self.stop(self.next if self.next.kind != "end" else opening, self.no_colon(opening))
            colon = self.take()
            if not keys:
                found[-1] = replace(found[-1], at=colon.start)
            found.append(self.expression())
            if not self.is_next(","):
                break
            self.take()
        return found, self.close(opening)

    def no_colon(self, opening: Token) -> str:
        if self.next.kind == "end":
            return f'"{opening.text}" is not closed; add "{_CLOSING[opening.text]}"'
        return '":" is missing before this; a map is written {key: value}, a list [value, value]'

    def field_name(self) -> Node:
        token = self.next
        if token.kind not in ("name", "quoted"):
            raise self.stop(
                token if token.kind != "end" else self.tokens[self.place - 1], "a field name is missing here; write one"
            )
        self.take()
        return Node(
            "literal", "string", token.start, token.end, -1, token.start, token.end, value=token.text.strip("`")
        )

    def node(self, kind: str, mark: Token, start: int, end: int, *, children: tuple[Node, ...] = ()) -> Node:
        """A part whose name is the mark, at the place that the engine has for it."""
        known = self.types.get(mark.start, "dyn")
        return Node(kind, mark.text, start, end, mark.start, mark.start, mark.end, children, type=known)


_OPENERS = {"(": _Reader.group, "[": _Reader.list_literal, "{": _Reader.map_literal, ".": _Reader.absolute}


def _type_name(node: Node) -> str | None:
    """The dotted name that a part is, or None when it is more than a name."""
    names = []
    while node.kind == "select" and not node.optional:
        names.append(node.name)
        node = node.children[0]
    return ".".join([node.name, *reversed(names)]) if node.kind == "name" else None
