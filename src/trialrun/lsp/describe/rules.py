"""Pages of rules in Markdown, and descriptions of policies: keys, messages, and parts of expressions."""

from __future__ import annotations

from collections.abc import Iterable

from trialrun.lint import registry
from trialrun.lint.policy import is_policy
from trialrun.lint.policy.parse_policy import original_words, rewrite_documents
from trialrun.lint.policy.policy import kinds_by_message, lenient_schema, messages
from trialrun.lint.policy.policy_document import KEYS
from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import first_example, prose_markdown, rule_markdown
from trialrun.lsp.describe import code
from trialrun.lsp.describe.condition import describe_part, function_docs
from trialrun.lsp.describe.field import (
    ModelField,
    character_at,
    field_paragraphs,
    message_paragraphs,
    model_field_on_path,
)
from trialrun.lsp.describe.value import MAX_CONDITION_LENGTH
from trialrun.lsp.describe.value_location import HoverText
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import NodeAtOffset, OpenWorkspace, WorkspaceFile


def rule_page(workspace: OpenWorkspace, path: str, rule_id: str) -> str | None:
    """The page of a rule, or of a policy in effect for a file, in Markdown under its name; None if there is none."""
    rule = _rule(workspace, path, rule_id)
    return None if rule is None else f"# {rule_id}\n\n{rule_markdown(rule)}"


def rule_summary(workspace: OpenWorkspace, path: str, rule_id: str, *, reasons: bool = True) -> str | None:
    """The law of a rule under its name, and its reasons with what they rest on, but not its examples."""
    rule = _rule(workspace, path, rule_id)
    if rule is None:
        return None
    law, *why = prose_markdown(rule)
    return "\n\n".join([f"**{rule_id}**: {law}", *(why if reasons else [])])


def rule_with_example(workspace: OpenWorkspace, path: str, rule_id: str) -> str | None:
    """The law and the reasons of a rule with its first bad example, as it is put right where the page says how."""
    rule = _rule(workspace, path, rule_id)
    short = rule_summary(workspace, path, rule_id)
    return None if rule is None or short is None else "\n\n".join([short, *first_example(rule)])


def _rule(workspace: OpenWorkspace, path: str, rule_id: str) -> Rule | None:
    policies = workspace.request.profiles.of(path).policies.rules
    return registry.load(rule_id) if rule_id in registry.files() else policies.get(rule_id)


def policy_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The description of the key or expression at an offset of a policy; None in other files."""
    spot = file.node_at(offset)
    key = str(spot.path[0]) if spot and spot.path else ""
    policy = spot.document.value if spot else None
    if spot is None or key not in KEYS or not isinstance(policy, dict) or "kind" in policy:
        return None
    if not is_policy(policy) and absolute_path(file.path) not in workspace.request.profiles.policies.files:
        return None
    field, value, on = f"**{code(key)}**, {purpose(key)}", policy.get(key), str(policy.get("on"))
    paragraphs: Iterable[str] = ()
    if isinstance(value, str) and not spot.is_key:
        kinds, cel_type = kinds_by_message(), KEYS[key].cel_type
        is_known = on in kinds
        if key == "on" and value in kinds:
            paragraphs = message_paragraphs(messages(kinds[value])[value])
        elif key == "at" and is_known:  # the field at which findings of the policy are located
            member = model_field_on_path(messages(kinds[on])[on], tuple(value.split(".")))
            paragraphs = field_paragraphs(member) if member else ()
        elif cel_type is not None and is_known and (described := _expression(spot, on, value, offset, cel_type)):
            return described
    return HoverText(spot.span, (*paragraphs, field))


def purpose(key: str) -> str:
    """The purpose of a policy key, and whether it is required."""
    return f"{'required' if KEYS[key].required else 'optional'}: {KEYS[key].purpose}"


def _expression(spot: NodeAtOffset, on: str, text: str, offset: int, cel_type: str) -> HoverText | None:
    """The part of an expression at an offset; None if nothing is known of it."""
    if not 0 < len(text) <= MAX_CONDITION_LENGTH:
        return None
    at = character_at(spot.document, spot.path, text, offset)
    parameters = spot.document.value.get("parameters")
    schema = lenient_schema(on, parameters if isinstance(parameters, dict) else {}, text)
    part = describe_part(rewrite_documents(text, "workspace")[0], at, schema, result=cel_type)
    span = spot.document.scalar_span(spot.path, part.start, part.end) if part else spot.span
    if part is None or not span.start <= offset <= span.end:
        return None
    paragraphs = [original_words(paragraph) for paragraph in part.paragraphs]
    if "documents(" in paragraphs[0]:
        paragraphs += function_docs("documents", schema.library)
    if part.field:  # the field of a message that the expression reads
        message, name = part.field
        kind = kinds_by_message().get(message)
        model = messages(kind)[message] if kind is not None else None
        if model is not None and name in model.model_fields:
            paragraphs += field_paragraphs(ModelField(model, name))
    return HoverText(span, tuple(paragraphs), is_all=True)
