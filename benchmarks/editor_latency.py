"""Times an editor's wait: `python -m benchmarks.editor_latency`. Edits of a 300-line ChannelConfig sent to the server.

An edit is one character; its time ends when the findings of that text, or of a later one, have arrived. Edits come
after a quiet moment, and as somebody types them, one every 60 ms.
The start is timed beside `trialrun check FILE`, with which it takes turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.configs import channel_config
from benchmarks.random_source import Dice
from benchmarks.yaml_writer import a_hand, document

QUIET = 0.12
"""Seconds between two edits: more than the server takes for typing."""
SEED = "typing"
"""Of the lines that are edited: the same ones after a quiet moment and while typing."""
TYPING = 0.06
"""Seconds between two edits of somebody who types fast."""


class Wire:
    """A server, and the messages to it and from it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "trialrun", "lsp"]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.uri = (folder / "config.yaml").as_uri()
        params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        self.say(id=0, method="initialize", params=params)
        self.hear(lambda message: message.get("id") == 0)
        self.say(method="initialized", params={})

    def say(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def hear(self, wanted: Any) -> Any:
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

    def open(self, text: str) -> None:
        item = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": text}
        self.say(method="textDocument/didOpen", params={"textDocument": item})
        self.findings(1)

    def edit(self, version: int, line: int, text: str) -> None:
        place = {"line": line, "character": 0}
        change = {"range": {"start": place, "end": place}, "text": text}
        named = {"uri": self.uri, "version": version}
        self.say(method="textDocument/didChange", params={"textDocument": named, "contentChanges": [change]})

    def findings(self, version: int) -> None:
        self.hear(lambda message: message.get("params", {}).get("version") == version)

    def completion(self, number: int, line: int) -> None:
        asked = {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": 0}}
        self.say(id=number, method="textDocument/completion", params=asked)
        self.hear(lambda message: message.get("id") == number)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def edits(folder: Path, text: str, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from an edit to its findings, and from a question for completions to the answer."""
    wire, found, completed = Wire(folder), [], []
    lines, dice = text.count("\n"), Dice(SEED)
    wire.open(text)
    for version in range(2, count + 2):
        time.sleep(QUIET)
        line = dice.number(1, lines - 1)
        start = time.perf_counter()
        wire.edit(version, line, "#")
        wire.findings(version)
        found.append(1000 * (time.perf_counter() - start))
        start = time.perf_counter()
        wire.completion(version, line)
        completed.append(1000 * (time.perf_counter() - start))
    wire.end()
    return found, completed


def typed_edits(folder: Path, text: str, count: int) -> list[float]:
    """Milliseconds from each edit of somebody typing to the findings of its text or of a later one."""
    wire, lines, dice = Wire(folder), text.count("\n"), Dice(SEED)
    wire.open(text)
    arrived: dict[int, float] = {}

    def listen() -> None:
        while max(arrived, default=0) < count + 1:
            message = wire.hear(lambda message: message.get("params", {}).get("version"))
            arrived[message["params"]["version"]] = time.perf_counter()

    listener = threading.Thread(target=listen)
    listener.start()
    sent: dict[int, float] = {}
    for version in range(2, count + 2):
        sent[version] = time.perf_counter()
        wire.edit(version, dice.number(1, lines - 1), "#")
        time.sleep(max(0.0, sent[version] + TYPING - time.perf_counter()))
    listener.join()
    wire.end()
    return [
        1000 * (min(at for later, at in arrived.items() if later >= version) - start) for version, start in sent.items()
    ]


def started(folder: Path, text: str) -> float:
    """Seconds from the start of a server to the first findings."""
    start = time.perf_counter()
    wire = Wire(folder)
    wire.open(text)
    taken = time.perf_counter() - start
    wire.end()
    return taken


def ran(folder: Path, *words: str) -> float:
    """Seconds that a program takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], cwd=folder, check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.editor_latency", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--edits", type=int, default=200, help="how many edits (default 200)")
    parser.add_argument("--lines", type=int, default=300, help="lines of the ChannelConfig (default 300)")
    parser.add_argument("--starts", type=int, default=15, help="how many starts (default 15)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, dice = Path(name), Dice("wire")
        text = document(channel_config(dice, 1, lines=options.lines), a_hand(dice, merge=False))
        (folder / "config.yaml").write_text(text, encoding="utf-8")
        print("| milliseconds on the wire | median | 95th percentile |", "|---|---|---|", sep="\n")
        titles = ("edit to findings", "completion", f"an edit every {1000 * TYPING:.0f} ms to findings")
        measured = (*edits(folder, text, options.edits), typed_edits(folder, text, options.edits))
        for title, times in zip(titles, measured, strict=True):
            print(f"| {title} | {median(times):.1f} | {quantiles(times, n=20)[-1]:.1f} |")
        check = ("-m", "trialrun", "check", "--no-cache", "config.yaml")
        taken = [(started(folder, text), ran(folder, *check)) for _ in range(options.starts)]
        first, checked = (median(column) for column in zip(*taken, strict=True))
        print(f"start to first findings {first:.3f} s; check {checked:.3f} s")


if __name__ == "__main__":
    main()
