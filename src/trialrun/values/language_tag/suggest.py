"""What was probably meant by a tag that is not valid."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from trialrun.values.language_tag.canonicalize import format_case
from trialrun.values.language_tag.grammar import POSITION, Grandfathered, Subtag, SyntaxFault, Tag, parse
from trialrun.values.language_tag.registry import registry
from trialrun.values.language_tag.validate import is_registered, unregistered

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
    "brazilian portuguese": "pt-BR",
    "castellano": "es",
    "deutsch": "de",
    "espanol": "es",
    "español": "es",
    "farsi": "fa",
    "francais": "fr",
    "français": "fr",
    "greek": "el",
    "italiano": "it",
    "mandarin": "cmn",
    "portugues": "pt",
    "português": "pt",
    "simplified chinese": "zh-Hans",
    "traditional chinese": "zh-Hant",
}
SCRIPTS = {"chs": "Hans", "cht": "Hant"}  # zh-CHS and zh-CHT of older systems
REGIONS = {"lat": "419", "latam": "419", "uk": "GB"}
VARIANTS = {"posix": "u-va-posix"}
MAX_LENGTH = 64  # of a text that may be a slip; longer ones are no language tag at all
SEPARATORS = str.maketrans(dict.fromkeys(" _‐‑‒–—−", "-"))


def suggest_subtag(subtag: Subtag, tag: Tag) -> str | None:
    """The clear candidate for a subtag that the registry lacks; "" where it is better left out."""
    code, language = subtag.code, tag[0].code
    if subtag.kind == "language":
        return _suggest_language(code)
    if code == language and code in REGION_OF_LANGUAGE:
        return REGION_OF_LANGUAGE[code]
    if code == language:
        return ""
    return (
        SCRIPTS.get(code)
        or REGIONS.get(code)
        or _iso_codes("region").get(code)
        or VARIANTS.get(code)
        or _region_or_script(code)
    )


def _suggest_language(code: str) -> str | None:
    return (
        LANGUAGE_OF_COUNTRY.get(code)
        or _iso_codes("language").get(code)
        or TAG_BY_NAME.get(code)
        or _languages_by_name().get(code)
    )


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
    return _correct_subtags(hyphenated) or _correct_subtags(_reorder(hyphenated))


def _from_posix_locale(text: str) -> str:
    """A POSIX locale name without its code set, and with the script that its modifier names."""
    name, _, modifier = text.partition("@")
    name = name.partition(".")[0]
    script = _region_or_script(modifier.lower()) if modifier else None
    language, joint, rest = name.partition("_")
    return f"{language}_{script}{joint}{rest}" if script else name


def _reorder(text: str) -> str:
    """The subtags of a simple tag in the order of the grammar."""
    language, *rest = text.split("-")
    return "-".join([language, *sorted(rest, key=_position)])


def _position(text: str) -> int:
    """Where in the order a subtag belongs by its shape; last if it has none."""
    tag = parse(f"und-{text}")
    return POSITION[tag[1].kind] if isinstance(tag, tuple) and len(tag) == 2 else len(POSITION)


def _correct_subtags(text: str) -> str | None:
    """The text if it is a valid tag, at the most after each of its subtags is replaced by what was meant."""
    tag = parse(text)
    if isinstance(tag, SyntaxFault):
        return None
    if isinstance(tag, Grandfathered) or is_registered(tag):
        return text
    wrong = {subtag: suggest_subtag(subtag, tag) for subtag in unregistered(tag)}
    if not wrong or None in wrong.values():
        return None
    better = "-".join(part for subtag in tag if (part := wrong.get(subtag, text[subtag.start : subtag.end])))
    candidate = parse(better)
    return better if isinstance(candidate, tuple) and is_registered(candidate) else None
