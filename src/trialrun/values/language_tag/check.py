"""What is said about a language tag, in words and at the characters that cause it, and which one was likely meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from trialrun.values import Problem, shorten
from trialrun.values.language_tag.tag import (
    POSITION,
    Subtag,
    Tag,
    canonical_form,
    extensions,
    format_case,
    is_registered,
    parse,
    registry,
    repetitions,
    unregistered,
)

ISO_CODES = Path(__file__).with_name("iso_codes.txt")


def _parse_table(text: str) -> dict[str, str]:
    return {key: value for key, _, value in (pair.partition("=") for pair in text.split())}


# Countries whose code is not a language, and the language that most people write there.
LANGUAGE_OF_COUNTRY = _parse_table("""
    al=sq at=de au=en by=be cl=es cn=zh cz=cs dk=da eg=ar gb=en gr=el hk=zh-HK il=he iq=ar ir=fa jo=ar
    jp=ja kh=km md=ro mm=my mx=es nz=en ph=fil pk=ur qa=ar rs=sr sy=ar ua=uk us=en uy=es vn=vi ye=ar
""")
# Languages whose code in capitals is not a country, or not the country that most of their speakers live in.
REGION_OF_LANGUAGE = _parse_table("""
    am=ET bn=BD be=BY ca=ES cs=CZ da=DK el=GR et=EE fa=IR ga=IE he=IL hi=IN hy=AM ja=JP ka=GE kk=KZ km=KH kn=IN
    ko=KR ky=KG ms=MY my=MM ne=NP pa=IN sl=SI sq=AL sr=RS sv=SE ta=IN te=IN tg=TJ uk=UA ur=PK vi=VN zh=CN
""")
TAG_BY_NAME = {
    "brazilian portuguese": "pt-BR", "castellano": "es", "deutsch": "de", "espanol": "es", "español": "es",
    "farsi": "fa", "francais": "fr", "français": "fr", "greek": "el", "italiano": "it", "mandarin": "cmn",
    "portugues": "pt", "português": "pt", "simplified chinese": "zh-Hans", "traditional chinese": "zh-Hant",
}  # fmt: skip
SCRIPTS = {"chs": "Hans", "cht": "Hant"}  # zh-CHS and zh-CHT of older systems
REGIONS = {"lat": "419", "latam": "419", "uk": "GB"}
VARIANTS = {"posix": "u-va-posix"}
MAX_LENGTH = 64  # of a text that may be a slip; longer ones are no language tag at all
SEPARATORS = str.maketrans(dict.fromkeys(" _‐‑‒–—−", "-"))


def suggest_subtag(subtag: Subtag, tag: Tag) -> str | None:
    """The clear candidate for a subtag that the registry lacks; "" where it is better left out."""
    code, language = subtag.code, tag[0].code
    if subtag.kind == "language":
        known = LANGUAGE_OF_COUNTRY.get(code) or _iso_codes("language").get(code)
        return known or TAG_BY_NAME.get(code) or _languages_by_name().get(code)
    if code == language and code in REGION_OF_LANGUAGE:
        return REGION_OF_LANGUAGE[code]
    if code == language:
        return ""
    known = SCRIPTS.get(code) or REGIONS.get(code) or _iso_codes("region").get(code) or VARIANTS.get(code)
    return known or _region_or_script(code)


def _region_or_script(code: str) -> str | None:
    """A region or script by its English name: pt-Brazil, sr-Latin."""
    for kind, names in (("region", registry().regions), ("script", registry().scripts)):
        for each, name in names.items():
            if name.lower() == code:
                return format_case(kind, each)
    return None


@lru_cache(maxsize=2)
def _iso_codes(kind: str) -> dict[str, str]:
    """The longer ISO 639-2, ISO 3166 and M.49 codes of what the registry has a two-letter code for."""
    blocks = ISO_CODES.read_text(encoding="utf-8").removeprefix("%% ").split("\n%% ")
    lines = next(block for block in blocks if block.startswith(kind)).splitlines()[1:]
    return {code: short for short, *codes in map(str.split, lines) for code in codes}


@lru_cache(maxsize=1)
def _languages_by_name() -> dict[str, str]:
    longest_first = sorted(registry().names.items(), key=lambda item: -len(item[0]))
    return {name.lower(): code for code, names in longest_first for name in names.split("; ")}


def suggest_tag(text: str) -> str | None:
    """The clear candidate for a text that is not well-formed: other joints, a POSIX locale, a language's name."""
    if len(text) > MAX_LENGTH:
        return None
    name = text.strip().lower()
    if tag_of_name := TAG_BY_NAME.get(name) or _languages_by_name().get(name):
        return tag_of_name
    hyphenated = "-".join(part for part in _from_posix_locale(text.strip()).translate(SEPARATORS).split("-") if part)
    if corrected := _correct_subtags(hyphenated):
        return corrected
    language, *rest = hyphenated.split("-")  # in the order of the grammar
    return _correct_subtags("-".join([language, *sorted(rest, key=_position)]))


