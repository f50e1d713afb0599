"""One document of a policy file: its keys and texts, and where each of them stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.policy_errors import PolicyErrors
from trialrun.model.suggest import suggest
from trialrun.parser import Document
from trialrun.text import Source, Span

KEYS = ("id", "on", "at", "severity", "check", "message", "messageExpression", "doc")
MIN_SIMILARITY = 0.6
"""How like a key of ours a misspelt one is."""
REQUIRED = ("id", "on", "check", "message")


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """A document that is a mapping of texts; `texts` has those that stand in it."""

    source: Source
    document: Document
    texts: Mapping[str, str]
    errors: PolicyErrors

    @property
    def line(self) -> int:
        """The line on which the policy begins."""
        return self.source.position(self.document.first_key_span(()).start).line

    def report(self, key: str, message: str, *, chars: tuple[int, int] | None = None) -> None:
        """Something wrong with the text of a key, or with some of its characters."""
        span = self.document.span((key,))
        if chars is not None and chars[0] < chars[1]:
            span = self.document.scalar_span((key,), *chars)
        self.errors.add(self.source, span, message)

    def report_missing(self, key: str) -> None:
        """A key that is not there, told at the first that is."""
        self.errors.add(self.source, self.document.first_key_span(()), f'"{key}" is missing; {KEY_ADVICE[key]}')


KEY_ADVICE = {
    "id": "write a name for the policy, such as views-name-their-owner",
    "on": "name the message that it looks at, such as FeatureView",
    "check": "write in CEL what must be true of self",
    "message": "say what is wrong where the check is not true, and what to do",
}


def read_policy_document(
    source: Source, document: Document, problems: PolicyErrors, told: Collection[str | int]
) -> PolicyDocument | None:
    """The entry of a document, without the keys of which something has been `told`.

    None, with the problem told, for one that is no mapping.
    """
    value = document.value
    if not isinstance(value, dict):
        advice = "write one policy per document, with --- between them" if isinstance(value, list) else "write its keys"
        problems.add(source, document.first_key_span(()), f"a policy is a mapping; {advice}")
        return None
    known = {key: each for key, each in value.items() if key not in told}
    entry = PolicyDocument(source, document, dict(_texts(known)), problems)
    meant = {suggest(key, KEYS, min_similarity=MIN_SIMILARITY) for key in known if key not in KEYS}
    for key, each in known.items():
        _check_key(entry, key, each)
    for key in REQUIRED:
        if key not in value and key not in meant:
            entry.report_missing(key)
    return entry


def _texts(value: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, text) for key, text in value.items() if key in KEYS and isinstance(text, str) and text.strip()]


def _check_key(entry: PolicyDocument, key: str, value: Any) -> None:
    if key not in KEYS:
        span = entry.document.key_span((key,)) or Span(0, 0)
        near = suggest(key, KEYS, min_similarity=MIN_SIMILARITY)
        advice = f'did you mean "{near}"?' if near else f"its keys are {', '.join(KEYS)}"
        entry.errors.add(entry.source, span, f'a policy has no "{key}"; {advice}')
    elif not isinstance(value, str):
        span = entry.document.key_span((key,)) or Span(0, 0)
        what = "is a text; put it in quotes" if isinstance(value, (bool, int, float)) else "is a text"
        entry.errors.add(entry.source, span, f'"{key}" {what}')
    elif not value.strip():
        entry.report(key, f'"{key}" is empty; {KEY_ADVICE.get(key, "fill it in, or leave the key out")}')
