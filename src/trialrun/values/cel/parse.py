"""Parser of CEL with error recovery for slips that have one clear meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from trialrun.values import Problem
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.tokens import (
    CLOSING,
    NAME,
    RESERVED,
    ParseStopped,
    Token,
    TokenReader,
    ended_by_quote,
    literal_value,
    tokenize,
)

_CONSTANTS = {"true": True, "false": False, "null": None}
_NO_FIELDS = frozenset({"in", *_CONSTANTS})
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


class _Parser(TokenReader):
    """The grammar, from the lowest precedence to the highest: ? :, ||, &&, relations, + -, * / %, ! -, and values."""

    def __init__(self, text: str, tokens: list[Token], types: Mapping[int, str], problems: list[Problem]) -> None:
        super().__init__(text, tokens, problems)
        self.types = types
        self.depth = 0

    def unexpected(self, token: Token) -> ParseStopped:
        before = self.tokens[self.place - 1]
        if token.kind in ("name", "string") and before.kind == "string" and before.end == token.start:
            self.problems[:] = [problem for problem in self.problems if problem.start < before.end]
            self.problems.append(ended_by_quote(self.text, before))
            return ParseStopped()
        following = self.tokens[self.place + 1].kind if token.kind != "end" else "end"
        if token.kind == "name" and following in ("name", "string", "int", "uint", "float"):
            return self.stop(token, f'"{token.text}" is not an operator of CEL; a function is written a.f(b)')
        if token.text == ",":
            return self.stop(token, '"," only separates arguments and items; write && or, in a number, a point')
        return self.stop(token, f'an operator is missing before {token.text}; put one there, such as "&&"')

    def missing_value(self, token: Token) -> ParseStopped:
        before = self.tokens[self.place - 1] if self.place else None
        if token.kind == "end" and before:
            if before.text in CLOSING:
                return self.unclosed(before)
            return self.stop(before, f'"{before.text}" has no value after it; write one')
        if token.kind == "quoted":
            plain = token.text.strip("`") if NAME.match(token.text.strip("`")) else None
            return self.stop(token, f"only a field is written in backticks; write {plain or 'a name'}", plain)
        return self.stop(token, f'a value is missing before "{token.text}"; write one')

    def node(
        self,
        kind: str,
        mark: Token,
        start: int,
        end: int,
        *,
        children: tuple[Node, ...] = (),
        name_token: Token | None = None,
        receiver: bool = False,
        optional: bool = False,
    ) -> Node:
        """A part at the engine's place for it, the mark's, with its type; named as the mark, or as `name_token`."""
        name = name_token or mark
        text = name.text.strip("`") if name.kind == "quoted" else name.text
        type_name = self.types.get(mark.start, "dyn")
        place = (start, end, mark.start, name.start, name.end)
        return Node(kind, text, *place, children, None, type_name, receiver, optional)

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
        node = self.operation(_OR)
        if self.is_next("?"):
            mark, yes = self.take(), self.operation(_OR)
            if not self.is_next(":"):
                if self.text.startswith(".", mark.end):
                    raise self.stop(mark, '"?." is not an operator of CEL; write a dot, and check has(a.b) first')
                if self.next.kind == "end":
                    raise self.stop(mark, '"?" has no ":" after it; write condition ? value : other')
                raise self.unexpected(self.next)
            self.take()
            no = self.expression()
            node = self.node("conditional", mark, node.start, no.end, children=(node, yes, no))
        self.depth -= 1
        return node

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
            written = f"!({sought} {self.corrected_text(mark.start, node.end)})"
            self.set_replacement(problem_index, written, (node.start, node.end))
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
        node = self.node("operator", first, first.start, operand.end, children=(operand,))
        # two negations cancel each other, whatever the type of the operand: the engine drops them
        return node if count % 2 else replace(node, name=first.text * 2, type=operand.type)

    def word_not(self) -> Node:
        """Handle `not a` of other languages, which has lower precedence there than `!` has in CEL."""
        following = self.tokens[self.place + 1]
        starts_value = following.kind in ("name", "string", "int", "uint", "float") or following.text in ("!", "[")
        if not starts_value or following.text == "in":
            return self.member()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ParseStopped
        word = self.take()
        without = (word.start, word.end, "")
        problem_index = self.report(word, f'"{word.text}" is not an operator of CEL; write !', None, without)
        operand = self.operation(_RELATION)
        if _is_unparenthesized_binary(operand):
            written = f"!({self.corrected_text(operand.start, operand.end)})"
            self.set_replacement(problem_index, written, (word.start, operand.end))
        else:
            self.set_replacement(problem_index, "!", (word.start, word.end))
        self.depth -= 1
        mark = Token("operator", "!", word.start, word.end)
        return self.node("operator", mark, word.start, operand.end, children=(operand,))

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
        is_field = name.kind == "quoted" or (name.kind == "name" and name.text not in _NO_FIELDS)
        if not is_field:
            raise self.stop(dot, '"." has no name after it; write a field or remove it')
        self.take()
        if self.is_next("(") and not optional and name.kind == "name":
            return self.call(name, operand.start, operand)
        start, end = operand.start, name.end
        return self.node("select", dot, start, end, children=(operand,), name_token=name, optional=optional)

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
        kind, text, start, _ = token = self.tokens[self.place]
        if kind == "name":
            return self.constant() if text in _CONSTANTS else self.name(start)
        signed = text == "-" and self.tokens[self.place + 1].kind in ("int", "float")
        if signed or kind in ("string", "float", "uint", "int"):
            return self.literal()
        if kind == "stray":
            # reported already; it is before a value, as in $a, or for one, so that none is missing here
            self.take()
            if self.next.start == token.end and self.next.kind in ("name", "string", "int", "uint", "float"):
                return self.primary()
            return self.node("name", token, start, token.end)
        match text if kind == "operator" else "":
            case "(":
                return self.group(self.take())
            case "[":
                items, closing = self.items(self.take(), trailing=True)
                return self.node("list", token, start, closing.end, children=tuple(items))
            case "{":
                items, closing = self.entries(self.take(), keys=True)
                return self.node("map", token, start, closing.end, children=tuple(items))
            case ".":
                return self.absolute(self.take())
        raise self.missing_value(token)

    def literal(self) -> Node:
        sign = self.take() if self.is_next("-") else None
        token = self.take()
        start = sign.start if sign else token.start
        name, value = literal_value(token, -1 if sign else 1, self.problems)
        return Node("literal", name, start, token.end, start, start, token.end, value=value, type=name)

    def constant(self) -> Node:
        _, text, start, end = self.take()
        value = _CONSTANTS[text]
        name = "null" if value is None else "bool"
        return Node("literal", name, start, end, start, start, end, value=value, type=name)

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
                if self.next.kind == "end":
                    raise self.stop(opening, f'"{opening.text}" is not closed; add "{CLOSING[opening.text]}"')
                message = '":" is missing before this; a map is written {key: value}, a list [value, value]'
                raise self.stop(self.next, message)
            colon = self.take()
            if not keys:
                nodes[-1] = replace(nodes[-1], engine_offset=colon.start)
            nodes.append(self.expression())
            if not self.is_next(","):
                break
            self.take()
        return nodes, self.close(opening)

    def field_name(self) -> Node:
        token = self.next
        if token.kind not in ("name", "quoted"):
            place = token if token.kind != "end" else self.tokens[self.place - 1]
            raise self.stop(place, "a field name is missing here; write one")
        self.take()
        start, end = token.start, token.end
        return Node("literal", "string", start, end, -1, start, end, value=token.text.strip("`"))


def _type_name(node: Node) -> str | None:
    """The dotted name that a part is, or None when it is more than a name."""
    names = []
    while node.kind == "select" and not node.optional:
        names.append(node.name)
        node = node.children[0]
    return ".".join([node.name, *reversed(names)]) if node.kind == "name" else None


def _is_unparenthesized_binary(node: Node) -> bool:
    """Whether a part is a binary operation without parentheses."""
    return node.kind == "operator" and len(node.children) == 2 and node.start == node.children[0].start
