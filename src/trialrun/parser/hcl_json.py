"""Read the JSON syntax of Terraform into the tree of HCL, with the places of its texts.

Only the outermost level says what is a block; in resources the schema does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trialrun.parser.hcl_expressions import ExpressionReader, number_value
from trialrun.parser.hcl_syntax import (
    Attribute,
    Block,
    Body,
    Call,
    Conditional,
    Expression,
    HclError,
    HclFile,
    Label,
    ListExpression,
    Literal,
    ObjectExpression,
    Operation,
    Template,
    TemplateSequence,
    TemplateText,
)
from trialrun.parser.hcl_templates import unquoted
from trialrun.parser.json import parse_json
from trialrun.parser.nodes import Node
from trialrun.parser.scalar_source_map import segments
from trialrun.parser.terraform.schema import NESTED_BLOCKS

LABELS: Final = {
    "resource": 2, "data": 2, "ephemeral": 2, "locals": 0, "terraform": 0, "moved": 0, "import": 0, "dynamic": 1,
}  # fmt: skip
"""How many labels blocks have; of others, those of a file have one, and those in blocks have none."""
_WORDS: Final = {"true": True, "false": False, "null": None}


def read_hcl_json(text: str) -> HclFile:
    """The blocks of a text and what is wrong in it; it never raises."""
    documents, faults = parse_json(text)
    errors: list[HclError] = []
    body = Body()
    for document in documents[:1]:
        part = document.source_slice
        root = _expression(part.text, document.root.node, errors)
        places = range(part.offset, part.offset + len(part.text) + 2)
        _move(root, places)
        for error in errors:
            error.start, error.end = places[error.start], places[error.end]
        for key, value in root.items if isinstance(root, ObjectExpression) else []:
            if isinstance(key, Template) and key.text and key.text != "//":
                outer = Block(key.text, key.start, key.end, [], Body())
                body.blocks += _blocks(outer, value, LABELS.get(key.text, 1))
    errors += [HclError(fault.span.start, fault.message, fault.span.end, fault.rule) for fault in faults]
    return HclFile(body, sorted(errors, key=lambda error: (error.start, error.end)), [])


def _blocks(outer: Block, value: Expression, labels: int) -> Iterator[Block]:
    """The blocks that a value stands for: one object, or a list of them, below its labels."""
    if isinstance(value, ListExpression):
        for item in value.items:
            yield from _blocks(outer, item, labels)
    elif isinstance(value, ObjectExpression) and labels:
        for key, inner in value.items:
            label = Label(_key(key), key.start, key.end)
            start, end = (outer.start, outer.end) if not outer.labels else (outer.labels[0].start, outer.labels[0].end)
            yield from _blocks(Block(outer.type, start, end, [*outer.labels, label], Body()), inner, labels - 1)
    elif isinstance(value, ObjectExpression):
        block = Block(outer.type, outer.start, outer.end, outer.labels, Body(), value.start, value.end)
        if outer.labels:
            block.start, block.end = outer.labels[-1].start, outer.labels[-1].end
        for key, inner in value.items:
            name = _key(key)
            if name in NESTED_BLOCKS and isinstance(inner, ObjectExpression | ListExpression):
                nested = Block(name, key.start, key.end, [], Body())
                block.body.blocks += _blocks(nested, inner, LABELS.get(name, 0))
            elif name != "//" and not (name in NESTED_BLOCKS and isinstance(inner, Literal) and inner.value is None):
                block.body.attributes[name] = Attribute(name, key.start, key.end, inner)
        yield block


def _key(key: Expression) -> str:
    return (key.text or "") if isinstance(key, Template) else ""


def _expression(text: str, node: Node, errors: list[HclError]) -> Expression:
    """The expression that a value of JSON stands for; of a repeated key the last counts."""
    if node.keys is not None:
        pairs: list[tuple[Expression, Expression]] = []
        for text_of_key, child in node.keys.items():
            key = child.key or child.node
            pairs.append((Template(key.start, key.end, text_of_key), _expression(text, child.node, errors)))
        return ObjectExpression(node.start, node.end, pairs)
    if node.items is not None:
        return ListExpression(node.start, node.end, [_expression(text, child.node, errors) for child in node.items])
    word = node.text or ""
    if text.startswith('"', node.start):
        return _template(text, node, errors)
    if word in _WORDS:
        return Literal(node.start, node.end, _WORDS[word])
    return Literal(node.start, node.end, number_value(word.removeprefix("-"), is_negative=word.startswith("-")))


def _template(text: str, node: Node, errors: list[HclError]) -> Expression:
    word = node.text or ""
    if "${" not in word and "%{" not in word:
        return Template(node.start, node.end, word)
    places = [*(piece[1] for piece in segments(text, node)), node.end - 1]
    try:
        template = unquoted(ExpressionReader(word))
    except HclError as error:
        is_inside = error.start < len(word)
        error.start = places[error.start] if is_inside else node.start
        error.end = places[min(error.end, len(word))] if is_inside else node.end
        errors.append(error)
        return Operation(node.start, node.end)
    _move(template, places)
    template.start, template.end, template.is_heredoc = node.start, node.end, False
    return template


def _move(expression: Expression, places: Sequence[int]) -> None:
    """Count the offsets of an expression, and of all in it, in another text: `places` has the new ones."""
    waiting: list[Expression | TemplateText | TemplateSequence] = [expression]
    while waiting:
        node = waiting.pop()
        node.start, node.end = places[node.start], places[node.end]
        match node:
            case Template(parts=parts):
                waiting += parts
            case TemplateSequence(expression=inner) if inner is not None:
                waiting.append(inner)
            case ListExpression(items=items) | Call(arguments=items) | Operation(operands=items):
                waiting += items
            case ObjectExpression(items=pairs):
                waiting += [part for pair in pairs for part in pair]
            case Conditional():
                waiting += [node.condition, node.if_true, node.if_false]
