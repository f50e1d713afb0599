"""Template of a new policy: it requires a field, and its examples hold."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.errors import UsageError
from trialrun.lint.policy.policy import Scope, kinds_by_message, messages
from trialrun.model import proto_json
from trialrun.model.kinds import KINDS
from trialrun.model.node import Node, field_spec
from trialrun.values.suggest import did_you_mean

TEMPLATE = """\
id: {id}
# the message that it looks at, as self: a kind of document, such as FeatureView, or a part of one, such as SyncConfig
on: {on}
# the field of self that a finding points at
at: {field}
# error, warning or note
severity: warning
# CEL over self, root (the document around it), document.path, .kind and .name; unset fields read as their defaults
check: has(self.{field})
message: {field} is not set; set it
doc: |
  Every {on} sets {field}.

  Say here why that matters, for whoever meets the finding.

  Good{as_part}:

{good}

  Bad{as_part}:

{bad}
"""


OF_WORKSPACE = """\
id: {id}
# the policy sees all files of the workspace, not one document at a time
scope: workspace
# the message that it looks at, as self: a kind of document, such as FeatureView, or a part of one, such as SyncConfig
on: {kind}
# values that settings may change: [policy-parameters.{id}]
parameters:
  max: {{type: int, default: {most}, description: the most documents of this kind}}
# of all messages with the same text, only the first by path gets the finding
once: document.kind
# error, warning or note
severity: warning
# CEL over self, root, document, now, parameters, and documents("KIND"), all documents of a kind
check: documents("{kind}").size() <= parameters.max
message: there are too many documents of kind {kind}; remove some
doc: |
  A workspace has at most {most} documents of kind {kind}.

  Say here why that matters, for whoever meets the finding.

  Good:

{good}

  Bad:

{bad}
"""


def policy_template(name: str, on: str, field: str | None, scope: Scope = "document") -> str:
    """The text of a new policy on a message. Raises UsageError for an unknown message or field."""
    if on not in kinds_by_message():
        near = did_you_mean(on, kinds_by_message())
        raise UsageError(f'--on: there is no message "{on}"{near or "; name a kind of document, or a part of one"}')
    if scope == "workspace":
        if on not in KINDS:
            kind = kinds_by_message()[on]
            raise UsageError(f"--on: {on} is a part of a {kind}; with --scope workspace, name a kind of document")
        return _workspace_template(name, on)
    model = messages(kinds_by_message()[on])[on]
    field = _choose_field(model, field)
    header = [f"kind: {on}"] if on in KINDS else []
    good = [*header, f"{field}: {_sample_value(proto_json.field_type(model, field))}"]
    bad = [f"{(header or ['{}'])[0]}  # <- {field} is not set"]
    as_part = "" if header else f", as {on}"
    return TEMPLATE.format(id=name, on=on, field=field, as_part=as_part, good=_indent(good), bad=_indent(bad))


def _workspace_template(name: str, kind: str) -> str:
    """A policy that counts documents; its examples have several."""
    fields = messages(kind)[kind].model_fields
    field = next(name for name in ("name", "uri", *fields) if name in fields)  # one that holds a plain text
    documents = [f"kind: {kind}\n{field}: {text}\n" for text in ("a", "b", "c")]
    first = f"kind: {kind}  # <- too many documents of kind {kind}\n{field}: a\n"
    good, bad = "---\n".join(documents[:2]), "---\n".join([first, *documents[1:]])
    return OF_WORKSPACE.format(
        id=name, kind=kind, most=2, good=_indent(good.splitlines()), bad=_indent(bad.splitlines())
    )


def _indent(lines: list[str]) -> str:
    return "\n".join(f"      {line}" for line in lines)


def _choose_field(model: type[Node], field: str | None) -> str:
    """The required field: the given one, otherwise the first that a person would set."""
    if field is not None:
        if field not in model.model_fields:
            raise UsageError(
                f'--field: {model.__name__} has no field "{field}"{did_you_mean(field, model.model_fields)}'
            )
        return field
    first = next(_settable_fields(model), None)
    if first is None:
        raise UsageError(f"--on: {model.__name__} has no fields to check; choose the message that holds it")
    return first


def _settable_fields(model: type[Node]) -> Iterator[str]:
    for name in model.model_fields:
        known = field_spec(model, name)
        if known.mode in ("optional", "required") and not known.replaced_by and name not in ("kind", "etag"):
            yield name


def _sample_value(shape: proto_json.FieldType) -> str:
    """An example value of a field, as YAML on one line."""
    if shape.is_list:
        return f"[{_sample_value(proto_json.item_type(shape))}]"
    if shape.model is not None:
        return "{}"
    if shape.values is not None:
        return "{owner: ads}" if shape.values is not proto_json.ANYTHING else "{}"
    if shape.enum:
        return shape.enum[-1]
    if shape.int64:
        return '"1"'
    return {bool: "true", int: "1", float: "1.0"}.get(shape.scalar or str, "text")
