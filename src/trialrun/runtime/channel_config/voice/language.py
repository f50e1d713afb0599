"""Which of the languages that a config has serves a customer."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.values.language_tag import lookup, name


def served(wanted: str | None, offered: Sequence[str], default: str | None) -> str | None:
    """The offered tag for a customer's language: by the lookup of RFC 4647, else that for the default language.

    Tags are compared in their canonical form; `wanted` is None for a customer of whom nothing is known. None where
    neither language is offered.
    """
    found = (lookup(tag, offered) for tag in (wanted, default) if tag)
    return next((tag for tag in found if tag is not None), None)


def why_none(wanted: str | None, offered: Sequence[str], default: str | None) -> str:
    """Why no offered tag serves a customer, in words that begin with the languages that were looked for."""
    looked_for = list(dict.fromkeys(_spoken(tag) for tag in (wanted, default) if tag))
    if not offered:
        return "there is no text in any language"
    there = ", ".join(offered)
    if not looked_for:
        return f"no language is known of the customer, there is no defaultLanguageCode, and the texts are in {there}"
    missing = f"there is none in {' or '.join(looked_for)}"
    without = "" if default else ", and no defaultLanguageCode"
    return f"{missing}{without}; the texts are in {there}"


def _spoken(tag: str) -> str:
    known = name(tag)
    return f"{tag}, {known}" if known else tag
