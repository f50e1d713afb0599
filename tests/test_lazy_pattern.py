"""A regular expression that is compiled when it is first used does what any other does."""

from __future__ import annotations

import copy
import pickle
import re
from unittest.mock import patch

import pytest

from trialrun.lazy_pattern import lazy_pattern

TEXTS = ("", "a1", "b22 c3", "A4", "é5")


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.ASCII])
def test_it_finds_what_a_compiled_one_finds(flags: int) -> None:
    lazy, compiled = lazy_pattern(r"(?P<word>[a-z\w])(\d+)", flags), re.compile(r"(?P<word>[a-z\w])(\d+)", flags)
    for text in TEXTS:
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert [found.span() for found in lazy.finditer(text)] == [found.span() for found in compiled.finditer(text)]
        assert bool(lazy.fullmatch(text)) == bool(compiled.fullmatch(text))
    assert (lazy.pattern, lazy.groups, lazy.groupindex) == (compiled.pattern, compiled.groups, compiled.groupindex)


def test_it_is_compiled_once_and_only_when_used() -> None:
    with patch.object(re, "compile", wraps=re.compile) as compiled:
        lazy = lazy_pattern("x+")
        assert compiled.call_count == 0
        assert lazy.search("axx")
        assert lazy.search("b") is None
    assert compiled.call_count == 1


def test_a_wrong_expression_is_refused_when_used() -> None:
    with pytest.raises(re.error):
        lazy_pattern("(").search("")


def test_copies_are_compiled_expressions() -> None:
    for lazy in (lazy_pattern("a+", re.ASCII), lazy_pattern("a+")):
        compiled = re.compile("a+", re.ASCII if lazy.flags & re.ASCII else 0)
        assert lazy.flags == compiled.flags
        for other in (copy.copy(lazy), copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))):
            assert other == compiled
