"""Language negotiation: which of a config's languages a customer gets (RFC 4647 lookup)."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.values.language_tag import OfferedLanguages, english_name

MAX_LISTED = 10
"""Languages that a reason lists; of more, their number is given."""


def negotiate_language(
    wanted: str | None, offered: OfferedLanguages | Sequence[str], default: str | None
) -> str | None:
    """The offered tag for a customer's language: by the lookup of RFC 4647, else that for the default language.

    Tags are compared in their canonical form; `wanted` is None for a customer of whom nothing is known. None if neither
    language is offered.
    """
    languages = offered if isinstance(offered, OfferedLanguages) else OfferedLanguages(offered)
    matches = (languages.lookup(tag) for tag in (wanted, default) if tag)
    return next((tag for tag in matches if tag is not None), None)


def why_no_language(wanted: str | None, offered: Sequence[str], default: str | None) -> str:
    """Why no offered tag serves a customer: which languages were looked for, and which there are."""
    if not offered:
        return "there is no text in any language"
    missing = " or ".join(dict.fromkeys(_describe_tag(tag) for tag in (wanted, default) if tag)) or "a known language"
    no_default = "" if default else ", and no defaultLanguageCode"
    tags = list(dict.fromkeys(offered))
    more = f", … {len(tags)} in all" if len(tags) > MAX_LISTED else ""
    return f"there is no text in {missing}{no_default}; the texts are in {', '.join(tags[:MAX_LISTED])}{more}"


def _describe_tag(tag: str) -> str:
    """A tag with its name: fr-CA (French, Canada)."""
    language_name = english_name(tag)
    return f"{tag} ({language_name.replace(' (', ', ').rstrip(')')})" if language_name else tag
