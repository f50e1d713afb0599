"""Configuration files of Terraform: their values where these are literal; every other expression is a hole with a line.

Nothing is evaluated. What a reference, a function or a template stands for is known to Terraform alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.extras import install_command
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import InputPlace, Note
from trialrun.importers.terraform_resource import (
    DATA_SOURCE,
    DEFAULT_LABELS,
    EXPRESSION,
    META_ARGUMENTS,
    REPEATING_ARGUMENTS,
    SEVERAL_RESOURCES,
    TerraformResource,
)
from trialrun.parser.limits import MAX_DEPTH

if TYPE_CHECKING:
    from lark import Tree

MAX_HCL_BYTES = 2**20
"""About 3,000 views. The parser needs up to a minute and 1.3 GB of memory for as many brackets or operators."""
MODULE = "the resources of a module; import a plan or a state instead"
NO_VALUE = "(expression)"
"""Stands for a value that is not literal, in values that are noted by name alone."""
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_escape = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.S)


def hcl_resources(file: InputFile, types: Sequence[str], notes: list[Note]) -> Iterator[TerraformResource]:
    """The resources of some types in a configuration file. Raises InputError."""
    for block in _blocks(_parse(file)):
        kind, *labels = _block_names(block)
        if kind == "module":
            notes.append(Note("unresolved", MODULE, InputPlace(file.name, line=_line(block))))
        if kind == "data" and labels[:1] and labels[0] in types:
            notes.append(Note("dropped", DATA_SOURCE, InputPlace(file.name, line=_line(block))))
        if kind == "provider":
            for child in _trees(_body(block)):
                if child.data == "attribute" and _names(child)[0] == "default_labels":
                    notes.append(Note("unresolved", DEFAULT_LABELS, InputPlace(file.name, line=_line(child))))
        if kind != "resource" or len(labels) != 2 or labels[0] not in types:
            continue
        body = _Body(file.name)
        body.read(_body(block), (), 0)
        if any(name in body.values for name in REPEATING_ARGUMENTS):
            notes.append(Note("unresolved", SEVERAL_RESOURCES, InputPlace(file.name, line=_line(block))))
            continue
        values = {name: value for name, value in body.values.items() if name not in META_ARGUMENTS}
        yield TerraformResource(labels[0], values, body.holes, body.place_of(_line(block)))


def _parse(file: InputFile) -> Tree[Any]:
    try:
        from hcl2 import parses_to_tree
    except ImportError as error:
        message = f"{file.name} needs python-hcl2; run {install_command('terraform')}, or import a plan or a state"
        raise InputError(message) from error
    from lark.exceptions import LarkError

    if len(file.data) > MAX_HCL_BYTES:
        raise InputError(f"{file.name} has more than {MAX_HCL_BYTES // 2**20} MiB; import it in parts")
    try:
        return parses_to_tree(file.data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not text in UTF-8") from error
    except LarkError as error:
        line = getattr(error, "line", None)
        raise InputError(f"{file.name}{f':{line}' if isinstance(line, int) else ''}: is not valid HCL") from error


class _Body:
    """The values of a block, with its holes and the lines of its parts."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.values: dict[str, Any] = {}
        self.holes: dict[Path, str] = {}
        self.lines: dict[Path, int] = {}

    def place_of(self, line: int) -> Callable[[Path], InputPlace]:
        """Where a part of the block is, which starts at a line."""

        def place(path: Path) -> InputPlace:
            known = (self.lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self.lines)
            return InputPlace(self.file, line=next(known, line))

        return place

    def read(self, body: Tree[Any], path: Path, depth: int) -> None:
        """Read the attributes and blocks of a body into the values; `path` is that of the block."""
        if depth > MAX_DEPTH:
            raise InputError(f"{self.file}:{_line(body)}: nested deeper than {MAX_DEPTH} levels")
        self.values.update(self._entries(body, path, depth))

    def _entries(self, body: Tree[Any], path: Path, depth: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for child in _trees(body):
            if child.data == "attribute":
                name, expression = _names(child)[0], list(_trees(child))[-1]
                self.lines[(*path, name)] = _line(child)
                entries[name] = self._literal(expression, (*path, name), depth)
            elif child.data == "block":
                self._add_block(entries, child, path, depth)
        return entries

    def _add_block(self, entries: dict[str, Any], block: Tree[Any], path: Path, depth: int) -> None:
        name, *labels = _block_names(block)
        if name == "dynamic" and labels:
            self._hole((*path, labels[0]), block)
            entries[labels[0]] = NO_VALUE
            return
        blocks = entries.setdefault(name, [])
        if not isinstance(blocks, list) or depth > MAX_DEPTH:
            raise InputError(f"{self.file}:{_line(block)}: is not valid HCL, or is nested too deep")
        inner = (*path, name, len(blocks))
        self.lines[inner] = _line(block)
        blocks.append(self._entries(_body(block), inner, depth + 1))

    def _literal(self, node: Tree[Any], path: Path, depth: int) -> Any:
        """The value of an expression that is literal; otherwise a hole."""
        if depth > MAX_DEPTH:
            raise InputError(f"{self.file}:{_line(node)}: nested deeper than {MAX_DEPTH} levels")
        parts = [child for child in _trees(node) if child.data != "new_line_or_comment"]
        if node.data == "expr_term" and len(parts) == 1 and len(node.children) == len(list(_trees(node))):
            return self._literal(parts[0], path, depth + 1)
        match str(node.data):
            case "string" if (text := _text(node)) is not None:
                return text
            case "int_lit" | "float_lit" | "literal_value":
                return _scalar(str(node.children[0]))
            case "unary_op" if _is_negative_number(node):
                return _scalar(f"-{parts[0].children[0].children[0]}")
            case "tuple":
                return [self._item(part, (*path, index), depth) for index, part in enumerate(parts)]
            case "object":
                return dict(self._pair(part, path, depth) for part in parts)
        return self._hole(path, node)

    def _item(self, node: Tree[Any], path: Path, depth: int) -> Any:
        self.lines[path] = _line(node)
        return self._literal(node, path, depth + 1)

    def _pair(self, element: Tree[Any], path: Path, depth: int) -> tuple[str, Any]:
        """A key and a value of an object; a key that is not literal is a hole of its own."""
        key_node, value_node = (child for child in _trees(element) if child.data != "new_line_or_comment")
        key = _key(key_node)
        if key is None:
            return NO_VALUE, self._hole((*path, NO_VALUE), element)
        return key, self._item(value_node, (*path, key), depth)

    def _hole(self, path: Path, node: Tree[Any]) -> str:
        self.holes[path] = EXPRESSION
        self.lines[path] = _line(node)
        return NO_VALUE


def _is_negative_number(operation: Tree[Any]) -> bool:
    sign, operand = operation.children[0], operation.children[-1]
    return str(sign) == "-" and [child.data for child in _trees(operand)] in (["int_lit"], ["float_lit"])


def _key(node: Tree[Any]) -> str | None:
    """The key of an object: a word, a text or a number."""
    inner = node
    while inner.data in ("object_elem_key", "expr_term") and len(inner.children) == 1:
        inner = inner.children[0]
    match str(inner.data):
        case "identifier" | "keyword" | "literal_value" | "int_lit" | "float_lit":
            return str(inner.children[0])
        case "string":
            return _text(inner)
    return None


def _text(node: Tree[Any]) -> str | None:
    """The text of a string without templates; None for one with templates."""
    parts = []
    for part in _trees(node):
        token = part.children[0]
        if hasattr(token, "data"):
            return None
        parts.append(str(token)[1:] if token.type.startswith("ESCAPED") else _unescape(str(token)))
    return "".join(parts)


def _unescape(text: str) -> str:
    return _escape.sub(_decode_escape, text) if "\\" in text else text


def _decode_escape(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or "0", 16)
    if match[3] is not None:
        return ESCAPES.get(match[3], match[3])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _scalar(word: str) -> Any:
    words = {"true": True, "false": False, "null": None}
    if word in words:
        return words[word]
    if not re.fullmatch(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?", word):
        return word
    return int(word) if word.lstrip("-").isdecimal() else float(word)


def _blocks(tree: Tree[Any]) -> Iterator[Tree[Any]]:
    for body in _trees(tree):
        yield from (child for child in _trees(body) if child.data == "block")


def _block_names(block: Tree[Any]) -> list[str]:
    """The type and the labels of a block."""
    return [text for child in _trees(block) if (text := _label(child)) is not None]


def _label(node: Tree[Any]) -> str | None:
    if node.data == "string":
        return _text(node) or ""
    return str(node.children[0]) if node.data in ("identifier", "keyword", "literal_value") else None


def _names(attribute: Tree[Any]) -> list[str]:
    return [label for child in _trees(attribute) if (label := _label(child)) is not None]


def _body(block: Tree[Any]) -> Tree[Any]:
    return next(child for child in _trees(block) if child.data == "body")


def _trees(node: Tree[Any]) -> Iterator[Tree[Any]]:
    return (child for child in node.children if hasattr(child, "data"))


def _line(node: Tree[Any]) -> int:
    return int(getattr(node.meta, "line", 1))
