"""A repository with many findings beside the same files without them: `python -m benchmarks.findings`.

In each file a dozen or so keys and values are written as people get them wrong (snake_case, another case of an enum, a
misspelt field, a number as a text), so that most findings have a fix; the files beside them have no finding at all.
Ours takes turns with itself; a ratio of 2 is a run over the files with findings that takes twice the CPU time of the
run over those without.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.check import SEED, Bench, Row, environment, measured, table_head
from benchmarks.corpus import Written, corpus, write

FINDINGS = 12
MUST, AIM = 2.5, 2.0
FORMATS = ("concise", "text", "json", "gitlab", "github", "junit", "sarif", "rdjson")
SNAKE = re.compile(r"(?<![A-Z])([A-Z])(?![A-Z])")
KEY = re.compile(r"^(?P<before>[ ]*(?:- )?)(?P<key>[a-z]+(?:[A-Z][a-z]+)+)(?P<after>:(?: |$))", re.MULTILINE)


def with_findings(files: Iterator[Written], *, each: int = FINDINGS) -> Iterator[Written]:
    """The files with so many keys spelt otherwise: two of three in snake_case, the third with a typing error."""
    for file in files:
        text = file.content.decode("utf-8")
        places = list(KEY.finditer(text))
        step = max(1, len(places) // each)
        for number, match in reversed(list(enumerate(places[::step][:each]))):
            key = match["key"]
            wrong = key[:-2] + key[-1] + key[-2] if number % 3 == 2 else SNAKE.sub(lambda m: f"_{m[1].lower()}", key)
            text = text[: match.start("key")] + wrong + text[match.end("key") :]
        yield Written(file.path, text.encode("utf-8"), file.rules)


def sound_files(bench: Bench) -> list[Written]:
    """The files of the corpus in which nothing is found, notes and findings across files included."""
    files = [file for file in corpus(bench.files, seed=SEED) if not file.rules]
    while True:
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
            write(Path(folder), iter(files))
            words = ("check", "--isolated", "--no-cache", "--output-format", "json")
            command = (sys.executable, "-m", "trialrun", *words)
            output = subprocess.run(command, cwd=folder, env=bench.environment, capture_output=True, check=False).stdout
        paths = {diagnostic["path"] for diagnostic in json.loads(output)["diagnostics"]}
        if not paths:
            return files
        files = [file for file in files if file.path not in paths]


def rows(bench: Bench) -> Iterator[Row]:
    """The comparisons: each format for the files with findings, beside the same format without."""
    for name in FORMATS:
        words = ("-m", "trialrun", "check", "--isolated", "--no-cache", "--output-format", name)
        found, sound = bench.python(*words, "findings"), bench.python(*words, "sound")
        yield Row(f"{bench.files} files, {FINDINGS} findings each, none, {name}", "cpu", found, sound, MUST, AIM)


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), arguments.files, None, environment(Path(folder)))
        sound = sound_files(bench)
        write(bench.folder / "sound", iter(sound))
        write(bench.folder / "findings", with_findings(iter(sound)))
        for line in table_head():
            print(line, flush=True)
        for row in rows(bench):
            print(measured(row, times=arguments.times), flush=True)


if __name__ == "__main__":
    main()
