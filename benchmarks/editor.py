"""How long an editor waits, measured on the wire of `trialrun lsp`: `python -m benchmarks.editor [WHAT…]`.

`edit`: one character in a ChannelConfig of `--lines` lines, after a quiet moment, until the findings of that text have
arrived, and a completion after it. `type`: the same, an edit every 60 ms. `start`: from the start to first findings,
beside `trialrun check FILE`. `ask`: requests in the example workspace beside `--files` files of the corpus, each after
an edit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.configs import channel_config
from benchmarks.corpus import corpus, write
from benchmarks.random_source import Dice
from benchmarks.yaml_writer import a_hand, document

EXAMPLE = Path(__file__).parent.parent / "fixtures/workspaces/burger-brand"
QUIET, TYPING = 0.12, 0.06
"""Seconds between two edits, more than the server takes; and between those of a fast typist."""


class Wire:
    """A server over a folder, and the messages to it and from it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "trialrun", "lsp"]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.folder, self.asked = folder, 0
        self.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
        self.say(method="initialized", params={})

    def say(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def hear(self, wanted: Callable[[Any], object]) -> Any:
        """The first message that is wanted; the others are passed over."""
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while line := stream.readline().strip():
                if line.startswith(b"Content-Length:"):
                    size = int(line.split(b":")[1])
            message = json.loads(stream.read(size))
            if wanted(message):
                return message

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self.asked += 1
        self.say(id=self.asked, method=method, params=params)
        answer = self.hear(lambda message: message.get("id") == self.asked and "method" not in message)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
        return answer["result"]

    def document(self, file: str) -> dict[str, str]:
        return {"uri": (self.folder / file).as_uri()}

    def open(self, file: str) -> str:
        """Open a file of the folder, and wait for its findings; its text."""
        text = (self.folder / file).read_bytes().decode()
        item = {**self.document(file), "languageId": "yaml", "version": 1, "text": text}
        self.say(method="textDocument/didOpen", params={"textDocument": item})
        self.findings(1)
        return text

    def edit(self, file: str, version: int, line: int, text: str = "#") -> None:
        """Write a text at the start of a line."""
        place = {"line": line, "character": 0}
        changes = [{"range": {"start": place, "end": place}, "text": text}]
        named = {**self.document(file), "version": version}
        self.say(method="textDocument/didChange", params={"textDocument": named, "contentChanges": changes})

    def findings(self, version: int) -> int:
        """Wait for the findings of a version or of a later one; which one they are of."""
        answer = self.hear(lambda message: (message.get("params") or {}).get("version", 0) >= version)
        return int(answer["params"]["version"])


@contextmanager
def wired(folder: Path) -> Iterator[Wire]:
    """A server, until the end of the block."""
    wire = Wire(folder)
    try:
        yield wire
    finally:
        wire.process.kill()
        wire.process.wait()


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def tell(title: str, times: list[float]) -> None:
    """Print a line of the table."""
    last = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    print(f"| {title} | {median(times):.1f} | {last:.1f} | {max(times):.1f} |", flush=True)


def write_config(folder: Path, lines: int) -> int:
    """Write the config that is edited; how many lines it has."""
    dice = Dice("wire")
    text = document(channel_config(dice, 1, lines=lines), a_hand(dice, merge=False))
    (folder / "config.yaml").write_text(text, encoding="utf-8")
    return text.count("\n")


def write_workspace(folder: Path, files: int) -> None:
    """Write the corpus, with the example workspace beside it."""
    write(folder, corpus(files, seed=1))
    shutil.copytree(EXAMPLE, folder / "smashwell", ignore=shutil.ignore_patterns(".trialrun"))


def edit(folder: Path, options: argparse.Namespace) -> None:
    lines, dice = write_config(folder, options.lines), Dice("typing")
    found, completed = [], []
    with wired(folder) as wire:
        wire.open("config.yaml")
        for version in range(2, options.edits + 2):
            time.sleep(QUIET)
            line = dice.number(1, lines - 1)

            def change(version: int = version, line: int = line) -> None:
                wire.edit("config.yaml", version, line)
                wire.findings(version)

            found.append(milliseconds(change))
            place = {"textDocument": wire.document("config.yaml"), "position": {"line": line, "character": 0}}
            completed.append(milliseconds(lambda place=place: wire.ask("textDocument/completion", **place)))  # type: ignore[misc]
    tell(f"an edit to its findings, {lines} lines", found)
    tell("a completion after it", completed)


def type_fast(folder: Path, options: argparse.Namespace) -> None:
    lines, dice = write_config(folder, options.lines), Dice("typing")
    arrived, sent = dict[int, float](), dict[int, float]()
    with wired(folder) as wire:
        wire.open("config.yaml")

        def listen() -> None:
            while max(arrived, default=0) < options.edits + 1:
                version = wire.findings(2)
                arrived[version] = time.perf_counter()

        listener = threading.Thread(target=listen)
        listener.start()
        for version in range(2, options.edits + 2):
            sent[version] = time.perf_counter()
            wire.edit("config.yaml", version, dice.number(1, lines - 1))
            time.sleep(max(0.0, sent[version] + TYPING - time.perf_counter()))
        listener.join()
    waited = [min(at for later, at in arrived.items() if later >= version) - sent[version] for version in sent]
    tell(f"an edit every {1000 * TYPING:.0f} ms to its findings", [1000 * one for one in waited])


def start(folder: Path, options: argparse.Namespace) -> None:
    write_config(folder, options.lines)
    command = [sys.executable, "-m", "trialrun", "check", "--no-cache", "config.yaml"]
    started, checked = [], []

    def begin() -> None:
        with wired(folder) as wire:
            wire.open("config.yaml")

    for _ in range(options.starts):
        started.append(milliseconds(begin))
        checked.append(milliseconds(lambda: subprocess.run(command, cwd=folder, check=False, capture_output=True)))
    tell("start to the first findings", started)
    tell("`trialrun check` of the same file", checked)


def ask(folder: Path, options: argparse.Namespace) -> None:
    write_workspace(folder, options.files)
    file, menu = "smashwell/channels/drive-thru-speed.yaml", "smashwell/brand/menu.yaml"
    questions = [
        ("textDocument/hover", file, "order.subtotal", {}),
        ("textDocument/completion", file, "Fries]", {}),
        ("textDocument/definition", file, "Fries]", {}),
        ("textDocument/references", menu, "Fries", {"context": {"includeDeclaration": True}}),
        ("textDocument/rename", menu, "Fries", {"newName": "Chips"}),
        ("textDocument/codeLens", file, "", {}),
        ("textDocument/codeAction", file, "", {"context": {"diagnostics": []}}),
    ]
    with wired(folder) as wire:
        texts = {name: wire.open(name) for name in (file, menu)}
        version = 1
        for method, name, words, more in questions:
            before = texts[name][: texts[name].index(words)]
            place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
            where = {"range": {"start": place, "end": place}} if method.endswith("Action") else {"position": place}
            params = {"textDocument": wire.document(name), **where, **more}
            times = []
            for _ in range(options.times + 1):
                version += 1
                wire.edit(file, version, texts[file].count("\n"), "# more\n")
                wire.findings(version)
                times.append(milliseconds(lambda method=method, params=params: wire.ask(method, **params)))  # type: ignore[misc]
            tell(f"{method.partition('/')[2]}, {options.files:,} files, first {times[0]:.0f} ms", times[1:])


MEASURED = {"edit": edit, "type": type_fast, "start": start, "ask": ask}


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="*", choices=[*MEASURED, []], help="default: all")
    sizes = {"edits": 200, "lines": 300, "starts": 15, "files": 2000, "times": 10}
    for name, size in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=size, help=f"default {size:,}")
    options = parser.parse_args()
    print("| milliseconds | median | 95th percentile | longest |\n|---|---|---|---|", flush=True)
    for name in options.what or MEASURED:
        with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as folder:
            MEASURED[name](Path(folder).resolve(), options)


if __name__ == "__main__":
    main()
