"""Completion of rule ids in ignore comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

from trialrun.lint import registry
from trialrun.lsp.features.completion.cursor import CommentCursor, range_of
from trialrun.lsp.results import Completion
from trialrun.text import Span
from trialrun.workspace.open_workspace import OpenWorkspace

NEVER_IGNORED = frozenset(["internal-error", "expired-suppression"])
_IGNORED = re.compile(r"#+[ \t]*trialrun[ \t]*:[ \t]*ignore(?:-file)?[ \t]*\[([^\]#]*)\Z", re.IGNORECASE)
MAX_COMMENT_LENGTH = 1_000
"""Maximum length of a comment that is completed."""
_WORD = re.compile(r"[\w-]*")
_FURTHER = re.compile(r"#+[ \t]*trialrun[ \t]*:[ \t]*ignore(?:-file)?[ \t]*\[[^\]#]*\]((?:[ \t].*)?)\Z", re.IGNORECASE)
_UNTIL = re.compile(r"\suntil=([\d-]*)\Z")
_LAST = re.compile(r"(?<=\s)\w*\Z")
_AFTER = {"until=": "last day on which it applies", "owner=": "who is responsible for it"}
DAYS = (30, 90, 180)
_BEGUN = re.compile(r"#+[ \t]*(trialrun[ \t]*:?[ \t]*[a-z-]*|)\Z", re.IGNORECASE)
_SUMMARY = re.compile(r'\s*r?"""(.+)')
_DIRECTIVES = {
    "trialrun: ignore[$1] ${2:<reason>}": "suppresses rules for this key or item",
    "trialrun: ignore-file[$1] ${2:<reason>}": "suppresses rules in the whole file",
}


def comment_completions(workspace: OpenWorkspace, comment: CommentCursor) -> Iterator[Completion]:
    """The rules that a comment may suppress, without those it names, or the start of such a comment."""
    if len(comment.text) > MAX_COMMENT_LENGTH:
        return
    match = _IGNORED.search(comment.text)
    if match is not None:
        *named, prefix = match[1].split(",")
        there = {name.strip() for name in named + comment.behind.partition("]")[0].split(",")[1:]} | NEVER_IGNORED
        yield from _ids(workspace, comment, prefix.strip(), there)
    elif further := _FURTHER.search(comment.text):
        yield from _further(workspace, comment, further[1])
    elif not comment.behind.strip() and (begun := _BEGUN.search(comment.text)):
        place = range_of(comment.source, Span(comment.offset - len(begun[1]), comment.offset))
        blank = "" if begun[1] or begun[0].endswith((" ", "\t")) else " "
        for number, (text, detail) in enumerate(_DIRECTIVES.items()):
            if comment.is_above or "file" not in text:
                label = text.replace("$1", "").replace(" ${2:<reason>}", "")
                yield Completion(label, "rule", blank + text, place, str(number), detail, is_snippet=True)


def _further(workspace: OpenWorkspace, comment: CommentCursor, written: str) -> Iterator[Completion]:
    """What may follow the names of rules: `until=` and `owner=`."""
    day = _UNTIL.search(written)
    if day is not None:
        place = range_of(comment.source, Span(comment.offset - len(day[1]), comment.offset))
        for days in DAYS:
            text = (workspace.request.now + timedelta(days=days)).date().isoformat()
            yield Completion(text, "value", text, place, text, f"in {days} days")
        return
    word = _LAST.search(written)
    place = range_of(comment.source, Span(comment.offset - len(word[0]) if word else 0, comment.offset))
    for number, (name, detail) in enumerate(_AFTER.items()):
        if word is not None and name not in written and name.startswith(word[0]):
            yield Completion(name, "field", name, place, str(number), detail)


def _ids(workspace: OpenWorkspace, comment: CommentCursor, prefix: str, there: set[str]) -> Iterator[Completion]:
    behind = _WORD.match(comment.source.text, comment.offset)
    end = behind.end() if behind else comment.offset
    place = range_of(comment.source, Span(comment.offset - len(prefix), end))
    for number, (rule, law) in enumerate(rule_summaries(workspace).items()):
        if rule not in there:
            yield Completion(rule, "rule", rule, place, f"{number:04}", law, ("rule", rule))


def rule_summaries(workspace: OpenWorkspace) -> dict[str, str]:
    """The summaries of all rules and policies, by id."""
    policies = workspace.request.profiles.policies.rules
    return _shipped() | {rule_id: rule.doc.partition("\n")[0] for rule_id, rule in policies.items()}


@cache
def _shipped() -> dict[str, str]:
    """The summaries of the shipped rules, read from the first lines of their files: importing them takes too long."""
    summaries: dict[str, str] = {}
    for rule_id, (_, file) in registry.files().items():
        with Path(file).open(encoding="utf-8") as stream:
            match = _SUMMARY.match(stream.readline())
        summaries[rule_id] = match[1] if match else ""
    return summaries
