"""The tightest part of the grammar: literals, names, calls, fields, lists and maps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from trialrun.values.cel.identifiers import RESERVED
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.token_stream import CLOSING, ParseStopped, TokenStream
from trialrun.values.cel.tokens import Token, escape_problems, literal_text

_CONSTANTS = {"true": True, "false": False, "null": None}


class PrimaryParser(TokenStream):
    """Reading what operators are between."""

    @abstractmethod
    def expression(self) -> Node:
        """A whole expression, as is in parentheses and brackets."""

    def member(self) -> Node:
        node = self.primary()
        while True:
            kind, text, _, _ = self.tokens[self.place]
            if kind != "operator":
                return node
            if text == ".":
                node = self.select(node, self.take())
            elif text == "[":
                node = self.index(node, self.take())
            elif text == "{" and (name := _type_name(node)) is not None:
                node = self.message(node, name, self.take())
            else:
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
        return self.node(
            "select", dot, operand.start, name.end, children=(operand,), name_token=name, optional=optional
        )

    def index(self, operand: Node, bracket: Token) -> Node:
        optional = self.is_next("?") and bool(self.take())
        key = self.expression()
        closing = self.close(bracket)
        return self.node("index", bracket, operand.start, closing.end, children=(operand, key), optional=optional)

    def call(self, name: Token, start: int, receiver: Node | None) -> Node:
        opening = self.take()
        arguments, closing = self.items(opening, trailing=False)
        children = (receiver, *arguments) if receiver else tuple(arguments)
        is_member = receiver is not None
        return self.node("call", opening, start, closing.end, children=children, name_token=name, receiver=is_member)

    def items(self, opening: Token, *, trailing: bool) -> tuple[list[Node], Token]:
        """The expressions up to the closing bracket; a comma before it where the grammar lets one."""
        nodes: list[Node] = []
        while not self.is_next(CLOSING[opening.text]):
            if trailing and self.is_next("?"):
                self.take()
            nodes.append(self.expression())
            if not self.is_next(","):
                break
            comma = self.take()
            if self.is_next(CLOSING[opening.text]) and not trailing:
                self.report(comma, '"," has no argument after it; remove it', "")
        return nodes, self.close(opening)

    def close(self, opening: Token) -> Token:
        closing = CLOSING[opening.text]
        if self.is_next(closing):
            return self.take()
        if self.next.kind == "end":
            raise self.unclosed(opening)
        if self.next.text in CLOSING.values():
            raise self.stop(self.next, f'"{self.next.text}" does not close "{opening.text}"; write {closing}', closing)
        raise self.unexpected(self.next)

    def primary(self) -> Node:
        kind, text, start, _ = token = self.next
        signed = text == "-" and self.tokens[self.place + 1].kind in ("int", "float")
        if signed or kind in ("string", "float", "uint", "int"):
            return self.literal()
        if kind == "stray":
            # reported already; it is before a value, as in $a, or for one, so that none is missing here
            self.take()
            if self.next.start == token.end and self.next.kind in ("name", "string", "int", "uint", "float"):
                return self.primary()
            return self.node("name", token, start, token.end)
        if kind == "name":
            return self.constant() if text in _CONSTANTS else self.name(start)
        if kind == "operator" and text in _OPENERS:
            return _OPENERS[text](self, self.take())
        raise self.missing_value(token)

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
            shortened = digits if len(digits) <= 40 else digits[:40] + "…"
            zero = (token.start, token.end, "0u" if token.kind == "uint" else "0")
            self.report(
                token, f"{shortened} is out of the 64-bit range of {token.kind}; write a smaller number", None, zero
            )
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
            self.report(token, f'"{token.text}" is a reserved word of CEL; it cannot be a name')
            if self.next.kind in ("name", "string", "int", "uint", "float"):
                # a statement of another language, as in `if a then b`: no more of it can be read
                raise ParseStopped
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
            raise self.stop(self.next, '"," is not allowed in parentheses; write a list in brackets, [a, b]')
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
        mark = Token("name", name, operand.start, operand.end)
        return self.node("message", mark, operand.start, closing.end, children=tuple(entries))

    def entries(self, opening: Token, *, keys: bool) -> tuple[list[Node], Token]:
        nodes: list[Node] = []
        while not self.is_next("}"):
            if self.is_next("?"):
                self.take()
            nodes.append(self.expression() if keys else self.field_name())
            if not self.is_next(":"):
                raise self.stop(self.next if self.next.kind != "end" else opening, self.no_colon(opening))
            colon = self.take()
            if not keys:
                nodes[-1] = replace(nodes[-1], engine_offset=colon.start)
            nodes.append(self.expression())
            if not self.is_next(","):
                break
            self.take()
        return nodes, self.close(opening)

    def no_colon(self, opening: Token) -> str:
        if self.next.kind == "end":
            return f'"{opening.text}" is not closed; add "{CLOSING[opening.text]}"'
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


_OPENERS = {
    "(": PrimaryParser.group,
    "[": PrimaryParser.list_literal,
    "{": PrimaryParser.map_literal,
    ".": PrimaryParser.absolute,
}


def _type_name(node: Node) -> str | None:
    """The dotted name that a part is, or None when it is more than a name."""
    names = []
    while node.kind == "select" and not node.optional:
        names.append(node.name)
        node = node.children[0]
    return ".".join([node.name, *reversed(names)]) if node.kind == "name" else None
