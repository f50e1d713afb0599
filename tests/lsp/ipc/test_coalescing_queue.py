"""Messages that wait: what newer ones make needless is taken away, and nothing else."""

from __future__ import annotations

import threading
import time

import pytest

from trialrun.lsp.ipc.coalescing_queue import Tray, needed
from trialrun.lsp.ipc.messages import Ask, Cancel, Choices, Drop, Put, Reread, ToOffice, Touch

OLD, NEW = Put("/a.yaml", b"old", 1), Put("/a.yaml", b"new", 2)
OTHER = Put("/b.yaml", b"other", 1)
GONE = Drop("/a.yaml")
HINTS, COMPLETION, OF_OTHER = (
    Ask(1, "inlay_hints", "/a.yaml"),
    Ask(2, "completion", "/a.yaml"),
    Ask(3, "hover", "/b.yaml"),
)
CHOSEN = Choices(ignore=("cron-syntax",))


@pytest.mark.parametrize(
    ("waiting", "kept"),
    [
        ([OLD, NEW], [NEW]),
        ([OLD, OTHER, NEW], [OTHER, NEW]),
        ([OLD, OF_OTHER, NEW], [OF_OTHER, NEW]),
        ([OLD, COMPLETION, NEW], [OLD, COMPLETION, NEW]),
        ([OLD, GONE, NEW], [GONE, NEW]),
        ([GONE, OLD, GONE, NEW], [GONE, NEW]),
        ([GONE, NEW], [GONE, NEW]),
        ([COMPLETION, HINTS, Cancel(2)], [HINTS]),
        ([Cancel(9), HINTS], [Cancel(9), HINTS]),
        ([Touch(("/a", "/b")), HINTS, Touch(("/b", "/c"))], [Touch(("/a", "/b", "/c")), HINTS]),
        ([Reread(), OTHER, Reread(CHOSEN), Reread()], [Reread(CHOSEN), OTHER]),
    ],
)
def test_what_newer_messages_make_needless_goes(waiting: list[ToOffice], kept: list[ToOffice]) -> None:
    assert needed(waiting) == (kept, [])


def test_a_question_that_an_editor_asks_again_anyway_goes_with_its_text() -> None:
    assert needed([OLD, HINTS, NEW]) == ([NEW], [1])


def test_a_question_about_the_newest_text_stays() -> None:
    assert needed([OLD, NEW, HINTS]) == ([NEW, HINTS], [])


def test_a_question_that_goes_is_refused() -> None:
    refused: list[int] = []
    tray = Tray(refused.append)
    for message in (OLD, HINTS, NEW):
        tray.put(message)
    assert (tray.take(), refused) == (NEW, [1])


def test_a_newer_text_is_known_of_while_it_waits() -> None:
    tray = Tray(lambda _: None)
    assert not tray.has_newer("/a.yaml")
    tray.put(NEW)
    assert tray.has_newer("/a.yaml")
    tray.take()
    assert not tray.has_newer("/a.yaml")


def test_who_waits_at_a_tray_that_is_closed_goes_on() -> None:
    tray, taken = Tray(lambda _: None), list[ToOffice | None]()
    thread = threading.Thread(target=lambda: taken.append(tray.take()))
    thread.start()
    tray.close()
    thread.join(90)
    assert taken == [None]


def test_who_waits_at_a_tray_waits_on_when_all_that_came_is_needless() -> None:
    tray, taken = Tray(lambda _: None), list[ToOffice | None]()
    for message in (COMPLETION, Cancel(2)):
        tray.put(message)
    thread = threading.Thread(target=lambda: taken.append(tray.take()))
    thread.start()
    end = time.monotonic() + 90
    while not tray.is_empty:
        assert time.monotonic() < end
    tray.put(NEW)
    thread.join(90)
    assert taken == [NEW]
