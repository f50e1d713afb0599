"""The IANA Language Subtag Registry, as a snapshot that loads in a millisecond.

`registry.txt` begins with the registry's `File-Date`; then sections of lines follow, each under `%% title`:

    language      stem last-letters     `a bef`: ab, ae and af
    extlang       code prefix           `yue zh`; each is preferred as itself, without its prefix
    script        code name             `Latn Latin`
    region        code name             `BR Brazil`
    variant       code prefixes…        `valencia ca`
    grandfathered tag                   `i-klingon`
    private       kind first last       `region XA XZ`: ranges for private use
    preferred     kind code successor   `language iw he`; kind may also be grandfathered or redundant (whole tags)
    deprecated    kind code advice      retired without one successor; the advice may be empty
    name          code names            `es Spanish; Castilian`; the better-known languages only

`scripts/refresh_language_subtags.py` writes it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from trialrun.lazy_dataclass import dataclass

SNAPSHOT = Path(__file__).with_name("registry.txt")


@dataclass(frozen=True, slots=True)
class Registry:
    """The registered subtags; every code is in lower case, except as what replaces another."""

    file_date: str
    languages: dict[str, str]  # all but the last letter -> the last letters
    extlangs: dict[str, str]  # code -> the primary language it follows
    scripts: dict[str, str]  # code -> name
    regions: dict[str, str]  # code -> name
    variants: dict[str, tuple[str, ...]]  # code -> what it may follow; nothing means anything
    grandfathered: frozenset[str]
    private: dict[str, tuple[tuple[str, str], ...]]  # kind -> ranges, both ends included
    preferred: dict[tuple[str, str], str]  # kind and code -> successor
    deprecated: dict[tuple[str, str], str]  # kind and code -> advice
    names: dict[str, str]  # language -> its names, parted by "; "

    def has(self, kind: str, code: str) -> bool:
        """Whether `code`, in lower case, is registered as a subtag of this kind or is in its private range."""
        match kind:
            case "language":
                registered = code[-1] in self.languages.get(code[:-1], "")
            case "extlang":
                registered = code in self.extlangs
            case "script":
                registered = code in self.scripts
            case "region":
                registered = code in self.regions
            case _:
                registered = code in self.variants
        return registered or self.is_private(kind, code)

    def is_private(self, kind: str, code: str) -> bool:
        return any(len(code) == len(first) and first <= code <= last for first, last in self.private.get(kind, ()))


@lru_cache(maxsize=1)
def registry() -> Registry:
    """The snapshot, read once."""
    header, *blocks = SNAPSHOT.read_text(encoding="utf-8").split("\n%% ")
    sections = {title: lines for title, *lines in (block.splitlines() for block in blocks)}
    return Registry(
        file_date=header.removeprefix("File-Date: "),
        languages=_pairs(sections["language"]),
        extlangs=_pairs(sections["extlang"]),
        scripts=_pairs(sections["script"]),
        regions=_pairs(sections["region"]),
        variants={code: tuple(prefixes) for code, *prefixes in _split_lines(sections["variant"])},
        grandfathered=frozenset(tag.lower() for tag in sections["grandfathered"]),
        private=_ranges(sections["private"]),
        preferred={(kind, code.lower()): to for kind, code, to in _split_lines(sections["preferred"])},
        deprecated={
            (kind, code.lower()): " ".join(advice) for kind, code, *advice in _split_lines(sections["deprecated"])
        },
        names=_pairs(sections["name"]),
    )


def _split_lines(lines: list[str]) -> list[list[str]]:
    return [line.split(" ") for line in lines]


def _pairs(lines: list[str]) -> dict[str, str]:
    return {key.lower(): rest for key, _, rest in (line.partition(" ") for line in lines)}


def _ranges(lines: list[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    ranges: dict[str, tuple[tuple[str, str], ...]] = {}
    for kind, first, last in _split_lines(lines):
        ranges[kind] = (*ranges.get(kind, ()), (first.lower(), last.lower()))
    return ranges
