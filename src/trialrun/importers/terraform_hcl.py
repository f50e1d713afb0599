"""Configuration files of Terraform: the values that a file says; every other expression is a hole with a line.

Locals and a `for_each` that is written out are followed, as `check` does it; a variable may be set elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import InputPlace, Note
from trialrun.importers.terraform_resource import (
    DATA_SOURCE,
    DEFAULT_LABELS,
    EXPRESSION,
    META_ARGUMENTS,
    SEVERAL_RESOURCES,
    TerraformResource,
)
from trialrun.parser.hcl import read_hcl
from trialrun.parser.hcl_syntax import Body, Expression, ListExpression, Literal, ObjectExpression, Template
from trialrun.parser.terraform.evaluate import Module
from trialrun.parser.terraform.values import NO_EACH, Scope, instances
from trialrun.terraform import has_unknown
from trialrun.text import MAX_BYTES, Source

MODULE = "the resources of a module; import a plan or a state instead"
MAX_INSTANCES = 100
"""Resources of one `for_each`."""
NO_VALUE = "(expression)"
"""Stands for a value that is not literal, in values that are noted by name alone."""


def hcl_resources(file: InputFile, types: Sequence[str], notes: list[Note]) -> Iterator[TerraformResource]:
    """The resources of some types in a configuration file. Raises InputError."""
    source, content = _read(file)
    module = Module(source, source.text, content)
    for block in content.blocks:
        labels = [label.text for label in block.labels]
        place = InputPlace(file.name, line=source.position(block.start).line)
        if block.type == "module":
            notes.append(Note("unresolved", MODULE, place))
        if block.type == "data" and labels[:1] and labels[0] in types:
            notes.append(Note("dropped", DATA_SOURCE, place))
        if block.type == "provider" and (default_labels := block.body.attributes.get("default_labels")):
            line = source.position(default_labels.start).line
            notes.append(Note("unresolved", DEFAULT_LABELS, InputPlace(file.name, line=line)))
        if block.type != "resource" or len(labels) != 2 or labels[0] not in types:
            continue
        scopes = _scopes(block.body, module)
        if scopes is None:
            notes.append(Note("unresolved", SEVERAL_RESOURCES, place))
        for scope in scopes or ():
            reader = _ValueReader(module, scope)
            values = reader.values(block.body, ())
            values = {name: value for name, value in values.items() if name not in META_ARGUMENTS}
            yield TerraformResource(labels[0], values, reader.holes, reader.place_of(block.start))


def _scopes(body: Body, module: Module) -> list[Scope] | None:
    """What `each` is in the resources of a block; None where only Terraform knows how many there are."""
    for_each = body.attributes.get("for_each")
    if "count" in body.attributes or for_each is None:
        return None if "count" in body.attributes else [NO_EACH]
    found = module.evaluate(for_each.expression)
    return None if found.default_of else instances(found, MAX_INSTANCES)


def _read(file: InputFile) -> tuple[Source, Body]:
    if len(file.data) > MAX_BYTES:
        raise InputError(f"{file.name} has more than {MAX_BYTES // 2**20} MiB; import it in parts")
    try:
        source = Source(file.name, file.data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not text in UTF-8") from error
    content = read_hcl(source.text)
    for fault in content.errors:  # a file that Terraform refuses has no values; the message may quote it
        line = source.position(fault.start).line
        message = fault.message if fault.rule == "resource-limit" else "is not valid HCL; trialrun check says why"
        raise InputError(f"{file.name}:{line}: {message}")
    return source, content.body


class _ValueReader:
    """Reads the values of a block, with its holes and the offsets of its parts."""

    def __init__(self, module: Module, scope: Scope) -> None:
        self.module = module
        self.scope = scope
        self.source = module.source
        self.holes: dict[Path, str] = {}
        self.offsets: dict[Path, int] = {}

    def place_of(self, start: int) -> Callable[[Path], InputPlace]:
        """Where a part of the block is, which starts at an offset."""

        def place(path: Path) -> InputPlace:
            known = (self.offsets[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self.offsets)
            return InputPlace(self.source.path, line=self.source.position(next(known, start)).line)

        return place

    def values(self, body: Body, path: Path) -> dict[str, Any]:
        """The values of a body; the blocks of a name are a list."""
        values: dict[str, Any] = {}
        for attribute in body.attributes.values():
            values[attribute.name] = self._value(attribute.expression, (*path, attribute.name), attribute.start)
        for block in body.blocks:
            if block.type == "dynamic" and block.labels:
                name = block.labels[0].text
                values[name] = self._hole((*path, name), block.start)
            elif isinstance(blocks := values.setdefault(block.type, []), list):
                inner = (*path, block.type, len(blocks))
                self.offsets[inner] = block.start
                blocks.append(self.values(block.body, inner))
        return values

    def _value(self, expression: Expression, path: Path, start: int) -> Any:
        """The value of an expression that the file says; otherwise a hole."""
        self.offsets[path] = start
        match expression:
            case Literal(value=value) | Template(text=str() as value):
                return value
            case ListExpression(items=items):
                return [self._value(item, (*path, index), item.start) for index, item in enumerate(items)]
            case ObjectExpression(items=pairs):
                return dict(self._pair(key, value, path) for key, value in pairs)
        found = self.module.evaluate(expression, self.scope)
        return found.value if not has_unknown(found.value) and not found.default_of else self._hole(path, start)

    def _pair(self, key: Expression, value: Expression, path: Path) -> tuple[str, Any]:
        """A key and a value of an object; a key that is not literal is a hole of its own."""
        match key:
            case Literal() | Template(text=str()):
                name = key.text if isinstance(key, Template) else self.source.text[key.start : key.end]
                return str(name), self._value(value, (*path, str(name)), key.start)
        return NO_VALUE, self._hole((*path, NO_VALUE), key.start)

    def _hole(self, path: Path, start: int) -> str:
        self.holes[path] = EXPRESSION
        self.offsets[path] = start
        return NO_VALUE
