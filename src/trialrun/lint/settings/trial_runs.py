"""The `[runtime]` table of the settings: what a workspace chooses for its trial runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from trialrun.usage import did_you_mean

MEMORY = re.compile(r"\d+(\.\d+)? ?([KMGT]i?)?B", re.ASCII | re.IGNORECASE)
WORDS = {
    "vanished-entities": ("keep", "drop"),
    "cron-semantics": ("wall-clock", "vixie"),
    "list-merge": ("replace", "append"),
    "message-draw": ("offer", "type"),
}
KEYS = (*WORDS, "memory-limit", "threads")


def refusal(content: Mapping[str, Any]) -> str | None:
    """What is wrong with the table, as a message; None where nothing is."""
    for key, value in content.items():
        if key not in KEYS:
            return f'there is no setting "{key}"{did_you_mean(key, KEYS)}'
        problem = _word_problem(key, value) if key in WORDS else CHECKS[key](value)
        if problem:
            return f"{key} {problem}"
    return None


def _word_problem(key: str, value: object) -> str | None:
    words = WORDS[key]
    if value in words:
        return None
    near = did_you_mean(value, words) if isinstance(value, str) else ""
    return f"is one of {', '.join(words)}{near}"


def _memory_problem(value: object) -> str | None:
    if isinstance(value, str) and MEMORY.fullmatch(value) and float(re.split(r"[^\d.]", value)[0]) > 0:
        return None
    return 'is an amount of memory, such as "4GB"'


def _threads_problem(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return None
    return "is a number of threads; 0 stands for all cores"


CHECKS: Mapping[str, Callable[[object], str | None]] = {"memory-limit": _memory_problem, "threads": _threads_problem}
