"""The `[runtime]` table of the settings: what a workspace chooses for its trial runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trialrun.errors import did_you_mean
from trialrun.values.memory import format_bytes, parse_bytes

LEAST_MEMORY, MOST_MEMORY = 64 * 10**6, 16 * 10**12
MOST_THREADS = 1024
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
    size = parse_bytes(value) if isinstance(value, str) else None
    if size is None:
        return 'is an amount of memory, such as "4GB"'
    if not LEAST_MEMORY <= size <= MOST_MEMORY:
        least, most = format_bytes(LEAST_MEMORY), format_bytes(MOST_MEMORY)
        return f'is "{value}"; give an amount from {least} to {most}, such as "4GB"'
    return None


def _threads_problem(value: object) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return "is a number of threads; 0 stands for all cores"
    if value > MOST_THREADS:
        return f"is {value}; give at most {MOST_THREADS}, or 0, which stands for all cores"
    return None


CHECKS: Mapping[str, Callable[[object], str | None]] = {"memory-limit": _memory_problem, "threads": _threads_problem}
