"""The resources of one file of Terraform as documents, each with the nodes of its arguments.

A part of a name that only Terraform knows is its own source text with the folder, such as `${var.region@envs/dev}`:
equal text is an equal value in one module, and nothing follows from unequal text. What differs with each instance or
call is equal to nothing but itself. A document of a `for_each` that is written out is made for every instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from trialrun.parser.document import Document
from trialrun.parser.hcl_syntax import (
    Attribute,
    Block,
    Body,
    Expression,
    Literal,
    Template,
    TemplateSequence,
    Traversal,
)
from trialrun.parser.nodes import Node, NodeRef
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.terraform.blocks import MAX_INSTANCES, BlockReader
from trialrun.parser.terraform.evaluate import Module
from trialrun.parser.terraform.schema import Argument
from trialrun.parser.terraform.values import NO_EACH, ComposedNode, Evaluated, Scope, Segment, instances
from trialrun.terraform import is_override_path, shortened
from trialrun.text import Position, Span

MAX_FOLLOWED: Final = 20
"""Locals and arguments of other resources that lead to a part of a name."""
MAX_STAND_IN: Final = 200
"""Characters of an expression in a name; of a longer one, a digest stands for the rest."""
_of_instance = re.compile(r"\b(?:each|count|self)\b|\(").search
"""What makes an expression differ from the same text elsewhere."""
_not_in_stand_in = re.compile(r"[/{}@\s]+")


class TerraformDocument(Document):
    """The document of an instance of a resource; `unknown` are its arguments without a value."""

    __slots__ = ("_address", "_block", "_condition", "_module", "unknown")

    def __init__(self, index: int, value: Any, part: SourceSlice, root: NodeRef, reader: ResourceReader) -> None:
        super().__init__(index, value, part, root)
        self._block, self._module, self._address = reader.block, reader.module, reader.address
        self._condition = "" if reader.planned else reader.module.condition_of(reader.block)
        self.unknown = tuple(dict.fromkeys(reader.unknown))

    @property
    def address(self) -> str:
        """The address of the resource in its module."""
        return self._address

    @property
    def condition(self) -> str:
        """The `count` or `for_each` of the resource, where only Terraform knows whether it makes any."""
        return self._condition

    def origin_at(self, position: Position) -> str:
        """What says the value at a place, such as the default of a variable."""
        return self._module.origin_at(self._module.source.offset(position))

    @property
    def full_span(self) -> Span:
        """The lines of the resource."""
        return Span(self._slice.text.rfind("\n", 0, self._block.start) + 1, self._block.stop)

    def scalar_spans(self, path: tuple[str | int, ...], ranges: Sequence[tuple[int, int]]) -> list[Span]:
        """The characters of the file behind ranges of characters of a text."""
        return [self.scalar_span(path, start, end) for start, end in ranges]

    def _scalar_span(self, node: Node, start: int, end: int) -> Span:
        if not isinstance(node, ComposedNode):
            return super()._scalar_span(node, start, end)
        first, last = _segment_at(node.segments, start), _segment_at(node.segments, max(end - 1, start))
        from_ = super()._scalar_span(first[1], start - first[0], max(end, start + 1) - first[0])
        to = super()._scalar_span(last[1], max(end - 1, start) - last[0], max(end, start) - last[0])
        return Span(from_.start, to.end if to.end > from_.start else from_.end)


def _segment_at(segments: list[Segment], at: int) -> Segment:
    return next(segment for segment in reversed(segments) if segment[0] <= at or segment is segments[0])


class ResourceReader:
    """Reads one instance of a resource; what is wrong in the words of the provider is added to `errors`."""

    def __init__(self, module: Module, block: Block, scope: Scope = NO_EACH) -> None:
        self.module = module
        self.block = block
        self.scope = scope
        self.is_override = is_override_path(module.source.path)
        self.overridden = module.overridden(block)
        self.planned = _planned(module, self.address)
        self.errors: list[ParseError] = []
        self.unknown: list[str] = []
        self._intended: dict[str, Attribute] = {}

    @property
    def address(self) -> str:
        """The address of the resource, with the key of the instance."""
        type_, name = (label.text for label in self.block.labels)
        key = self.scope.key
        return f"{type_}.{name}" + (f'["{key.value}"]' if key is not None and key.is_known else "")

    def content(
        self, body: Body, arguments: Mapping[str, Argument], planned: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], Node]:
        """The values of a block, with its nodes; `planned` is what a plan has for it, by default for the resource."""
        planned = self.planned if planned is None else planned
        reader = BlockReader(self.module, self.scope, self.errors, self.unknown, arguments, planned)
        content = reader.read(body)
        self._intended |= reader.intended
        return content

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of an argument, or the one that is meant to be it."""
        return self.block.body.attributes.get(name) or self._intended.get(name)

    # ---- names

    def part(self, name: str) -> tuple[str, Node]:
        """A part of a resource name, by its argument; what is unknown stands as its source text."""
        attribute = self.attribute(name)
        owner, expression = (self.module, attribute.expression) if attribute else self._of_provider(name)
        if expression is not None and not _is_unset(expression):
            text, node, is_known = self._part(owner, expression, self.block, 0)
            is_replaced = self.is_override or name in self.overridden
            # each instance has its own name, and what overrides a resource is no other one
            if (not is_known and name == "name" and self.scope.key is not None) or is_replaced:
                text, is_known = self._stand_in(self.module.source_of(expression), self.block), False
        else:
            provider = self.block.body.attributes.get("provider")
            alias = self.module.source_of(provider.expression).partition(".")[2] if provider is not None else ""
            text, is_known = self._stand_in(f"{name} {alias}".strip(), None), False
            node = self._place
        planned = self.planned.get(name)
        if not is_known and isinstance(planned, str) and planned and not self.is_override:
            if attribute is not None:
                self.module.origins[node.start, node.end] = "the plan"
            return planned, Node(node.start, node.end, "hcl")
        if not is_known:
            self.unknown.append(name)
        return text, node

    def _of_provider(self, name: str) -> tuple[Module, Expression | None]:
        """The project or region of the provider of the resource, with the file that says it."""
        provider = self.block.body.attributes.get("provider")
        label = self.module.source_of(provider.expression) if provider else "google"
        owner = self.module.owner("provider", label)
        attribute = owner.providers[label].attributes.get(name) if owner is not None else None
        return owner or self.module, attribute.expression if attribute is not None else None

    def _part(self, module: Module, expression: Expression, owner: Block, depth: int) -> tuple[str, Node, bool]:
        """The text of an expression in a file of the folder; what another file says has the place of the resource."""
        reference = reference_of(expression)
        if reference is not None and depth < MAX_FOLLOWED:
            found = self._followed(module, reference, owner, depth)
            if found is not None:
                return found if module is self.module else (found[0], self._place, found[2])
        evaluated = module.evaluate(expression, self.scope if owner is self.block else NO_EACH)
        own = Node(expression.start, expression.end, "hcl") if module is self.module else self._place
        if isinstance(evaluated.value, str | int) and not evaluated.default_of:
            text = evaluated.value if isinstance(evaluated.value, str) else str(evaluated.value)
            return text, evaluated.node if module is self.module else own, True
        source = module.source_of(reference or expression)
        return self._stand_in(source, owner if _of_instance(source) else None), own, False

    def _followed(
        self, module: Module, reference: Traversal, owner: Block, depth: int
    ) -> tuple[str, Node, bool] | None:
        """The text of what a local, or an argument of another resource, is set to; None for another reference."""
        steps = reference.steps
        if steps[:1] == ("local",) and len(steps) == 2 and (other := module.owner("local", str(steps[1]))):
            found = self._part(other, other.locals[str(steps[1])], owner, depth + 1)
        else:
            other, attribute, rest = module.argument_of((*steps[:-1], "name") if steps[-1] == "id" else steps)
            if other is None or attribute is None or rest:
                return None
            block = other.resources[str(steps[0]), str(steps[1])]
            found = self._part(other, attribute.expression, block, depth + 1)
        if other is module:
            return found
        module.origins[reference.start, reference.end] = f"{module.source_of(reference)} of {other.source.path}"
        return found[0], Node(reference.start, reference.end, "hcl"), found[2]

    @property
    def _place(self) -> Node:
        return Node(self.block.start, self.block.end, "hcl")

    def _stand_in(self, source: str, owner: Block | None) -> str:
        """A text that is equal in this folder alone, or for an expression of an instance in this instance alone."""
        folder, _, file = self.module.source.path.rpartition("/")
        of = ".".join(label.text for label in owner.labels) if owner is not None else ""
        own = f"{folder}#{file}:{of}:{self.address}" if owner is not None else folder or "."
        shown = shortened(_not_in_stand_in.sub(" ", source), MAX_STAND_IN)
        return f"${{{shown}@{_not_in_stand_in.sub('|', own)}}}"

    def name(self, parts: Iterable[tuple[str, str]]) -> Evaluated:
        """A resource name of collections and arguments."""
        own = self._place
        texts, segments, length = list[str](), list[Segment](), 0
        for collection, argument in parts:
            text, node = self.part(argument)
            for piece, place in (f"{'/' if length else ''}{collection}/", own), (text, node):
                segments.append((length, place))
                texts.append(piece)
                length += len(piece)
        last = segments[-1][1]
        return Evaluated("".join(texts), ComposedNode(last.start, last.end, "hcl", "".join(texts), segments=segments))

    def has_name(self) -> bool:
        """Whether the resource has a name that is not null or empty."""
        attribute = self.attribute("name")
        return attribute is not None and not _is_unset(attribute.expression)


