"""Phrases among words, compared with the plain way of finding them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatcher, find_phrases, singular_forms

WORDS = st.sampled_from(["a", "bb", "c", "dd", "two", "3"])
PHRASE = st.lists(WORDS, min_size=1, max_size=4).map(tuple)
Span = tuple[int, int]


def plainly(known: set[tuple[str, ...]], words: list[str]) -> list[Span]:
    """The longest phrase of all, of equal ones the earliest, then the next that does not overlap."""
    everywhere = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    spans = [span for span in everywhere if tuple(words[slice(*span)]) in known]
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (-len("".join(words[slice(*span)])), span)):
        if all(span[1] <= start or end <= span[0] for start, end in chosen):
            chosen.append(span)
    return sorted(chosen)


@example({("a",), ("a", "bb"), ("bb", "c", "dd")}, ["a", "bb", "c", "dd"])
@given(st.sets(PHRASE, max_size=12), st.lists(WORDS, max_size=24))
def test_the_longest_phrases_are_found_and_none_overlap(known: set[tuple[str, ...]], words: list[str]) -> None:
    phrases: PhraseMatcher[str] = PhraseMatcher()
    for phrase in known:
        phrases.add(phrase, " ".join(phrase))
    spans = [(phrase.start, phrase.end) for phrase in find_phrases([phrases], words, "en")]
    assert spans == plainly(known, words)
    assert all(
        phrase.meaning == " ".join(words[phrase.start : phrase.end]) for phrase in find_phrases([phrases], words, "en")
    )


def test_what_a_phrase_means_is_what_it_meant_first() -> None:
    phrases: PhraseMatcher[str] = PhraseMatcher()
    assert phrases.add(["a", "b"], "first") == "first"
    assert phrases.add(["a", "b"], "second") == "first"
    assert phrases.meaning(["a", "b"]) == "first"
    assert phrases.meaning(["a"]) is None
    assert phrases.meaning(["c"]) is None


@each_of(
    [
        ("fries", ("frie", "fri", "fry")),
        ("shakes", ("shake", "shak")),
        ("colas", ("cola",)),
        ("gas", ("ga",)),
        ("is", ()),
        ("cola", ()),
    ],
)
def test_a_word_may_be_the_plural_of_these(word: str, forms: tuple[str, ...]) -> None:
    assert singular_forms(word) == forms
