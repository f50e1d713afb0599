"""What is said about a language tag, in words and at the characters that cause it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from trialrun.values.language_tag.canonicalize import canonical_form
from trialrun.values.language_tag.grammar import Grandfathered, Subtag, SyntaxFault, Tag, parse
from trialrun.values.language_tag.registry import registry
from trialrun.values.language_tag.validate import repetitions, unregistered
from trialrun.values.problem import Problem


@lru_cache(maxsize=4096)
def check(text: str) -> tuple[Problem, ...]:
    """What is wrong with a language tag, or worth saying about it.

    Codes: "invalid" (not well-formed, or a subtag that the registry lacks; then nothing else is said),
    "non-canonical" (retired, or in an unusual case; the replacement makes the whole tag canonical), and
    "suspicious" (valid, rarely meant).
    """
    tag = parse(text)
    if isinstance(tag, SyntaxFault):
        return (_malformed(text, tag),)
    if isinstance(tag, Grandfathered):
        return tuple(_non_canonical(text, tag))
    if problems := sorted(_invalid(tag), key=lambda problem: problem.start):
        return tuple(problems)
    from trialrun.values.language_tag.likely_mistakes import likely_mistakes

    doubts = tuple(likely_mistakes(tag))
    cured = [(doubt.start, doubt.end) for doubt in doubts if doubt.replacement is not None]
    others = (p for p in _non_canonical(text, tag) if not any(p.start < end and start < p.end for start, end in cured))
    return (*doubts, *others)


def _malformed(text: str, fault: SyntaxFault) -> Problem:
    from trialrun.values.language_tag.suggest import suggest_tag

    suggestion = suggest_tag(text)
    if suggestion is None:
        return Problem("invalid", fault.start, fault.end, fault.message)
    start, end, replacement = _difference(text, suggestion)
    return Problem(
        "invalid", start, end, f'{fault.message.partition(";")[0]}; did you mean "{suggestion}"?', replacement
    )


def _invalid(tag: Tag) -> Iterator[Problem]:
    for fault in repetitions(tag):
        yield Problem("invalid", fault.start, fault.end, fault.message)
    for subtag in unregistered(tag):
        yield _unregistered(subtag, tag)


def _unregistered(subtag: Subtag, tag: Tag) -> Problem:
    from trialrun.values.language_tag.suggest import suggest_subtag

    suggestion = suggest_subtag(subtag, tag)
    what = "extended language or region" if subtag.kind == "extlang" else subtag.kind
    message = f'"{subtag.text}" is not a registered {what}'
    if suggestion is None:
        return Problem("invalid", subtag.start, subtag.end, f"{message} (registry of {registry().file_date})")
    if not suggestion:
        return Problem("invalid", subtag.start - 1, subtag.end, f"{message}; leave it out", "")
    return Problem("invalid", subtag.start, subtag.end, f'{message}; did you mean "{suggestion}"?', suggestion)


def _non_canonical(text: str, tag: Tag | Grandfathered) -> Iterator[Problem]:
    form = canonical_form(tag)
    if form != text:
        start, end, replacement = _difference(text, form)
        if not replacement:  # an extended language: "zh-" before "cmn" is too little to point at
            start, end, replacement = 0, len(text), form
        why = _non_canonical_reason(tag, same=form.lower() == text.lower())
        message = f'"{_truncate(text[start:end])}" {why}; write "{_truncate(form)}"{_unserved(text, form)}'
        yield Problem("non-canonical", start, end, message, replacement)
    yield from _deprecated_parts(tag)


def _unserved(text: str, form: str) -> str:
    """The end of a message about a tag such as `zh-cmn`, whose canonical form begins with another language."""
    language = parse(text.partition("-")[0])
    if not isinstance(language, tuple) or canonical_form(language) in (form.partition("-")[0], "sgn", "art"):
        return ""
    return f', and keep a text for "{canonical_form(language)}", whose customers no lookup leads to it'


def _truncate(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _non_canonical_reason(tag: Tag | Grandfathered, *, same: bool) -> str:
    if same:
        return "is written in another case"
    preferred = registry().preferred
    if isinstance(tag, Grandfathered) or any((subtag.kind, subtag.code) in preferred for subtag in tag):
        return "is deprecated"
    return "is not in canonical form"


def _deprecated_parts(tag: Tag | Grandfathered) -> Iterator[Problem]:
    """What the registry deprecated without naming one successor."""
    parts = [Subtag("language", tag.code, tag.code, 0, len(tag.code))] if isinstance(tag, Grandfathered) else tag
    for part in parts:
        kind = "grandfathered" if isinstance(tag, Grandfathered) else part.kind
        advice = registry().deprecated.get((kind, part.code))
        if advice is not None:
            hint = f"see {advice} instead" if advice else "the registry names no successor"
            yield Problem("non-canonical", part.start, part.end, f'"{part.text}" is deprecated; {hint}')


def _difference(text: str, other: str) -> tuple[int, int, str]:
    """The fewest whole subtags and joints of `text` to replace so that it becomes `other`: start, end, replacement."""
    ours, theirs = (re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]", tag) for tag in (text, other))
    start = end = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    while end < min(len(ours), len(theirs)) - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    before = len("".join(ours[:start]))
    after = len(text) - len("".join(ours[len(ours) - end :]))
    return before, after, "".join(theirs[start : len(theirs) - end])
