"""Baselines: known findings that are not reported, stored one per line and identified by fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lint.file_result import MASKING_RULES

VERSION = 1
MAX_BYTES = 256 * 2**20
"""Maximum size of a baseline file."""
ENTRY_KEYS = ("fingerprint", "rule", "path", "pointer", "message")
"""The keys of an entry; only the fingerprint is compared, the others are for readers."""


@dataclass(frozen=True)
class Baseline:
    """The entries of a baseline file, each with the keys `ENTRY_KEYS`."""

    entries: tuple[dict[str, str], ...] = ()

    def new_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics that are not in the baseline; each entry covers one diagnostic."""
        left = Counter(entry["fingerprint"] for entry in self.entries)
        new: list[Diagnostic] = []
        for diagnostic in diagnostics:
            if left[diagnostic.fingerprint]:
                left[diagnostic.fingerprint] -= 1
            else:
                new.append(diagnostic)
        return new

    def prune(self, diagnostics: Sequence[Diagnostic], *, rules: Collection[str] | None = None) -> Baseline:
        """The entries that are still needed: still reported, in a file that cannot be fully read, or not of these
        `rules`.
        """
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


def create_baseline(diagnostics: Sequence[Diagnostic]) -> Baseline:
    """A baseline of all given diagnostics, except for internal errors."""
    recorded = (diagnostic for diagnostic in diagnostics if diagnostic.rule != "internal-error")
    return Baseline(tuple({key: str(getattr(diagnostic, key)) for key in ENTRY_KEYS} for diagnostic in recorded))


def format_baseline(baseline: Baseline) -> str:
    """The text of a baseline: one line per entry, sorted, so that branches can be merged."""
    entries = sorted(
        baseline.entries, key=lambda entry: tuple(entry.get(key, "") for key in ("path", "rule", *ENTRY_KEYS))
    )
    lines = (json.dumps({key: entry.get(key, "") for key in ENTRY_KEYS}, ensure_ascii=False) for entry in entries)
    return "".join([f'{{"version": {VERSION}, "findings": [', ",".join(f"\n  {line}" for line in lines), "\n]}\n"])


def read_baseline(text: str) -> Baseline:
    """Parse the text of a baseline file. Raises ValueError with the reason."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise ValueError('it has no list of "findings"')
    if content.get("version") != VERSION:
        raise ValueError(f"its version is {content.get('version')!r}; this trialrun reads version {VERSION}")
    return Baseline(tuple(_parse_entry(entry, number) for number, entry in enumerate(content["findings"], start=1)))


def _parse_entry(entry: Any, number: int) -> dict[str, str]:
    if not isinstance(entry, dict) or not isinstance(entry.get("fingerprint"), str) or not entry["fingerprint"]:
        raise ValueError(f"finding {number} has no fingerprint")
    return {key: str(entry.get(key, "")) for key in ENTRY_KEYS}
