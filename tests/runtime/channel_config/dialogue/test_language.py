"""Which language serves a customer."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from trialrun.runtime.channel_config.dialogue.messages import negotiate_language, why_no_language


@each_of(
    [
        ("en-US", ["es-US", "en-US"], None, "en-US"),
        ("en-US", ["es", "en"], None, "en"),
        ("zh-Hant-TW", ["zh", "zh-Hant"], None, "zh-Hant"),
        ("iw", ["en", "he"], None, "he"),
        ("EN-us", ["en-US"], None, "en-US"),
        ("en", ["en-US", "es-US"], "es-US", "es-US"),
        ("pl", ["en", "fr"], "fr-CA", "fr"),
        (None, ["en", "fr"], "fr", "fr"),
        ("pl", ["en"], "de", None),
        ("pl", ["en"], None, None),
        ("en", [], "en", None),
    ],
)
def test_a_language_is_looked_up_and_then_the_default(
    wanted: str | None, offered: list[str], default: str | None, tag: str | None
) -> None:
    assert negotiate_language(wanted, offered, default) == tag


WHY = {
    ("pl", "en es", "de-CH"): "there is no text in pl (Polish) or de-CH (German, Switzerland); the texts are in en, es",
    ("pl", "en", None): "there is no text in pl (Polish), and no defaultLanguageCode; the texts are in en",
    (None, "en", None): "there is no text in a known language, and no defaultLanguageCode; the texts are in en",
    ("qaa", "en", "qaa"): "there is no text in qaa; the texts are in en",
    ("pl", "", "en"): "there is no text in any language",
}


@pytest.mark.parametrize(("wanted", "offered", "default"), WHY)
def test_a_reason_names_the_languages(wanted: str | None, offered: str, default: str | None) -> None:
    assert why_no_language(wanted, offered.split(), default) == WHY[wanted, offered, default]
