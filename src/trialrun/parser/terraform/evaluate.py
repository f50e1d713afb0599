"""The values of expressions, as far as the files of a folder say them; everything else is `Unknown`.

What is evaluated: literals, templates, `local`, `var` with a value, `each`, arguments of resources, `file` of a JSON
file, and five functions that keep the value. What another file says has the place of the reference to it. The work is
bounded by depth and by steps, so a file of locals that double each other is unknown, and not slow.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from trialrun.parser.hcl_syntax import (
    Attribute,
    Block,
    Body,
    Call,
    Conditional,
    Expression,
    ListExpression,
    Literal,
    ObjectExpression,
    Template,
    TemplateSequence,
    TemplateText,
    Traversal,
)
from trialrun.parser.nodes import Node, NodeRef
from trialrun.parser.terraform.schema import FEATURE
from trialrun.parser.terraform.values import (
    NO_EACH,
    ComposedNode,
    Evaluated,
    Scope,
    Segment,
    as_set,
    as_text,
    default_of,
    step_into,
)
from trialrun.terraform import Unknown, is_override_path, opentofu_twin, shortened
from trialrun.text import Source

MAX_DEPTH: Final = 100
"""Expressions in expressions; a reference counts as several, so that at most 20 lead to each other."""
REFERENCE_DEPTH: Final = 5
MAX_STEPS: Final = 10_000
"""Expressions that the value of one argument may take."""
MAX_FILE_STEPS: Final = 300_000
"""Expressions that the values of one file may take, besides one for every 20 characters."""
MAX_REPEATED: Final = 5_000_000
"""Characters that instances of `for_each` may read again, in all resources of a file."""
CONVERSIONS: Final = frozenset(("toset", "tolist", "tomap", "tostring"))
SECRET: Final = ("sensitive", "ephemeral")
Assigned = Mapping[str, tuple[Any, str]]
"""The values of variables, each with the file that gives it."""
Planned = Mapping[str, Mapping[str, Any]]
"""The arguments that a plan has for each address; null is unknown."""


class Module:
    """What expressions of one file can refer to: what it declares, and what the `others` of its folder do.

    `assigned` are the values of variables, `planned` those of a plan. The budget of all is that of the `main` one.
    """

    def __init__(
        self,
        source: Source,
        text: str,
        body: Body,
        others: Sequence[Module] = (),
        assigned: Assigned | None = None,
        planned: Planned | None = None,
    ) -> None:
        self.main = self
        self.others, self.assigned, self.planned = others, assigned or {}, planned or {}
        for other in others:
            other.main = self
        self.origins: dict[tuple[int, int], str] = {}
        self.variables: set[str] = set()
        self.secrets: set[str] = set()
        self.source = source
        self.text = text
        self.locals: dict[str, Expression] = {}
        self.defaults: dict[str, Expression] = {}
        self.resources: dict[tuple[str, str], Block] = {}
        self.providers: dict[str, Body] = {}
        self.calls: list[Body] = []
        self._steps = self._file_steps = 0
        self._max_file_steps = MAX_FILE_STEPS + len(text) // 20
        self._repeatable = MAX_REPEATED
        self.features_by_group: dict[str, list[tuple[Module, Block]]] = {}
        for block in body.blocks:
            self._declare(block, [label.text for label in block.labels])

    def _declare(self, block: Block, labels: list[str]) -> None:
        attributes = block.body.attributes
        match block.type, labels:
            case "locals", []:
                self.locals.update((name, item.expression) for name, item in attributes.items())
            case "variable", [name]:
                default = attributes.get("default")
                self.variables.add(name)
                if any(_may_be_true(attributes.get(word)) for word in SECRET):
                    self.secrets.add(name)
                elif default is not None:
                    self.defaults[name] = default.expression
            case "resource", [type_, name]:
                self.resources.setdefault((type_, name), block)
            case "module", [_]:
                self.calls.append(block.body)
            case "provider", [name]:
                alias = attributes.get("alias")
                text = alias.expression.text if alias and isinstance(alias.expression, Template) else None
                self.providers[f"{name}.{text}" if alias else name] = block.body

    @cached_property
    def _owners(self) -> Mapping[tuple[str, ...], Module | None]:
        """The file that declares each name; None where several do, of which one may override another."""
        owners: dict[tuple[str, ...], Module | None] = {}
        for module in (self, *self.others):
            for name in (
                *(("local", name) for name in module.locals),
                *(("var", name) for name in module.variables),
                *(("provider", name) for name in module.providers),
                *module.resources,
            ):
                owners[name] = None if name in owners else module
        return owners

    def owner(self, *name: str) -> Module | None:
        """The file that declares a name, such as `local` and `cron`; None where it is not one."""
        return self.main._owners.get(name)

    def called(self, path: str) -> Iterator[Body]:
        """The calls of the module in a folder, by its path from this one."""
        for body in self.calls:
            source = body.attributes.get("source")
            text = source.expression.text if source and isinstance(source.expression, Template) else None
            if text is not None and text.startswith("./") and posixpath.normpath(text) == path:
                yield body

    def overridden(self, block: Block) -> frozenset[str]:
        """The arguments and blocks of a resource that another file overrides."""
        key = block.labels[0].text, block.labels[1].text
        parts = [other.resources.get(key) for other in self.others if is_override_path(other.source.path)]
        return frozenset(name for part in parts if part is not None for name in _names(part.body))

    @cached_property
    def _default_places(self) -> list[tuple[int, int, str]]:
        return sorted((default.start, default.end, name) for name, default in self.defaults.items())

    def origin_at(self, offset: int) -> str:
        """What says the value at an offset, such as the default of a variable; empty where it says so itself."""
        before = bisect_right(self._default_places, (offset, len(self.text) + 1, ""))
        start, end, name = self._default_places[before - 1] if before else (0, 0, "")
        if start <= offset < end:
            return f"the default of var.{name}"
        return next((origin for (start, end), origin in self.origins.items() if start <= offset < end), "")

    def may_repeat(self, block: Block, times: int) -> bool:
        """Whether a block may be read so often; what all blocks take together is limited."""
        cost = (block.stop - block.start) * max(times - 1, 0)
        if cost > self._repeatable:
            return False
        self._repeatable -= cost
        return True

    def place_of(self, offset: int) -> str:
        """The path and the line of an offset, from 1."""
        return f"{self.source.path}:{self.source.position(offset).line}"

    @cached_property
    def features(self) -> list[Block]:
        """The features of feature groups."""
        return [block for (type_, _), block in self.resources.items() if type_ == FEATURE]

    def source_of(self, expression: Expression | Block) -> str:
        """The expression or block as it is written, in one line."""
        end = expression.stop if isinstance(expression, Block) else expression.end
        return " ".join(self.text[expression.start : end].split())

    def unknown(self, expression: Expression | Block, *, name: str = "", content: Any = None) -> Unknown:
        """What stands for an expression that only Terraform knows."""
        return Unknown(shortened(self.source_of(expression), 200), self.place_of(expression.start), name, content)

    def evaluate(self, expression: Expression, scope: Scope = NO_EACH) -> Evaluated:
        """The value of an expression, with everything in it that is not known as `Unknown`."""
        self.main._steps = 0
        found = self._value(expression, scope, 0)
        self.main._file_steps += self.main._steps
        return found

    def condition_of(self, block: Block) -> str:
        """The expression on which it depends whether a resource is made; empty where it is made in any case."""
        if self.overridden(block) & {"count", "for_each"}:
            return "an override"
        if (twin := opentofu_twin(self.source.path)) in dict(self.source.siblings):
            return f"no {twin}"
        if not self.main.assigned.keys().isdisjoint(("count", "for_each")):
            return "the call of the module"
        for name in ("count", "for_each"):
            attribute = block.body.attributes.get(name)
            if attribute is not None:
                found = self.evaluate(attribute.expression)
                if not found.is_known or found.default_of or not found.value:
                    return self.source_of(attribute.expression)
        return ""

    def _may_step(self) -> bool:
        """Count a step of the main file; whether there were not too many."""
        main = self.main
        main._steps += 1
        return main._steps <= MAX_STEPS and main._file_steps <= main._max_file_steps

    def _value(self, expression: Expression, scope: Scope, depth: int) -> Evaluated:
        if not self._may_step() or depth > MAX_DEPTH:
            return self._hole(expression)
        match expression:
            case Literal(value=value):
                return Evaluated(value, self._node(expression, self.text[expression.start : expression.end]))
            case Template(text=str(text)):
                return Evaluated(text, self._node(expression, text))
            case Template():
                return self._template(expression, scope, depth + 1)
            case ListExpression(items=items):
                parts = [self._value(item, scope, depth + 1) for item in items]
                node = Node(expression.start, expression.end, "hcl", items=[part.ref() for part in parts])
                return Evaluated([part.value for part in parts], node, default_of=default_of(parts))
            case ObjectExpression():
                return self._object(expression, scope, depth + 1)
            case Traversal():
                return self._reference(expression, scope, depth)
            case Conditional():
                condition = self._value(expression.condition, scope, depth + 1)
                if isinstance(condition.value, bool) and not condition.default_of:
                    chosen = expression.if_true if condition.value else expression.if_false
                    return self._value(chosen, scope, depth + 1)
            case Call():
                return self._call(expression, scope, depth + 1)
        return self._hole(expression)

    def _hole(self, expression: Expression) -> Evaluated:
        return Evaluated(self.unknown(expression), self._node(expression, None))

    def _node(self, expression: Expression, text: str | None) -> Node:
        return Node(expression.start, expression.end, "hcl", text)

    def _template(self, template: Template, scope: Scope, depth: int) -> Evaluated:
        """A text with parts put in; `"${x}"` alone is x itself."""
        texts: list[str] = []
        segments: list[Segment] = []
        default_of, length = "", 0
        for part in template.parts:
            if isinstance(part, TemplateText):
                text, is_raw = part.text, self.text[part.start : part.end] == part.text
                node = Node(part.start, part.end, "hcl", text if is_raw else None, is_raw=is_raw)
            else:
                inner = self._value(part.expression, scope, depth) if part.expression is not None else None
                if inner is not None and len(template.parts) == 1 and not template.is_heredoc:
                    return inner
                if inner is None or not isinstance(inner.value, str | int | float):
                    return self._hole(template)
                text, node = as_text(inner.value), Node(part.start, part.end, "hcl")
                default_of = default_of or inner.default_of
            segments.append((length, node))
            texts.append(text)
            length += len(text)
        whole = "".join(texts)
        node = ComposedNode(template.start, template.end, "hcl", whole, segments=segments)
        return Evaluated(whole, node, default_of=default_of)

    def _object(self, expression: ObjectExpression, scope: Scope, depth: int) -> Evaluated:
        values: dict[str, Evaluated] = {}
        node = Node(expression.start, expression.end, "hcl", keys={})
        for key_expression, value_expression in expression.items:
            key = self._value(key_expression, scope, depth)
            if not isinstance(key.value, str | int):
                return self._hole(expression)
            name = as_text(key.value)
            values[name] = self._value(value_expression, scope, depth)
            assert node.keys is not None
            node.keys[name] = values[name].ref(key.node)
            node.first_key = node.first_key or key.node
        return Evaluated(
            {name: item.value for name, item in values.items()}, node, default_of=default_of([*values.values()])
        )

    def _call(self, call: Call, scope: Scope, depth: int) -> Evaluated:
        if call.name == "file" and (text := self._file_text(call)) is not None:
            return Evaluated(text, self._node(call, None), True)
        if call.name in CONVERSIONS and len(call.arguments) == 1:
            found = self._value(call.arguments[0], scope, depth)
            if call.name == "toset" and isinstance(found.value, list) and found.node.items is not None:
                return as_set(found)
            return found
        if call.name == "merge" and not call.expands_last:
            maps = [self._value(argument, scope, depth) for argument in call.arguments]
            if maps and all(isinstance(found.value, dict) for found in maps):
                node = Node(call.start, call.end, "hcl", keys={})
                for found in maps:
                    node.keys = {**(node.keys or {}), **(found.node.keys or {})}
                    node.first_key = node.first_key or found.node.first_key
                return Evaluated(
                    {key: item for found in maps for key, item in found.value.items()},
                    node,
                    default_of=default_of(maps),
                )
        return self._hole(call)

    def _file_text(self, call: Call) -> str | None:
        """The text of a file that is named by its path from the folder, if it was read."""
        match call.arguments:
            case [
                Template(
                    parts=[TemplateSequence(expression=Traversal(steps=("path", "module"))), TemplateText() as part]
                )
            ]:
                data = dict(self.source.siblings).get(part.text.removeprefix("/"))
                return None if data is None else data.decode("utf-8", "replace")
        return None

    # ---- references

    def _reference(self, reference: Traversal, scope: Scope, depth: int) -> Evaluated:
        found, rest = self._target(reference, scope, depth + REFERENCE_DEPTH)
        for step in rest:
            found = step_into(found, step)
        if found is None or found.value is None:
            return self._hole(reference)
        if isinstance(found.value, Unknown):  # where it is used, with what it is made of
            text = shortened(f"{self.source_of(reference)} = {found.value.text}", 200)
            return Evaluated(replace(self.unknown(reference), text=text), self._node(reference, None))
        return found

    def _target(self, reference: Traversal, scope: Scope, depth: int) -> tuple[Evaluated | None, tuple[str | int, ...]]:
        """What the first steps of a reference name, and the steps that are left."""
        match reference.steps:
            case str(name), "key" | "value" as part, *rest if name == "each" or name in scope.iterators:
                item = scope.iterators.get(name, scope)
                return item.key if part == "key" else item.value, tuple(rest)
            case "local", str(name), *rest if owner := self.owner("local", name):
                return self._from(owner, owner.locals[name], reference, depth, f"local.{name}"), tuple(rest)
            case "var", str(name), *rest if owner := self.owner("var", name):
                return self._variable(owner, name, reference, depth), tuple(rest)
        owner, attribute, inner = self.argument_of(reference.steps)
        if owner is None or attribute is None:
            return None, ()
        return self._from(owner, attribute.expression, reference, depth, self.source_of(reference)), inner

    def _variable(self, owner: Module, name: str, reference: Traversal, depth: int) -> Evaluated | None:
        """The value that a variable is given, or its default; a default that says nothing is meant to be set."""
        if name in self.main.assigned and name not in owner.secrets:
            value, path = self.main.assigned[name]
            if isinstance(value, Unknown):
                return None
            return self.placed(value, reference, f"var.{name} of {path}")
        if name not in owner.defaults:
            return None
        found = self._from(owner, owner.defaults[name], reference, depth, f"the default of var.{name}")
        found.default_of = name
        return None if found.value in (None, "", [], {}) else found

    def _from(self, owner: Module, expression: Expression, reference: Traversal, depth: int, name: str) -> Evaluated:
        """The value of an expression of a file of the folder, for a reference to it."""
        found = owner._value(expression, NO_EACH, depth)
        if owner is self:
            return Evaluated(found.value, found.node, True, found.default_of)
        return self.placed(found.value, reference, f"{name} of {owner.source.path}", default_of=found.default_of)

    def placed(self, value: Any, expression: Expression, origin: str, *, default_of: str = "") -> Evaluated:
        """A value of another file at the expression that stands for it, which is the place of all its parts."""
        self.origins[expression.start, expression.end] = origin
        found, node = self._at(value, expression)
        return Evaluated(found, node, True, default_of)

    def _at(self, value: Any, reference: Expression) -> tuple[Any, Node]:
        node = self._node(reference, None)
        if not self._may_step() or value is None or isinstance(value, Unknown):
            return self.unknown(reference), node
        if isinstance(value, dict):
            parts = {key: self._at(item, reference) for key, item in value.items()}
            node.keys = {key: NodeRef(inner, self._node(reference, None)) for key, (_, inner) in parts.items()}
            return {key: item for key, (item, _) in parts.items()}, node
        if isinstance(value, list):
            items = [self._at(item, reference) for item in value]
            node.items = [NodeRef(inner) for _, inner in items]
            return [item for item, _ in items], node
        return value, node

    def argument_of(
        self, steps: tuple[str | int, ...]
    ) -> tuple[Module | None, Attribute | None, tuple[str | int, ...]]:
        """The argument of a resource of the folder that a reference names, with its file, and the steps left."""
        type_, name = map(str, steps[:2]) if len(steps) > 2 else ("", "")
        owner = self.owner(type_, name)
        if owner is None or (type_, name) not in owner.resources:
            return None, None, ()
        attributes = owner.resources[type_, name].body.attributes
        at = 3 if "for_each" in attributes or "count" in attributes else 2
        return owner, attributes.get(str(steps[at])) if len(steps) > at else None, steps[at + 1 :]


def _names(body: Body) -> Iterator[str]:
    """The arguments and the blocks of a body."""
    yield from body.attributes
    for block in body.blocks:
        yield block.labels[0].text if block.type == "dynamic" and block.labels else block.type


def _may_be_true(attribute: Attribute | None) -> bool:
    """Whether an attribute is set, to anything but `false`."""
    return attribute is not None and not (
        isinstance(attribute.expression, Literal) and attribute.expression.value is False
    )
