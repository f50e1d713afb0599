"""One document of a policy file: its keys, texts and parameters with their positions, and the errors in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.errors import UsageError
from trialrun.lint import positions
from trialrun.lint.policy.policy import NAME, TYPES, Parameter, value_problem
from trialrun.parser import Document
from trialrun.text import Source, Span
from trialrun.values.cel.tokens import RESERVED
from trialrun.values.suggest import did_you_mean, suggest

RULE_NAME = "policy"
"""Shown in place of a rule id."""


@dataclass(slots=True)
class PolicyErrors:
    """Collects errors, and the texts that they are in."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def add(self, source: Source, span: Span, message: str) -> None:
        """Add an error at some characters of a file."""
        self.sources[source.path] = source
        self.diagnostics.append(
            Diagnostic(RULE_NAME, Severity.ERROR, message, source.path, positions.range_of(source, span))
        )

    def raise_if_any(self) -> None:
        """Raise UsageError if there are errors, which are its diagnostics."""
        if self.diagnostics:
            ordered = sorted(self.diagnostics, key=lambda diagnostic: diagnostic.sort_key)
            places = ((one, one.range.start) for one in ordered)
            message = "; ".join(f"{one.path}:{at.line}:{at.column}: {one.message}" for one, at in places)
            raise UsageError(message, diagnostics=ordered, sources=self.sources)


@dataclass(frozen=True, slots=True)
class PolicyKey:
    """A key of a policy: its purpose, and what to write.

    `cel_type` is the type of an expression; `is_mapping` means that its value is a mapping, otherwise it is a text.
    """

    purpose: str
    advice: str = "fill it in, or leave the key out"
    required: bool = False
    cel_type: str | None = None
    is_mapping: bool = False


KEYS: Mapping[str, PolicyKey] = {
    "id": PolicyKey(
        "the name of the policy, as findings and settings call it: lower-case words with hyphens.",
        "write a name for the policy, such as views-name-their-owner",
        required=True,
    ),
    "on": PolicyKey(
        "the message that the policy looks at, such as `FeatureView` or `UpsellConfig`.",
        "name the message that it looks at, such as FeatureView",
        required=True,
    ),
    "scope": PolicyKey(
        "what the policy looks at: each `document` by itself, which is so when unset, or the `workspace`, in which it "
        "may read other documents."
    ),
    "parameters": PolicyKey(
        "values that settings may change, by name: each with its `type`, its `default` and a `description`.",
        is_mapping=True,
    ),
    "at": PolicyKey("the field that a finding points at, with dots on the way there; the whole message when unset."),
    "severity": PolicyKey("`error`, `warning` or `note`; `warning` when unset."),
    "check": PolicyKey(
        "what must be true, in CEL over `self`, `root`, `document`, `now` and `parameters`.",
        "write in CEL what must be true of self",
        required=True,
        cel_type="bool",
    ),
    "message": PolicyKey(
        "what is wrong where the check is not true, and what to do.",
        "say what is wrong where the check is not true, and what to do",
        required=True,
    ),
    "messageExpression": PolicyKey(
        "the message as a text in CEL; `message` is used where the text is empty.", cel_type="string"
    ),
    "once": PolicyKey(
        "a text in CEL, with `scope: workspace`: of all messages for which it is the same, only the first by path gets "
        "the finding.",
        cel_type="string",
    ),
    "doc": PolicyKey("the page of the policy, in the form of the pages of rules, with examples that are its tests."),
}
REQUIRED = tuple(key for key, policy_key in KEYS.items() if policy_key.required)
MAPPINGS = tuple(key for key, policy_key in KEYS.items() if policy_key.is_mapping)
MIN_SIMILARITY = 0.6
"""The similarity that a misspelt key must have to get a suggestion."""
PARAMETERS = "parameters"
PARAMETER_KEYS: Mapping[str, str] = {
    "type": f"one of {', '.join(TYPES)}.",
    "default": "the value where no setting gives another.",
    "description": "what it is for, for whoever sets it.",
}
"""The keys of a parameter, with what they are."""
MAX_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """A document that is a mapping of texts, and of some mappings."""

    source: Source
    document: Document
    texts: Mapping[str, str]
    errors: PolicyErrors
    mappings: Mapping[str, Mapping[str, Any]]

    @property
    def line(self) -> int:
        """The first line of the policy."""
        return self.source.position(self.document.first_key_span(()).start).line

    def report(self, key: str, message: str, *, chars: tuple[int, int] | None = None) -> None:
        """Report a problem with the text of a key, or with some of its characters."""
        span = self.document.span((key,))
        if chars is not None and chars[0] < chars[1]:
            span = self.document.scalar_span((key,), *chars)
        self.errors.add(self.source, span, message)

    def report_at(self, path: tuple[str, ...], message: str, *, at_key: bool = False) -> None:
        """Report a problem with the value at a path, or with its key."""
        span = self.document.key_span(path) if at_key else self.document.span(path)
        self.errors.add(self.source, span or Span(0, 0), message)


