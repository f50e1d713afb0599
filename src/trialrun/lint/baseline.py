"""The findings that a team has agreed to live with for now: known by their fingerprints, one line each in a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import MASKING_RULES

VERSION = 1
MAX_BYTES = 256 * 2**20
"""The size of a baseline."""
ENTRY_KEYS = ("fingerprint", "rule", "path", "pointer", "message")
"""What the file says of each finding; only the fingerprint counts, the rest is for those who read it."""


class InvalidBaseline(ValueError):
    """The text is no baseline."""


@dataclass(frozen=True)
class Baseline:
    """Entries of a baseline file, each with the keys of `KEYS`."""

    entries: tuple[dict[str, str], ...] = ()

    def new_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics that are not in it; each entry stands for one."""
        left = self._count_fingerprints()
        told: list[Diagnostic] = []
        for diagnostic in diagnostics:
            if left[diagnostic.fingerprint]:
                left[diagnostic.fingerprint] -= 1
            else:
                told.append(diagnostic)
        return told

    def prune(self, diagnostics: Sequence[Diagnostic], *, rules: Collection[str] | None = None) -> Baseline:
        """What is still found of it, or may be in a file that cannot be read as a whole, or is not `of` these rules."""
        found = Counter(diagnostic.fingerprint for diagnostic in diagnostics)
        unread = {diagnostic.path for diagnostic in diagnostics if diagnostic.rule in MASKING_RULES}
        kept = []
        for entry in self.entries:
            if rules is not None and entry["rule"] not in rules:
                kept.append(entry)
            elif found[entry["fingerprint"]] or entry["path"] in unread:
                found[entry["fingerprint"]] -= 1
                kept.append(entry)
        return Baseline(tuple(kept))

    def _count_fingerprints(self) -> Counter[str]:
        return Counter(entry["fingerprint"] for entry in self.entries)


def create_baseline(diagnostics: Sequence[Diagnostic]) -> Baseline:
    """The baseline that has all of these diagnostics, save faults of ours."""
    told = (diagnostic for diagnostic in diagnostics if diagnostic.rule != "internal-error")
    return Baseline(tuple({key: str(getattr(diagnostic, key)) for key in ENTRY_KEYS} for diagnostic in told))


def format_baseline(baseline: Baseline) -> str:
    """The text of a baseline, a line for each entry in a fixed order, so that two branches can be merged."""
    entries = sorted(
        baseline.entries, key=lambda entry: tuple(entry.get(key, "") for key in ("path", "rule", *ENTRY_KEYS))
    )
    lines = (json.dumps({key: entry.get(key, "") for key in ENTRY_KEYS}, ensure_ascii=False) for entry in entries)
    return "".join([f'{{"version": {VERSION}, "findings": [', ",".join(f"\n  {line}" for line in lines), "\n]}\n"])


def read_baseline(text: str) -> Baseline:
    """Parse the text of a baseline file. Raises InvalidBaseline with the reason."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidBaseline(f"it is not JSON: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise InvalidBaseline('it has no list of "findings"')
    if content.get("version") != VERSION:
        raise InvalidBaseline(f"its version is {content.get('version')!r}; this trialrun reads version {VERSION}")
    return Baseline(tuple(_parse_entry(one, number) for number, one in enumerate(content["findings"], start=1)))


def _parse_entry(one: Any, number: int) -> dict[str, str]:
    if not isinstance(one, dict) or not isinstance(one.get("fingerprint"), str) or not one["fingerprint"]:
        raise InvalidBaseline(f"finding {number} has no fingerprint")
    return {key: str(one.get(key, "")) for key in ENTRY_KEYS}
