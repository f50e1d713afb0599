"""Descriptions of policies: keys, messages, and parts of expressions."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.diagnostic import Path
from trialrun.lint.policy import is_policy
from trialrun.lint.policy.policy_document import KEYS
from trialrun.lint.policy.rewrite import original_words, rewrite_documents
from trialrun.lint.policy.types import kinds_by_message, lenient_schema, messages
from trialrun.lsp.describe.condition import describe_part, function_docs
from trialrun.lsp.describe.field import (
    ModelField,
    character_at,
    field_paragraphs,
    message_paragraphs,
    model_field_on_path,
)
from trialrun.lsp.describe.markdown import code
from trialrun.lsp.describe.value import MAX_CONDITION_LENGTH
from trialrun.lsp.describe.value_location import HoverText
from trialrun.parser import Document
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import NodeAtOffset, OpenWorkspace, WorkspaceFile


def policy_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The description of the key or expression at an offset of a policy; None in other files."""
    node_at_offset = file.node_at(offset)
    if (
        node_at_offset is None
        or not node_at_offset.path
        or node_at_offset.path[0] not in KEYS
        or not _is_policy(workspace, file, node_at_offset.document)
    ):
        return None
    key = str(node_at_offset.path[0])
    field = f"**{code(key)}**, {purpose(key)}"
    value = node_at_offset.document.value.get(key)
    if node_at_offset.is_key or not isinstance(value, str):
        return HoverText(node_at_offset.span, (field,))
    hover_text = _of_value(workspace, node_at_offset, value, offset)
    return hover_text if hover_text.is_all else HoverText(hover_text.span, (*hover_text.paragraphs, field))


def purpose(key: str) -> str:
    """The purpose of a policy key, and whether it is required."""
    return f"{'required' if KEYS[key].required else 'optional'}: {KEYS[key].purpose}"


def _is_policy(workspace: OpenWorkspace, file: WorkspaceFile, document: Document) -> bool:
    if not isinstance(document.value, dict) or "kind" in document.value:
        return False
    return is_policy(document.value) or absolute_path(file.path) in workspace.request.profiles.policies.files


def _of_value(workspace: OpenWorkspace, node_at_offset: NodeAtOffset, value: str, offset: int) -> HoverText:
    key, on = node_at_offset.path[0], node_at_offset.document.value.get("on")
    is_known = isinstance(on, str) and on in kinds_by_message()
    if key == "on" and value in kinds_by_message():
        return HoverText(node_at_offset.span, tuple(_message(value)))
    if key == "at" and is_known:
        return HoverText(node_at_offset.span, tuple(_field(on, value)))
    cel_type = KEYS[str(key)].cel_type
    if cel_type is not None and is_known:
        return _expression(node_at_offset, on, value, offset, cel_type)
    return HoverText(node_at_offset.span, ())


def _message(name: str) -> Iterator[str]:
    yield from message_paragraphs(messages(kinds_by_message()[name])[name])


def _field(on: str, at: str) -> Iterator[str]:
    """The field at which findings of the policy are located."""
    model = messages(kinds_by_message()[on])[on]
    steps: Path = tuple(at.split("."))
    member = model_field_on_path(model, steps)
    if member is not None:
        yield from field_paragraphs(member)


def _expression(node_at_offset: NodeAtOffset, on: str, text: str, offset: int, cel_type: str) -> HoverText:
    if not 0 < len(text) <= MAX_CONDITION_LENGTH:
        return HoverText(node_at_offset.span, ())
    at = character_at(node_at_offset.document, node_at_offset.path, text, offset)
    parameters = node_at_offset.document.value.get("parameters")
    schema = lenient_schema(on, parameters if isinstance(parameters, dict) else {}, text)
    described_part = describe_part(rewrite_documents(text, "workspace").text, at, schema, result=cel_type)
    if described_part is None:
        return HoverText(node_at_offset.span, ())
    span = node_at_offset.document.scalar_span(node_at_offset.path, described_part.start, described_part.end)
    if not span.start <= offset <= span.end:
        return HoverText(node_at_offset.span, ())
    paragraphs = [original_words(paragraph) for paragraph in described_part.paragraphs]
    if "documents(" in paragraphs[0]:
        paragraphs += function_docs("documents", schema.library)
    if described_part.field:
        paragraphs += _read(*described_part.field)
    return HoverText(span, tuple(paragraphs), is_all=True)


def _read(message: str, name: str) -> Iterator[str]:
    """The field of a message that an expression reads."""
    kind = kinds_by_message().get(message)
    model = messages(kind)[message] if kind is not None else None
    if model is not None and name in model.model_fields:
        yield from field_paragraphs(ModelField(model, name, ()))
