"""The arguments and nested blocks of a resource as the fields of a document, each with its place.

A dynamic block is made for each item of a list or map that is written out; of another one, only Terraform knows whether
it exists, and its content is read all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from trialrun.parser.hcl_syntax import Attribute, Block, Body, Label, Literal
from trialrun.parser.nodes import Node, NodeRef
from trialrun.parser.parse_error import ParseError
from trialrun.parser.terraform import schema
from trialrun.parser.terraform.evaluate import Module
from trialrun.parser.terraform.schema import Argument
from trialrun.parser.terraform.values import Evaluated, Scope, instances
from trialrun.terraform import Unknown, has_unknown
from trialrun.text import Span

MAX_INSTANCES: Final = 100
"""Documents of one `for_each`, and blocks of one dynamic block; further ones are not made."""


class BlockReader:
    """Reads a block into `values` and `node`; what is null or empty counts as unset.

    What is wrong in the words of the provider is added to `errors`, the names of what is unknown to `unknown`.
    `planned` is what a plan has for the block, `path` are the types of the blocks that it is in.
    """

    def __init__(
        self,
        module: Module,
        scope: Scope,
        errors: list[ParseError],
        unknown: list[str],
        arguments: Mapping[str, Argument],
        planned: Mapping[str, Any],
        path: tuple[str, ...] = (),
    ) -> None:
        self.module, self.scope = module, scope
        self.errors, self.unknown = errors, unknown
        self.arguments, self.planned, self.path = arguments, planned, path
        self.values: dict[str, Any] = {}
        self.keys: dict[str, NodeRef] = {}
        self.node = Node(0, 0, "hcl", keys=self.keys)
        self.present: set[str] = set()
        self.intended: dict[str, Attribute] = {}
        """What is misspelt of the parts of the resource's name, by the argument that is meant."""

    def read(self, body: Body) -> tuple[dict[str, Any], Node]:
        """The values of a block, with its nodes."""
        self.present = {*body.attributes, *(block.type for block in body.blocks)}
        for attribute in sorted(body.attributes.values(), key=lambda attribute: attribute.start):
            self._read_attribute(attribute)
        for block in body.blocks:
            if block.type == "dynamic" and len(block.labels) == 1:
                self._read_dynamic(block, block.labels[0])
            elif argument := self._argument(block, block.type):
                self._read_block(block, argument)
        # the provider writes it beside a cron
        if self.values.get("cron") is not None and self.values.get("continuous") is False:
            del self.values["continuous"]
        written = [ref.key for ref in self.keys.values() if ref.key]
        self.node.first_key = min(written, key=lambda key: key.start, default=None)
        return self.values, self.node

    def _read_attribute(self, attribute: Attribute) -> None:
        argument = self._argument(attribute, attribute.name)
        if argument is None:
            return
        expression = attribute.expression
        if argument.is_block:
            self._report(attribute, "unknown-field", f"{attribute.name} is a block; write {attribute.name} {{ … }}")
            found = Evaluated(self.module.unknown(expression), Node(expression.start, expression.end, "hcl"))
        else:
            found = self.module.evaluate(expression, self.scope)
            planned = self.planned.get(attribute.name)
            if planned is not None and (found.default_of or has_unknown(found.value)):
                found = self.module.placed(planned, expression, "the plan")
        self._set(argument, found, attribute)

    def _argument(self, named: Attribute | Block | Label, name: str) -> Argument | None:
        """What a name stands for; a misspelt one is reported, and read as the intended one if that is free."""
        if name in self.arguments:
            return self.arguments[name]
        known = [*self.arguments, *(() if self.path else schema.VIEW_IDENTITY)]
        if name in known or (not self.path and name in schema.META_ARGUMENTS):
            return None
        if not self.path and name in schema.COMPUTED:
            advice = "set labels" if name.endswith("_labels") else "remove it"
            self._report(named, "output-only-field", f"{name} is set by the provider; {advice}", name)
            return None
        from trialrun.values.suggest import closest_name

        near = closest_name(name, known)
        is_free = near not in self.present
        where = f"{self.path[-1]} has" if self.path else "the resource has"
        message = f'{where} no argument "{name}"; '
        if near is not None:
            message += f'did you mean "{near}"?' if is_free else f'did you mean "{near}", which is already set?'
        else:
            message += f"its arguments are {', '.join(known)}" if known else "remove it"
        self._report(named, "unknown-field", message, name, replacement=near if is_free else None)
        if near is None or not is_free:
            return None
        if near in schema.VIEW_IDENTITY and isinstance(named, Attribute):
            self.intended[near] = named
        return self.arguments.get(near)

    def _report(
        self, named: Attribute | Block | Label, rule: str, message: str, *name: str, replacement: str | None = None
    ) -> None:
        span, path = Span(named.start, named.end), (*self.path, *name)
        self.errors.append(ParseError(rule, message, span, 0, path, at_key=True, replacement=replacement))

    def _set(self, argument: Argument, found: Evaluated, named: Attribute) -> None:
        value = schema.convert(found.value, argument.type)
        if value is None or value == "":
            return
        if has_unknown(value):
            self.unknown.append(named.name)
            value = _named(value, named.name)
        self.values[argument.field] = value
        self.keys[argument.field] = found.ref(Node(named.start, named.end, "hcl", named.name))

    def _read_block(self, block: Block, argument: Argument) -> None:
        if argument.is_block:
            self._add_block(block, argument, self.scope)
            return
        self._report(block, "unknown-field", f"{block.type} is an argument; write {block.type} = …")
        hole = Evaluated(self.module.unknown(block), Node(block.start, block.stop, "hcl"))
        self._set(argument, hole, Attribute(block.type, block.start, block.end, Literal(block.start, block.end, None)))

    def _read_dynamic(self, block: Block, label: Label) -> None:
        """Add a block for each item of a dynamic one, or one that may not exist."""
        content = next((inner for inner in block.body.blocks if inner.type == "content"), None)
        argument = self._argument(label, label.text) if content is not None else None
        if content is None or argument is None or not argument.is_block:
            return
        named = Block(label.text, label.start, label.end, [], content.body, content.open, content.stop)
        items, condition = self._items(block), None
        if items is None:
            made = self.planned.get(label.text)
            items = [Scope()] * (min(len(made), MAX_INSTANCES) if isinstance(made, list) else 1)
            condition = None if made is not None else block
        iterator = block.body.attributes.get("iterator")
        name = self.module.source_of(iterator.expression) if iterator is not None else label.text
        for item in items:
            scope = replace(self.scope, iterators={**self.scope.iterators, name: item})
            self._add_block(named, argument, scope, condition)

    def _items(self, block: Block) -> list[Scope] | None:
        """What the iterator of a dynamic block is in each of the blocks; None where only Terraform knows."""
        for_each = block.body.attributes.get("for_each")
        found = self.module.evaluate(for_each.expression, self.scope) if for_each is not None else None
        if found is None or found.default_of:
            return None
        if isinstance(found.value, list):
            values = [
                Evaluated(value, ref.node, True) for value, ref in zip(found.value, found.node.items or (), strict=True)
            ]
            items: list[Scope] | None = [Scope(None, value) for value in values[:MAX_INSTANCES]]
        else:
            items = instances(found, MAX_INSTANCES)
        return items if items is None or self.module.may_repeat(block, len(items)) else None

    def _add_block(self, block: Block, argument: Argument, scope: Scope, condition: Block | None = None) -> None:
        """Add a nested block, of which only Terraform knows whether it exists where there is a `condition`."""
        planned = self.planned.get(block.type)
        at = len(self.values.get(argument.field, ())) if argument.type == "blocks" else 0
        own = planned[at] if isinstance(planned, list) and at < len(planned) and isinstance(planned[at], dict) else {}
        path = (*self.path, block.type)
        inner = BlockReader(self.module, scope, self.errors, self.unknown, argument.arguments, own, path)
        content, node = inner.read(block.body)
        node.start, node.end = block.start, block.stop
        value: Any = content
        if condition is not None:
            value = self.module.unknown(condition, name=block.type, content=content)
            self.unknown.append(block.type)
        key = Node(block.start, block.end, "hcl", block.type)
        if argument.type == "blocks":
            self.values.setdefault(argument.field, []).append(value)
            whole = self.keys.setdefault(argument.field, NodeRef(Node(block.start, block.stop, "hcl", items=[]), key))
            node.first_key = node.first_key or key
            assert whole.node.items is not None
            whole.node.items.append(NodeRef(node))
        elif argument.field not in self.values:
            self.values[argument.field] = value
            self.keys[argument.field] = NodeRef(node, key)
        elif condition is None and not isinstance(self.values[argument.field], Unknown):
            message = f"{block.type} is here a second time; keep one, of which the first counts"
            self._report(block, "duplicate-key", message)


def _named(value: Any, name: str) -> Any:
    """The value of an argument, of which what is unknown has the name of the argument."""
    if isinstance(value, Unknown):
        return replace(value, name=name)
    if isinstance(value, list):
        return [_named(item, name) for item in value]
    return {key: _named(item, name) for key, item in value.items()} if isinstance(value, dict) else value