def _from_posix_locale(text: str) -> str:
    """A POSIX locale name without its code set, and with the script that its modifier names."""
    name, _, modifier = text.partition("@")
    name = name.partition(".")[0]
    script = _region_or_script(modifier.lower()) if modifier else None
    language, joint, rest = name.partition("_")
    return f"{language}_{script}{joint}{rest}" if script else name


def _position(text: str) -> int:
    """Where in the order a subtag belongs by its shape; last if it has none."""
    tag = parse(f"und-{text}")
    return POSITION[tag[1].kind] if isinstance(tag, tuple) and len(tag) == 2 else len(POSITION)


def _correct_subtags(text: str) -> str | None:
    """The text if it is a valid tag, at the most after each of its subtags is replaced by what was meant."""
    tag = parse(text)
    if isinstance(tag, Problem):
        return None
    if isinstance(tag, str) or is_registered(tag):
        return text
    wrong = {subtag: suggest_subtag(subtag, tag) for subtag in unregistered(tag)}
    if not wrong or None in wrong.values():
        return None
    better = "-".join(part for subtag in tag if (part := wrong.get(subtag, text[subtag.start : subtag.end])))
    candidate = parse(better)
    return better if isinstance(candidate, tuple) and is_registered(candidate) else None


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
    for singleton, *rest in extensions(tag):
        if singleton.code not in EXTENSIONS:
            message = f'extension "{singleton.text}" is not registered; only t and u are'
            yield Problem("suspicious", singleton.start, rest[-1].end, message)
    yield from _private_use(tag)


def _language(tag: Tag) -> Iterator[Problem]:
    language = tag[0]
    if language.code in NO_LANGUAGE and language.kind == "language":
        yield _suspicious(language, f'"{language.text}" stands for {NO_LANGUAGE[language.code]}; write a language')
    # the tag names no region, or only the very country that the language is taken for
    own = COUNTRY.get(language.code, language.code)
    if language.code not in LOOKALIKES or any(each.kind == "region" and each.code != own for each in tag):
        return
    suggestion, advice = LOOKALIKES[language.code]
    name = (registry().names.get(language.code) or language.code).partition(";")[0]
    advice = f"write {suggestion} for {advice}" if suggestion else advice
    replacement = suggestion and _language_replacement(suggestion, tag)
    yield _suspicious(language, f'"{language.text}" is {name}; {advice}', replacement)


def _language_replacement(suggestion: str, tag: Tag) -> str | None:
    """What to put in place of the language alone, so that the whole tag becomes what was meant."""
    if len(tag) == 1:
        return suggestion
    rest = "-".join(subtag.code for subtag in tag[1:])
    start, _, end = suggestion.lower().rpartition(f"-{rest}")
    return suggestion[: len(start)] if start and not end else None if "-" in suggestion else suggestion


def _region(tag: Tag) -> Iterator[Problem]:
    language = tag[0].code
    for subtag in tag:
        if subtag.kind != "region" or language in LOOKALIKES:
            continue
        suggestion = "419" if (language, subtag.code) == ("es", "la") else REGION_OF_LANGUAGE.get(language)
        if suggestion is None or (suggestion != "419" and subtag.code != language):
            continue
        place = registry().regions.get(subtag.code)
        message = f'"{subtag.text}" is {place}; write "{language}-{suggestion}" if that was intended'
        yield _suspicious(subtag, message, suggestion)


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


