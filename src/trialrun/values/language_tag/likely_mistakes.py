"""Valid tags that people rarely mean."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.language_tag.canonicalize import extensions
from trialrun.values.language_tag.grammar import Subtag, Tag
from trialrun.values.language_tag.registry import registry
from trialrun.values.language_tag.suggest import REGION_OF_LANGUAGE
from trialrun.values.problem import Problem

# Country codes that are also languages: the tag that was meant, where it is clear, and what to write.
LOOKALIKES = {
    "ae": ("ar-AE", "Arabic of the United Arab Emirates"),
    "br": ("pt-BR", "Portuguese of Brazil"),
    "ch": (None, "write de-CH, fr-CH or it-CH for Switzerland"),
    "ie": ("en-IE", "English of Ireland"),
    "kr": ("ko", "Korean"),
    "ng": (None, "write en-NG, ha, ig or yo for Nigeria"),
    "se": ("sv", "Swedish"),
    "sg": (None, "write en-SG, ms-SG, ta-SG or zh-Hans-SG for Singapore"),
    "tw": ("zh-Hant-TW", "Chinese of Taiwan"),
    "uk": (None, "write uk-UA if so, or en-GB for the United Kingdom"),
}
COUNTRY = {"uk": "gb"}  # the region code, where it is not the one that looks alike
NO_LANGUAGE = {
    "mis": "a language without a code",
    "mul": "several languages",
    "und": "an undetermined language",
    "zxx": "no language at all",
}
EXTENSIONS = ("t", "u")  # the singletons registered so far: RFC 6497 and RFC 6067


def likely_mistakes(tag: Tag) -> Iterator[Problem]:
    """Every doubt about a valid tag, at the subtag that raises it."""
    yield from _language(tag)
    yield from _region(tag)
    yield from _variants(tag)
    yield from _extensions(tag)
    yield from _private_use(tag)


def _language(tag: Tag) -> Iterator[Problem]:
    language = tag[0]
    if language.code in NO_LANGUAGE and language.kind == "language":
        yield _suspicious(language, f'"{language.text}" stands for {NO_LANGUAGE[language.code]}; write a language')
    if language.code not in LOOKALIKES or not _has_no_other_region(tag):
        return
    suggestion, advice = LOOKALIKES[language.code]
    name = (registry().names.get(language.code) or language.code).partition(";")[0]
    advice = f"write {suggestion} for {advice}" if suggestion else advice
    yield _suspicious(
        language, f'"{language.text}" is {name}; {advice}', suggestion and _language_replacement(suggestion, tag)
    )


def _language_replacement(suggestion: str, tag: Tag) -> str | None:
    """What to put in place of the language alone, so that the whole tag becomes what was meant."""
    if len(tag) == 1:
        return suggestion
    rest = "-".join(subtag.code for subtag in tag[1:])
    start, _, end = suggestion.lower().rpartition(f"-{rest}")
    return suggestion[: len(start)] if start and not end else None if "-" in suggestion else suggestion


def _has_no_other_region(tag: Tag) -> bool:
    """Whether the tag names no region, or only the very country that the language is taken for."""
    code = tag[0].code
    return all(subtag.code == COUNTRY.get(code, code) for subtag in tag if subtag.kind == "region")


def _region(tag: Tag) -> Iterator[Problem]:
    language = tag[0].code
    for subtag in tag:
        if subtag.kind != "region" or language in LOOKALIKES:
            continue
        suggestion = "419" if (language, subtag.code) == ("es", "la") else REGION_OF_LANGUAGE.get(language)
        if suggestion is None or (suggestion != "419" and subtag.code != language):
            continue
        place = registry().regions.get(subtag.code)
        yield _suspicious(
            subtag, f'"{subtag.text}" is {place}; write "{language}-{suggestion}" if that was intended', suggestion
        )


def _variants(tag: Tag) -> Iterator[Problem]:
    for place, subtag in enumerate(tag):
        if subtag.kind != "variant":
            continue
        prefixes = registry().variants.get(subtag.code, ())
        if prefixes and not any(_follows(tag[:place], prefix) for prefix in prefixes):
            yield _suspicious(subtag, f'variant "{subtag.text}" belongs after {" or ".join(prefixes[:3])}')


def _follows(before: Tag, prefix: str) -> bool:
    """Whether the subtags of `prefix` all are before, in their order."""
    rest = iter([subtag.code for subtag in before])
    return all(code in rest for code in prefix.lower().split("-"))


def _extensions(tag: Tag) -> Iterator[Problem]:
    for singleton, *rest in extensions(tag):
        if singleton.code not in EXTENSIONS:
            message = f'extension "{singleton.text}" is not registered; only t and u are'
            yield Problem("suspicious", singleton.start, rest[-1].end, message)


def _private_use(tag: Tag) -> Iterator[Problem]:
    """One doubt for all that is private, at the first of it; what follows an `x` counts as one."""
    private = [subtag for subtag in tag if subtag.kind == "private" or registry().is_private(subtag.kind, subtag.code)]
    if not private:
        return
    start = private[0].start
    end = private[-1].end if private[0].kind == "private" else private[0].end
    text = "-".join(subtag.text for subtag in private if subtag.end <= end)
    shortened = text if len(text) <= 40 else f"{text[:39]}…"
    yield Problem("suspicious", start, end, f'"{shortened}" is for private use; write a registered code')


def _suspicious(subtag: Subtag, message: str, replacement: str | None = None) -> Problem:
    return Problem("suspicious", subtag.start, subtag.end, message, replacement)
