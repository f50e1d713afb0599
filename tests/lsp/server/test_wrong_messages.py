"""Messages that are not as the protocol has them: each request is answered, and the server goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.lsp.client import LIMIT
from tests.lsp.server.raw_client import Wire, wired
from tests.program import view

WRONG = view(cron="0 3 * *")
AT_START = {"line": 0, "character": 0}


def place(line: int, character: int, to_line: int, to_character: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": character}, "end": {"line": to_line, "character": to_character}}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A server that hears many wrong messages, one after the other, and then ends well."""
    with wired(tmp_path_factory.mktemp("town"), longest=10 * LIMIT) as wire:
        wire.begin()
        yield wire
        assert wire.end() == 0


def lints(wire: Wire) -> None:
    """The server lints what is opened."""
    wire.open("on.yaml", WRONG)
    wire.findings("on.yaml", "cron-syntax")
    closed(wire, "on.yaml")


def closed(wire: Wire, name: str) -> None:
    wire.tell("textDocument/didClose", {"textDocument": {"uri": wire.uri(name)}})


def goes_on(wire: Wire) -> None:
    """The server lints, and ends well."""
    lints(wire)
    assert wire.end() == 0


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/horoscope", {}, -32601),
        ("$/horoscope", {}, -32601),
        ("textDocument/hover", {}, -32602),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a.yaml"}, "position": 7}, -32602),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a.yaml"}, "position": {"line": -1}}, -32602),
        ("textDocument/hover", None, -32602),
        ("workspace/executeCommand", {"command": "horoscope"}, -32602),
        ("workspace/executeCommand", {"command": "trialrun.explain", "arguments": [1, 2, 3, 4]}, -32602),
        ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, -32600),
    ],
)
def test_a_wrong_request_is_refused(shared: Wire, method: str, params: Any, code: int) -> None:
    assert shared.ask(method, params)["error"]["code"] == code
    lints(shared)


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"7", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "method": "x"}', b'"\xff"', b"{}" * 1000]
)
def test_what_is_no_message_is_passed_over(shared: Wire, body: bytes) -> None:
    shared.send(body)
    lints(shared)


@pytest.mark.parametrize("rest", first_of([b'"\xff"}', b""]))
def test_what_is_no_json_is_told(tmp_path: Path, rest: bytes) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.send(b'{"jsonrpc": "2.0", "id": 1, "method": ' + rest)
        answer = wire.hear(lambda message: "error" in message)
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_what_comes_before_a_right_beginning_is_refused(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        asked = {"textDocument": {"uri": wire.uri("view.yaml")}, "position": AT_START}
        assert wire.ask("textDocument/hover", asked)["error"]["code"] == -32002
        assert wire.ask("initialize", {})["error"]["code"] == -32602
        wire.begin()
        goes_on(wire)


def test_a_question_after_the_shutdown_is_refused(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.ask("shutdown")
        assert wire.ask("shutdown")["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("range_", "after"),
    [
        (place(900, 0, 901, 5), WRONG + "# x\n"),
        (place(0, 0, 900, 0), "# x\n"),
        (place(0, 900, 0, 901), WRONG.replace("\n", "# x\n\n", 1)),
        (place(2, 0, 0, 0), "# x\n" + WRONG.partition("\n")[2].partition("\n")[2]),
    ],
    ids=["behind", "all", "beyond a line", "backwards"],
)
def test_a_change_beyond_the_text_is_one_at_its_end(shared: Wire, range_: Any, after: str) -> None:
    shared.open("view.yaml", WRONG)
    shared.findings("view.yaml", "cron-syntax")
    shared.change("view.yaml", 2, {"range": range_, "text": "# x\n"}, {"range": place(0, 0, 0, 0), "text": "#\n"})
    whole = shared.ask("textDocument/foldingRange", {"textDocument": {"uri": shared.uri("view.yaml")}})
    closed(shared, "view.yaml")
    shared.open("same.yaml", "#\n" + after)
    same = shared.ask("textDocument/foldingRange", {"textDocument": {"uri": shared.uri("same.yaml")}})
    closed(shared, "same.yaml")
    assert same["result"] == whole["result"]
    lints(shared)


def test_a_change_of_a_file_that_was_never_opened_is_passed_over(shared: Wire) -> None:
    shared.change("never.yaml", 2, {"text": WRONG})
    closed(shared, "never.yaml")
    shared.tell("textDocument/didSave", {"textDocument": {"uri": shared.uri("never.yaml")}})
    lints(shared)


def test_a_file_that_is_opened_twice_has_its_last_text(shared: Wire) -> None:
    shared.open("twice.yaml", WRONG)
    shared.findings("twice.yaml", "cron-syntax")
    shared.open("twice.yaml", view())
    shared.findings("twice.yaml")
    closed(shared, "twice.yaml")
    lints(shared)


def test_versions_may_go_backwards(shared: Wire) -> None:
    shared.open("backwards.yaml", view(), version=9)
    shared.findings("backwards.yaml")
    shared.change("backwards.yaml", 3, {"text": WRONG})
    assert shared.findings("backwards.yaml", "cron-syntax")["version"] == 3
    shared.change("backwards.yaml", 3, {"text": view()})
    shared.findings("backwards.yaml")
    closed(shared, "backwards.yaml")


def test_a_file_that_is_opened_again_begins_anew(shared: Wire) -> None:
    for text, rules in ((WRONG, ("cron-syntax",)), (view(), ())) * 3:
        shared.open("again.yaml", text)
        shared.findings("again.yaml", *rules)
        closed(shared, "again.yaml")
