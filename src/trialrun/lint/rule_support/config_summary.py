"""The outline of a config: what it sets and where, with long values by their beginning and a digest, as a fact has it.

Two outlines agree wherever the configs do, so one is laid over another like the values themselves.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trialrun.model.node import Node

MAX_LENGTH = 40
PREFIX_LENGTH = 24
ELLIPSIS = "…"
ITEMIZED_LISTS = ("upsells", "greetings")
"""The lists whose items are distinguished; every other list is one value."""
LABELS = {"operationsConfig": ("displayName", "description")}
"""Fields that people know a strategy by, and that change nothing, by the field that has the message."""


@dataclass(slots=True)
class ConfigSummary:
    """What a config sets; `is_partial` says that some of its values were refused, so that there may be more."""

    value: Any
    is_partial: bool = False


def summarize(config: Node, *, without: Collection[str] = ()) -> ConfigSummary:
    """The outline of a config, without some of its fields."""
    config_summary = ConfigSummary({})
    config_summary.value = _summarize_message(config, config_summary, without)
    return config_summary


def _summarize_message(node: Node, config_summary: ConfigSummary, without: Collection[str] = ()) -> dict[str, Any]:
    values: dict[str, Any] = {}
    stand = node.model_fields_set
    for name, value in node.__dict__.items():
        if name not in stand or name in without:
            continue
        if value is None:
            config_summary.is_partial = True
        elif name not in LABELS or not value.model_fields_set or not value.model_fields_set <= {*LABELS[name]}:
            values[name] = _summarize_value(name, value, config_summary)
    return values


def _summarize_value(name: str, value: Any, config_summary: ConfigSummary) -> Any:
    if isinstance(value, list):
        return _summarize_list(name, value, config_summary)
    if isinstance(value, str):
        return value if len(value) <= MAX_LENGTH else _abbreviate(value)
    return value if isinstance(value, int | float) else _summarize_message(value, config_summary, LABELS.get(name, ()))


def _summarize_list(name: str, items: list[Any], config_summary: ConfigSummary) -> list[Any]:
    if type(items) is not list:  # a `TruncatedList`, of which some items were refused
        config_summary.is_partial = True
    if name in ITEMIZED_LISTS:
        return [_summarize_message(item, config_summary) for item in items]
    plain = [item if isinstance(item, str) else _full_value(item, config_summary) for item in items]
    text = json.dumps(plain, ensure_ascii=True)
    return [text if len(text) <= MAX_LENGTH else _abbreviate(text)] if items else []


def _full_value(node: Node, config_summary: ConfigSummary) -> Any:
    """A message inside of a list that is one value."""
    values: dict[str, Any] = {}
    for name, value in node.__dict__.items():
        if name not in node.model_fields_set:
            continue
        if value is None:
            config_summary.is_partial = True
        elif isinstance(value, list):
            config_summary.is_partial |= type(value) is not list
            values[name] = [item if isinstance(item, str) else _full_value(item, config_summary) for item in value]
        else:
            values[name] = value if isinstance(value, str | int | float) else _full_value(value, config_summary)
    return values


def _abbreviate(text: str) -> str:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{text[:PREFIX_LENGTH]}{ELLIPSIS}{digest}"


def format_value(value: Any) -> str:
    """A value of an outline, for a message."""
    if isinstance(value, str):
        beginning, is_short, _ = value.partition(ELLIPSIS) if len(value) > PREFIX_LENGTH else (value, "", "")
        return json.dumps(f"{beginning.rstrip()}{is_short}", ensure_ascii=False)
    return json.dumps(value)


def format_settings(settings: Sequence[tuple[str, Any, Any]]) -> str:
    """The first of some fields that two configs set differently, with both values, and how many more there are."""
    field, one, other = settings[0]
    is_scalar = not isinstance(one, dict | list) and not isinstance(other, dict | list)
    values = f"to {format_value(one)} and {format_value(other)}" if is_scalar else "to different values"
    return f"{field} {values}{format_more(settings, 'field', ' ({})')}"


def format_more(items: Sequence[Any], noun: str, form: str) -> str:
    """How many items there are beyond the first, in a form; empty if there are none."""
    count = len(items) - 1
    return form.format(f"{count} more {noun}{'s' if count > 1 else ''}") if count else ""