PROJECT: Final = (("projects", "project"), ("locations", "region"))


def _is_unset(expression: Expression) -> bool:
    return (isinstance(expression, Literal) and expression.value is None) or (
        isinstance(expression, Template) and expression.text == ""
    )


def reference_of(expression: Expression) -> Traversal | None:
    """The reference that an expression is, also as `"${x}"`, which is x itself."""
    if isinstance(expression, Template) and len(expression.parts) == 1 and not expression.is_heredoc:
        part = expression.parts[0]
        expression = part.expression if isinstance(part, TemplateSequence) and part.expression else expression
    return expression if isinstance(expression, Traversal) else None


def _planned(module: Module, address: str) -> Mapping[str, Any]:
    """What a plan has for an address, or for all instances of a resource alike."""
    if address in module.planned:
        return module.planned[address]
    first, *others = [module.planned[f"{address}[{key}]"] for key in _planned_keys(module, address)] or [{}]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _planned_keys(module: Module, address: str) -> list[str]:
    """The keys of the instances of a resource in a plan, as JSON."""
    return [other[len(address) + 1 : -1] for other in module.planned if other.startswith(f"{address}[")]


def scopes(module: Module, block: Block) -> list[Scope]:
    """What `each` is in every document of a resource; empty for one that is made zero times."""
    count, for_each = (block.body.attributes.get(name) for name in ("count", "for_each"))
    made = module.evaluate(count.expression) if count is not None else None
    if made is not None and made.value in (0, "0") and not made.default_of:
        return []
    if for_each is None:
        return [NO_EACH]
    found = instances(module.evaluate(for_each.expression), MAX_INSTANCES)
    if found is None:  # then the plan may have the keys
        keys = [json.loads(key) for key in _planned_keys(module, ".".join(label.text for label in block.labels))]
        placed = [module.placed(key, for_each.expression, "the plan") for key in keys[:MAX_INSTANCES]]
        found = [Scope(key) for key in placed if isinstance(key.value, str)] or None
    return found if found is not None and module.may_repeat(block, len(found)) else [NO_EACH]
