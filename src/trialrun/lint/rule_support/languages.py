"""Languages as files name them: which one a tag means, and whether a list of them serves another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from trialrun.diagnostic import Finding, Fix, Path, Replace
from trialrun.model.node import Node
from trialrun.values.language_tag import canonicalize, check, lookup
from trialrun.values.problem import Problem


def tag_problems(text: str, code: str) -> Iterator[Problem]:
    """What `values.language_tag` says about a tag under one of its codes."""
    return (problem for problem in check(text) if problem.code == code)


@lru_cache(maxsize=4096)
def intended_tag(text: str | None) -> str | None:
    """The canonical form of a tag, of an invalid one after its corrections; None if it is not clear."""
    if text is None:
        return None
    for problem in sorted(tag_problems(text, "invalid"), key=lambda tag_problem: -tag_problem.start):
        if problem.replacement is None:
            return None
        text = text[: problem.start] + problem.replacement + text[problem.end :]
    return canonicalize(text)


def unserved_languages(wanted: Iterable[str], offered: Iterable[str | None]) -> list[str]:
    """The wanted languages that the lookup of RFC 4647 finds nothing for; none while an offered one is not clear."""
    return _unserved_languages(tuple(wanted), tuple(offered))


@lru_cache(maxsize=4096)
def _unserved_languages(wanted: tuple[str, ...], offered: tuple[str | None, ...]) -> list[str]:
    clear: list[str] = []
    for text in offered:
        language = intended_tag(text)
        if language is None:
            return []
        clear.append(language)
    return [language for language in wanted if lookup(language, clear) is None]


def to_finding(node: Node, steps: Path, problem: Problem, *, safe: bool) -> Finding:
    """A finding at the characters of a problem, with its replacement as the fix if there is one."""
    chars = (problem.start, problem.end)
    if problem.replacement is None:
        return node.finding(steps, problem.message, chars=chars)
    title = f"write {problem.replacement}" if problem.replacement else "remove it"
    fix = Fix(title, (Replace(node.location(*steps), problem.replacement, chars),), safe=safe)
    return node.finding(steps, problem.message, chars=chars, fix=fix)
