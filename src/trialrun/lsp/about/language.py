"""A language tag by the name of its language."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lsp.about.markdown import code, plain


def language_paragraphs(tag: str) -> Iterator[str]:
    """The English name of a tag, and its canonical form where that is another; nothing for what is no valid tag."""
    from trialrun.values import language_tag

    form = language_tag.canonical(tag)
    if form is None:
        return
    name = language_tag.name(tag)
    named = plain(name) if name else "a registered language"
    canonical = "" if form == tag else f"; the canonical form is {code(form)}"
    yield f"{code(tag)}: {named}{canonical}"
