"""Write the snapshot of the IANA Language Subtag Registry that `trialrun.values.language_tag` reads.

    python scripts/refresh_language_subtags.py PATH-OR-ADDRESS

The argument is the registry in IANA's own record format (RFC 5646 section 3.1), as a file or an http(s) address.
The same registry always gives the same bytes; `src/trialrun/values/language_tag/tag.py` describes their form.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

SNAPSHOT = Path(__file__).parent.parent / "src/trialrun/values/language_tag/registry.txt"


def main(source: str) -> None:
    """Read the registry at `source` and write the snapshot."""
    header, *records = read_text(source).split("%%\n")
    snapshot = "\n".join([header.strip(), *sections([parse(record) for record in records])]) + "\n"
    SNAPSHOT.write_bytes(snapshot.encode())
    sys.stdout.write(f"{SNAPSHOT.name}: {header.strip()}, {len(records)} records, {len(snapshot.encode())} bytes\n")


def read_text(source: str) -> str:
    if source.startswith(("http://", "https://")):
        with urlopen(source) as answer:
            return str(answer.read().decode())
    return Path(source).read_text(encoding="utf-8")


def parse(text: str) -> dict[str, list[str]]:
    """A record as field name -> bodies; folded lines are joined."""
    record: dict[str, list[str]] = {}
    for line in re.sub(r"\n\s+", " ", text).splitlines():
        field, _, body = line.partition(": ")
        record.setdefault(field, []).append(body.strip())
    return record


def sections(records: list[dict[str, list[str]]]) -> Iterator[str]:
    """The lines of the snapshot, section by section."""
    of_kind = {kind: [r for r in records if r["Type"] == [kind]] for kind in KINDS}
    single = {kind: [r for r in of_kind[kind] if ".." not in code(r)] for kind in KINDS}
    yield from section("language", by_stem(sorted(code(r) for r in single["language"])))
    yield from section("extlang", (f"{code(r)} {r['Prefix'][0]}" for r in single["extlang"]))
    yield from section("script", (f"{code(r)} {r['Description'][0]}" for r in single["script"]))
    yield from section("region", (f"{code(r)} {r['Description'][0]}" for r in single["region"]))
    yield from section("variant", (" ".join([code(r), *r.get("Prefix", [])]) for r in single["variant"]))
    yield from section("grandfathered", (code(r) for r in of_kind["grandfathered"]))
    ranges = (r for r in records if ".." in code(r))
    yield from section("private", (f"{r['Type'][0]} {code(r).replace('..', ' ')}" for r in ranges))
    dated = [r for r in records if r["Type"] != ["extlang"]]  # every extlang is preferred as itself, without its prefix
    yield from section("preferred", (f"{kind_and_code(r)} {r['Preferred-Value'][0]}" for r in dated if replaced(r)))
    yield from section("deprecated", (f"{kind_and_code(r)} {advice(r)}".strip() for r in dated if abandoned(r)))
    yield from section("name", (f"{code(r)} {'; '.join(r['Description'])}" for r in single["language"] if known(r)))


KINDS = ("language", "extlang", "script", "region", "variant", "grandfathered", "redundant")


def section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"%% {title}"
    yield from lines


def by_stem(codes: list[str]) -> Iterator[str]:
    """Codes as `stem last-letters`: ab, ae, af become `a bef`."""
    last: dict[str, str] = {}
    for each in codes:
        last[each[:-1]] = last.get(each[:-1], "") + each[-1]
    return (f"{stem} {letters}" for stem, letters in last.items())


def code(record: dict[str, list[str]]) -> str:
    return (record.get("Subtag") or record["Tag"])[0]


def kind_and_code(record: dict[str, list[str]]) -> str:
    return f"{record['Type'][0]} {code(record)}"


def replaced(record: dict[str, list[str]]) -> bool:
    return "Preferred-Value" in record


def abandoned(record: dict[str, list[str]]) -> bool:
    return "Deprecated" in record and not replaced(record)


def advice(record: dict[str, list[str]]) -> str:
    """What the registry says to use instead of a code that it retired without one successor."""
    comments = (c for c in record.get("Comments", []) if c.startswith(("see ", "Preferred tag is ")))
    return next((c.removeprefix("see ").removeprefix("Preferred tag is ") for c in comments), "")


def known(record: dict[str, list[str]]) -> bool:
    """Whether a language's name is worth its bytes: the registry of the first day, and members of macrolanguages."""
    return record["Added"] == ["2005-10-16"] or "Macrolanguage" in record


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
