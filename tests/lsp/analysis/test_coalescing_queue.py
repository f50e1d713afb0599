"""Messages that wait: what newer ones make needless is taken away, and nothing else."""

from __future__ import annotations

import threading
import time

from tests.cases import each_of
from trialrun.lsp.analysis.coalescing_queue import CoalescingQueue, drop_superseded
from trialrun.lsp.ipc.messages import AnalysisRequest, Cancel, FilesChanged, Initialize, Options, SetText, ToAnalysis

OLD, NEW = SetText("/a.yaml", b"old", 1), SetText("/a.yaml", b"new", 2)
OTHER = SetText("/b.yaml", b"other", 1)
GONE = SetText("/a.yaml", None)
HINTS, COMPLETION, OF_OTHER = (
    AnalysisRequest(1, "inlay_hint", "/a.yaml"),
    AnalysisRequest(2, "completion", "/a.yaml"),
    AnalysisRequest(3, "hover", "/b.yaml"),
)
CHOSEN = Options(ignore=("cron-syntax",))


@each_of(
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
        ([FilesChanged(("/a", "/b")), HINTS, FilesChanged(("/b", "/c"))], [FilesChanged(("/a", "/b", "/c")), HINTS]),
        ([Initialize("/", Options()), OTHER, Initialize("/", CHOSEN)], [Initialize("/", CHOSEN), OTHER]),
    ]
)
def test_what_newer_messages_make_needless_goes(waiting: list[ToAnalysis], kept: list[ToAnalysis]) -> None:
    assert drop_superseded(waiting) == (kept, [])


def test_a_question_that_an_editor_asks_again_anyway_goes_with_its_text() -> None:
    assert drop_superseded([OLD, HINTS, NEW]) == ([NEW], [1])


def test_a_question_about_the_newest_text_stays() -> None:
    assert drop_superseded([OLD, NEW, HINTS]) == ([NEW, HINTS], [])


def test_a_question_that_goes_is_refused() -> None:
    refused: list[int] = []
    queue = CoalescingQueue(refused.append)
    for message in (OLD, HINTS, NEW):
        queue.put(message)
    assert (queue.get(), refused) == (NEW, [1])


def test_a_newer_text_is_known_of_while_it_waits() -> None:
    queue = CoalescingQueue(lambda _: None)
    assert not queue.has_newer_text("/a.yaml")
    queue.put(NEW)
    assert queue.has_newer_text("/a.yaml")
    queue.get()
    assert not queue.has_newer_text("/a.yaml")


def test_who_waits_at_a_tray_waits_on_when_all_that_came_is_needless() -> None:
    queue, taken = CoalescingQueue(lambda _: None), list[ToAnalysis | None]()
    for message in (COMPLETION, Cancel(2)):
        queue.put(message)
    thread = threading.Thread(target=lambda: taken.append(queue.get()))
    thread.start()
    end = time.monotonic() + 90
    while not queue.is_empty:
        assert time.monotonic() < end
    queue.put(NEW)
    thread.join(90)
    assert taken == [NEW]