def _private_use(tag: Tag) -> Iterator[Problem]:
    """One doubt for all that is private, at the first of it; what follows an `x` counts as one."""
    private = [subtag for subtag in tag if subtag.kind == "private" or registry().is_private(subtag.kind, subtag.code)]
    if not private:
        return
    start = private[0].start
    end = private[-1].end if private[0].kind == "private" else private[0].end
    text = "-".join(subtag.text for subtag in private if subtag.end <= end)
    yield Problem("suspicious", start, end, f'"{shorten(text, 40)}" is for private use; write a registered code')


def _suspicious(subtag: Subtag, message: str, replacement: str | None = None) -> Problem:
    return Problem("suspicious", subtag.start, subtag.end, message, replacement)


@lru_cache(maxsize=4096)
def check(text: str) -> tuple[Problem, ...]:
    """What is wrong with a language tag, or worth saying about it.

    Codes: "invalid" (not well-formed, or a subtag that the registry lacks; then nothing else is said),
    "non-canonical" (retired, or in an unusual case; the replacement makes the whole tag canonical), and
    "suspicious" (valid, rarely meant).
    """
    tag = parse(text)
    if isinstance(tag, Problem):
        suggestion = suggest_tag(text)
        if suggestion is None:
            return (tag,)
        start, end, replacement = _difference(text, suggestion)
        message = f'{tag.message.partition(";")[0]}; did you mean "{suggestion}"?'
        return (Problem("invalid", start, end, message, replacement),)
    if isinstance(tag, str):
        return tuple(_non_canonical(text, tag))
    unknown = (_unregistered(subtag, tag) for subtag in unregistered(tag))
    if problems := sorted((*repetitions(tag), *unknown), key=lambda problem: problem.start):
        return tuple(problems)
    doubts = tuple(likely_mistakes(tag))
    cured = [(doubt.start, doubt.end) for doubt in doubts if doubt.replacement is not None]
    others = (p for p in _non_canonical(text, tag) if not any(p.start < end and start < p.end for start, end in cured))
    return (*doubts, *others)


def _unregistered(subtag: Subtag, tag: Tag) -> Problem:
    suggestion = suggest_subtag(subtag, tag)
    what = "extended language or region" if subtag.kind == "extlang" else subtag.kind
    message = f'"{subtag.text}" is not a registered {what}'
    if suggestion is None:
        return Problem("invalid", subtag.start, subtag.end, f"{message} (registry of {registry().file_date})")
    if not suggestion:
        return Problem("invalid", subtag.start - 1, subtag.end, f"{message}; leave it out", "")
    return Problem("invalid", subtag.start, subtag.end, f'{message}; did you mean "{suggestion}"?', suggestion)


def _non_canonical(text: str, tag: Tag | str) -> Iterator[Problem]:
    form = canonical_form(tag)
    if form != text:
        start, end, replacement = _difference(text, form)
        if not replacement:  # an extended language: "zh-" before "cmn" is too little to point at
            start, end, replacement = 0, len(text), form
        why, preferred = "is not in canonical form", registry().preferred
        if form.lower() == text.lower():
            why = "is written in another case"
        elif isinstance(tag, str) or any((subtag.kind, subtag.code) in preferred for subtag in tag):
            why = "is deprecated"
        message = f'"{shorten(text[start:end], 40)}" {why}; write "{shorten(form, 40)}"{_unserved(text, form)}'
        yield Problem("non-canonical", start, end, message, replacement)
    yield from _deprecated_parts(tag)


def _unserved(text: str, form: str) -> str:
    """The end of a message about a tag such as `zh-cmn`, whose canonical form begins with another language."""
    language = parse(text.partition("-")[0])
    if not isinstance(language, tuple) or canonical_form(language) in (form.partition("-")[0], "sgn", "art"):
        return ""
    return f', and keep a text for "{canonical_form(language)}", whose customers no lookup leads to it'


def _deprecated_parts(tag: Tag | str) -> Iterator[Problem]:
    """What the registry deprecated without naming one successor."""
    parts = [Subtag("language", tag, tag, 0, len(tag))] if isinstance(tag, str) else tag
    for part in parts:
        kind = "grandfathered" if isinstance(tag, str) else part.kind
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
