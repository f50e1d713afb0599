"""One document of a policy file: its keys and texts with their positions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.policy_errors import PolicyErrors
from trialrun.parser import Document
from trialrun.text import Source, Span
from trialrun.values.suggest import did_you_mean, suggest


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

    def report_missing(self, key: str) -> None:
        """Report a missing key, at the first existing one."""
        self.errors.add(self.source, self.document.first_key_span(()), f'"{key}" is missing; {KEYS[key].advice}')


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
    entry = PolicyDocument(source, document, dict(_texts(known)), problems, mappings)
    meant = {suggest(key, KEYS, min_similarity=MIN_SIMILARITY) for key in known if key not in KEYS}
    for key, content in known.items():
        _check_key(entry, key, content)
    for key in REQUIRED:
        if key not in value and key not in meant:
            entry.report_missing(key)
    return entry


def _texts(value: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, text) for key, text in value.items() if key in KEYS and isinstance(text, str) and text.strip()]


def _check_key(entry: PolicyDocument, key: str, value: Any) -> None:
    if key not in KEYS:
        span = entry.document.key_span((key,)) or Span(0, 0)
        advice = did_you_mean(key, KEYS, min_similarity=MIN_SIMILARITY, otherwise=f"its keys are {', '.join(KEYS)}")
        entry.errors.add(entry.source, span, f'a policy has no "{key}"{advice}')
    elif key in MAPPINGS:
        if not isinstance(value, dict):
            span = entry.document.key_span((key,)) or Span(0, 0)
            entry.errors.add(entry.source, span, f'"{key}" must be a mapping; write a name and its content below it')
    elif not isinstance(value, str):
        span = entry.document.key_span((key,)) or Span(0, 0)
        what = "must be a string" + ("; put it in quotes" if isinstance(value, (bool, int, float)) else "")
        entry.errors.add(entry.source, span, f'"{key}" {what}')
    elif not value.strip():
        entry.report(key, f'"{key}" is empty; {KEYS[key].advice}')