def read_policy_document(
    source: Source, document: Document, problems: PolicyErrors, reported_keys: Collection[str | int]
) -> PolicyDocument | None:
    """The content of a document, without `reported_keys`, which have errors already.

    None, with the problem reported, if it is not a mapping.
    """
    value = document.value
    if not isinstance(value, dict):
        advice = "write one policy per document, with --- between them" if isinstance(value, list) else "write its keys"
        problems.add(source, document.first_key_span(()), f"a policy is a mapping; {advice}")
        return None
    known = {key: content for key, content in value.items() if key not in reported_keys}
    mappings = {key: content for key, content in known.items() if key in MAPPINGS and isinstance(content, dict)}
    texts = {key: text for key, text in known.items() if key in KEYS and isinstance(text, str) and text.strip()}
    entry = PolicyDocument(source, document, texts, problems, mappings)
    meant = {suggest(key, KEYS, min_similarity=MIN_SIMILARITY) for key in known if key not in KEYS}
    for key, content in known.items():
        _check_key(entry, key, content)
    for key in REQUIRED:
        if key not in value and key not in meant:
            problems.add(source, document.first_key_span(()), f'"{key}" is missing; {KEYS[key].advice}')
    return entry


def _check_key(entry: PolicyDocument, key: str, value: Any) -> None:
    if key not in KEYS:
        advice = did_you_mean(key, KEYS, min_similarity=MIN_SIMILARITY, otherwise=f"its keys are {', '.join(KEYS)}")
        entry.report_at((key,), f'a policy has no "{key}"{advice}', at_key=True)
    elif key in MAPPINGS:
        if not isinstance(value, dict):
            message = f'"{key}" must be a mapping; write a name and its content below it'
            entry.report_at((key,), message, at_key=True)
    elif not isinstance(value, str):
        what = "must be a string" + ("; put it in quotes" if isinstance(value, (bool, int, float)) else "")
        entry.report_at((key,), f'"{key}" {what}', at_key=True)
    elif not value.strip():
        entry.report(key, f'"{key}" is empty; {KEYS[key].advice}')


def parse_parameters(entry: PolicyDocument) -> tuple[Parameter, ...]:
    """The valid parameters of a policy, in the order of the file."""
    declared = entry.mappings.get(PARAMETERS, {})
    if len(declared) > MAX_PARAMETERS:
        entry.report_at((PARAMETERS,), f"a policy has at most {MAX_PARAMETERS} parameters; split it up", at_key=True)
        return ()
    return tuple(_parse_parameters(entry, declared))


def _parse_parameters(entry: PolicyDocument, declared: Mapping[str, Any]) -> Iterator[Parameter]:
    for name, content in declared.items():
        path = (PARAMETERS, name)
        if not NAME.fullmatch(name) or name in RESERVED:
            entry.report_at(path, f'"{name}" is not a name of a parameter; write one such as maxViews', at_key=True)
        elif not isinstance(content, dict):
            entry.report_at(path, f'"{name}" must be a mapping with a type and a default', at_key=True)
        elif (parameter := _parse_parameter(entry, name, content)) is not None:
            yield parameter


def _parse_parameter(entry: PolicyDocument, name: str, content: Mapping[str, Any]) -> Parameter | None:
    path = (PARAMETERS, name)
    before = len(entry.errors.diagnostics)
    for key in content:
        if key not in PARAMETER_KEYS:
            known = f"its keys are {', '.join(PARAMETER_KEYS)}"
            advice = did_you_mean(key, PARAMETER_KEYS, min_similarity=MIN_SIMILARITY, otherwise=known)
            entry.report_at((*path, key), f'a parameter has no "{key}"{advice}', at_key=True)
    for key in ("type", "default"):
        if key not in content and len(entry.errors.diagnostics) == before:
            entry.report_at(path, f'"{name}" has no {key}; add {PARAMETER_KEYS[key].rstrip(".")}', at_key=True)
    type_name, default = content.get("type"), content.get("default")
    if "type" in content and not isinstance(type_name, str):
        entry.report_at((*path, "type"), f'"type" must be a string; write one of {", ".join(TYPES)}')
    elif "type" in content and type_name not in TYPES:
        near = did_you_mean(str(type_name), TYPES, otherwise=f"write one of {', '.join(TYPES)}")
        entry.report_at((*path, "type"), f'there is no type "{type_name}" of parameters{near}')
    elif "default" in content and "type" in content and (problem := value_problem(default, str(type_name))):
        entry.report_at((*path, "default"), f"the default {problem}")
    description = content.get("description", "")
    if not isinstance(description, str):
        entry.report_at((*path, "description"), '"description" must be a string; put it in quotes')
    if len(entry.errors.diagnostics) > before:
        return None
    return Parameter(name, str(type_name), default, " ".join(str(description).split()))
