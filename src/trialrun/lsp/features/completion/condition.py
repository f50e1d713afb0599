"""A condition as far as it is written: what is in scope at its end, and the type of what stands before a dot."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.lsp.features.completion.functions import BINDING, GLOBAL, element, result
from trialrun.values.cel import Schema
from trialrun.values.cel.tokens import Token
from trialrun.values.cel.type_texts import Type

LONGEST_CHAIN = 40


class Condition:
    """The tokens of a condition before the cursor; `scope` has the types of all names that can be read there."""

    def __init__(self, tokens: Sequence[Token], schema: Schema) -> None:
        self._tokens = tokens
        self._schema = schema
        self.scope: dict[str, Type | None] = dict(schema.roots)
        self._pairs: dict[int, int] = {}
        self._read()

    def _read(self) -> None:
        """Pair the brackets, and bind the names of those macros whose brackets are open."""
        opened: list[int] = []
        for place, token in enumerate(self._tokens):
            if token.text in ("(", "["):
                opened.append(place)
            elif token.text in (")", "]") and opened:
                self._pairs[place] = opened.pop()
        for place in opened:
            self._bind(place)

    def _bind(self, place: int) -> None:
        around = self._tokens[max(0, place - 2) : place + 3]
        if place < 2 or len(around) < 5:
            return
        dot, macro, _, name, comma = around
        if dot.text == "." and macro.text in BINDING and name.kind == "name" and comma.text == ",":
            self.scope[name.text] = element(self.type_before(place - 2))

    def type_before(self, end: int, depth: int = 0) -> Type | None:
        """The type of the value whose last token stands before `end`; None where nobody knows."""
        last = self._tokens[end - 1] if end > 0 else None
        if last is None or depth > LONGEST_CHAIN:
            return None
        if last.kind == "string":
            return Type("string")
        if last.text in (")", "]"):
            return self._of_brackets(end - 1, depth)
        if last.kind != "name":
            return None
        if end >= 2 and self._tokens[end - 2].text == ".":
            return self._field(self.type_before(end - 2, depth + 1), last.text)
        return self.scope.get(last.text)

    def _field(self, of: Type | None, name: str) -> Type | None:
        if of is None:
            return None
        if of.name == "map":
            return of.parameters[1]
        return self.fields(of).get(name)

    def fields(self, of: Type) -> dict[str, Type]:
        """The fields of a type of the session."""
        return dict(self._schema.fields.get(of.name, {}))

    def _of_brackets(self, closing: int, depth: int) -> Type | None:
        opening = self._pairs.get(closing)
        if opening is None:
            return None
        if self._tokens[closing].text == "]":
            indexed = self.type_before(opening, depth + 1)
            return None if indexed is None or not indexed.parameters else indexed.parameters[-1]
        name = self._tokens[opening - 1] if opening else None
        if name is None or name.kind != "name":
            return self.type_before(closing, depth + 1)
        if opening >= 2 and self._tokens[opening - 2].text == ".":
            receiver = self.type_before(opening - 2, depth + 1)
            return None if receiver is None else result(receiver, name.text)
        return GLOBAL[name.text].gives if name.text in GLOBAL else None
