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
    """Why no offered tag serves a customer: which languages were looked for, and which there are."""
    if not offered:
        return "there is no text in any language"
    missing = " or ".join(dict.fromkeys(_spoken(tag) for tag in (wanted, default) if tag)) or "a language that is known"
    no_default = "" if default else ", and no defaultLanguageCode"
    return f"there is no text in {missing}{no_default}; the texts are in {', '.join(dict.fromkeys(offered))}"


def _spoken(tag: str) -> str:
    """A tag with its name: fr-CA (French, Canada)."""
    known = name(tag)
    return f"{tag} ({known.replace(' (', ', ').rstrip(')')})" if known else tag
