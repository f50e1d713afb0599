"""The findings that a team has agreed to live with for now: known by their fingerprints, one line each in a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import HIDE_OTHERS

VERSION = 1
MOST_BYTES = 256 * 2**20
"""The size of a baseline."""
KEYS = ("fingerprint", "rule", "path", "pointer", "message")
"""What the file says of each finding; only the fingerprint counts, the rest is for those who read it."""


class NotABaseline(ValueError):
    """The text is no baseline."""


@dataclass(frozen=True)
class Baseline:
    """Entries of a baseline file, each with the keys of `KEYS`."""

    entries: tuple[dict[str, str], ...] = ()

    def without(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics that are not in it; each entry stands for one."""
        left = self._counts()
        told: list[Diagnostic] = []
        for one in diagnostics:
            if left[one.fingerprint]:
                left[one.fingerprint] -= 1
            else:
                told.append(one)
        return told

    def pruned(self, diagnostics: Sequence[Diagnostic], *, of: Collection[str] | None = None) -> Baseline:
        """What is still found of it, or may be in a file that cannot be read as a whole, or is not `of` these rules."""
        found = Counter(one.fingerprint for one in diagnostics)
        unread = {one.path for one in diagnostics if one.rule in HIDE_OTHERS}
        kept = []
        for entry in self.entries:
            if of is not None and entry["rule"] not in of:
                kept.append(entry)
            elif found[entry["fingerprint"]] or entry["path"] in unread:
                found[entry["fingerprint"]] -= 1
                kept.append(entry)
        return Baseline(tuple(kept))

    def _counts(self) -> Counter[str]:
        return Counter(entry["fingerprint"] for entry in self.entries)


def baseline_of(diagnostics: Sequence[Diagnostic]) -> Baseline:
    """The baseline that has all of these diagnostics, save faults of ours."""
    told = (one for one in diagnostics if one.rule != "internal-error")
    return Baseline(tuple({key: str(getattr(one, key)) for key in KEYS} for one in told))


def written(baseline: Baseline) -> str:
    """The text of a baseline, a line for each entry in a fixed order, so that two branches can be merged."""
    entries = sorted(baseline.entries, key=lambda one: tuple(one.get(key, "") for key in ("path", "rule", *KEYS)))
    lines = (json.dumps({key: one.get(key, "") for key in KEYS}, ensure_ascii=False) for one in entries)
    return "".join([f'{{"version": {VERSION}, "findings": [', ",".join(f"\n  {line}" for line in lines), "\n]}\n"])


def read_baseline(text: str) -> Baseline:
    """The baseline that a text says. Raises NotABaseline, which says why it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotABaseline(f"it is no JSON: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise NotABaseline('it has no list of "findings"')
    if content.get("version") != VERSION:
        raise NotABaseline(f"its version is {content.get('version')!r}; this trialrun reads version {VERSION}")
    return Baseline(tuple(_entry(one, number) for number, one in enumerate(content["findings"], start=1)))


def _entry(one: Any, number: int) -> dict[str, str]:
    if not isinstance(one, dict) or not isinstance(one.get("fingerprint"), str) or not one["fingerprint"]:
        raise NotABaseline(f"finding {number} has no fingerprint")
    return {key: str(one.get(key, "")) for key in KEYS}
