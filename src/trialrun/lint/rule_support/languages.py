"""Languages as files name them: which one a tag means, and whether a list of them serves another."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from trialrun.diagnostic import Finding, Fix, Path, Replace
from trialrun.model.node import Node, fields_of_format, texts_in
from trialrun.values.language_tag import canonicalize, check, lookup
from trialrun.values.problem import Problem


@lru_cache(maxsize=4096)
def tag_problems(text: str, code: str) -> tuple[Problem, ...]:
    """What `values.language_tag` says about a tag under one of its codes."""
    return tuple(problem for problem in check(text) if problem.code == code)


def may_have_tag_problem(node: Node) -> bool:
    """Whether something may be said about the language tags of a message."""
    values = node.__dict__
    for name in fields_of_format(node.__class__, "language-tag"):
        value = values[name]
        if value is not None and (value.__class__ is not str or _has_problem(value)):
            return True
    return False


@lru_cache(maxsize=4096)
def _has_problem(tag: str) -> bool:
    return bool(check(tag))


def tags_with_problems(node: Node, code: str) -> list[tuple[Path, Problem]]:
    """What is to be said under one code about the language tags of a message, each problem with the steps to its tag.

    A list, since it is mostly empty, and asked for by three rules at each text that is spoken.
    """
    found: list[tuple[Path, Problem]] = []
    for name in fields_of_format(type(node), "language-tag"):
        value = node.__dict__[name]
        if value.__class__ is str and not tag_problems(value, code):  # as most are
            continue
        for steps, text in texts_in(value, (name,)):
            found += [(steps, problem) for problem in tag_problems(text, code)]
    return found


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
