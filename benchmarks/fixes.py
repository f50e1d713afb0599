"""What --fix makes of generated broken files: `python -m benchmarks.fixes --files 500 --seed 1`.

Every file is a sound one with mistakes that have a safe fix, written in one of many styles, and it knows what was
meant. Fixing must give exactly that value, leave every character outside of its edits as it was, leave nothing that
has a safe fix, and change nothing when it is done again. The count of the findings is printed by rule.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from benchmarks.configs import channel_config
from benchmarks.fixable import OF_CONFIGS, OF_VIEWS, meant, written
from benchmarks.mistakes import DoesNotApply
from benchmarks.random_source import Dice
from benchmarks.views import feature_view
from benchmarks.yaml_writer import Raw, a_hand, document
from tests.parser.emitter import Emitter
from trialrun.diagnostic import Diagnostic
from trialrun.fix import fixed_text
from trialrun.lint.settings import Profiles, Settings
from trialrun.parser import parse
from trialrun.parser.decode import encode
from trialrun.workspace.check import CheckResult, check
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.fix_loop import FixResult, fix_until_stable

NOW = datetime(2026, 11, 20, tzinfo=UTC)
NOWHERE = os.path.join(os.sep, "nowhere")
"""The folder of the files, which are never written."""

KIND = re.compile("^(?:- |  )?kind: [A-Za-z]+$", re.MULTILINE)
PROFILES = Profiles(Settings())
ENCODINGS = (("utf-8", ""), ("utf-8", "\ufeff"), ("utf-16-le", "\ufeff"), ("utf-16-be", "\ufeff"))
WITH_A_COMMENT = "and its comment"


@dataclass(frozen=True)
class Broken:
    """A file with mistakes, what its documents should hold, and the rules that find the mistakes."""

    path: str
    content: bytes
    meant: tuple[Any, ...]
    rules: tuple[str, ...]


def broken_files(files: int, *, seed: int) -> Iterator[Broken]:
    """So many files, each drawn from the seed and its own number alone."""
    for number in range(files):
        yield _file(Dice(f"fixes/{seed}/{number}"), number)


def _file(dice: Dice, number: int) -> Broken:
    rules: list[str] = []
    trees = [_spoiled(dice, 10 * number + at, rules) for at in range(dice.pick((1, 1, 2, 3)))]
    listed = dice.chance(0.3)
    roots = [trees] if listed else trees
    style = dice.pick(("hand", "hand", "emitter", "json")) if not _has_raw(trees) else "hand"
    if style == "json" and not listed:
        roots = [trees] if len(trees) > 1 else roots
    text = {"hand": _by_hand, "emitter": _emitted, "json": _json}[style]([written(root) for root in roots], dice)
    encoding, mark = dice.pick(ENCODINGS if style != "json" else ENCODINGS[:1])
    path = f"generated/{number:04d}.{'json' if style == 'json' else 'yaml'}"
    return Broken(path, (mark + text).encode(encoding), tuple(meant(root) for root in roots), tuple(rules))


def _spoiled(dice: Dice, number: int, rules: list[str]) -> Any:
    """A resource with one to five mistakes, each of another sort."""
    is_view = dice.chance(0.5)
    make, sorts = (feature_view, OF_VIEWS) if is_view else (channel_config, OF_CONFIGS)
    tree: dict[Any, Any] = make(dice, number, lines=dice.number(30, 110))
    tree["kind"] = "FeatureView" if is_view else "ChannelConfig"
    most, before = dice.number(1, 5), len(rules)
    for spoil in dice.shuffled(sorts):
        with suppress(DoesNotApply):
            if len(rules) - before < most:
                rules.append(spoil(tree, dice))
    return tree


def _has_raw(tree: Any) -> bool:
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return isinstance(tree, Raw) or any(map(_has_raw, parts))


def _by_hand(roots: Sequence[Any], dice: Dice) -> str:
    hand = a_hand(dice, merge=False)
    text = "---\n".join(document(root, hand) for root in roots)
    if dice.chance(0.2):
        text = KIND.sub(r"\g<0>  # trialrun: ignore[too-long] for nothing", text, count=1)
    if dice.chance(0.3):
        text = text.removesuffix("\n")
    return _with_breaks(text, dice.pick(("\n", "\n", "\r\n", "\r", "mixed")), dice)


def _with_breaks(text: str, sort: str, dice: Dice) -> str:
    if sort != "mixed":
        return text.replace("\n", sort)
    return "".join(dice.pick(("\n", "\r\n")) if sign == "\n" else sign for sign in text)


def _emitted(roots: Sequence[Any], dice: Dice) -> str:
    emitter = Emitter(random.Random(dice.number(0, 10**9)), dice.pick(("\n", "\r\n", "\r")))
    for at, root in enumerate(roots):
        emitter.document(root, first=at == 0)
    return emitter.written.text


def _json(roots: Sequence[Any], dice: Dice) -> str:
    separators = dice.pick(((",", ":"), (", ", ": "), (" , ", " : ")))
    indent = dice.pick((None, 0, 2, 4, "\t"))
    return json.dumps(roots[0], ensure_ascii=dice.chance(0.3), indent=indent, separators=separators)


@dataclass
class Rounds:
    """One file fixed on its own, by the default rules, with every text that it had on the way."""

    path: str
    content: bytes
    seen: list[tuple[bytes, Sequence[Diagnostic]]]

    def run(self, *, unsafe: bool = False) -> FixResult:
        """Fix it."""
        return fix_until_stable(self._check, lambda path: self.content, unsafe=unsafe)

    def _check(self, texts: Mapping[str, bytes]) -> CheckResult:
        data = texts.get(self.path, self.content)
        overlay: dict[str, bytes | None] = {os.path.abspath(os.path.join(NOWHERE, self.path)): data}
        path = os.path.join(NOWHERE, self.path)
        request = CheckRequest(NOWHERE, NOW, PROFILES, [path], overlay=overlay, jobs=1, cache=False)
        outcome = check(request)
        diagnostics = [diagnostic._replace(path=self.path) for diagnostic in outcome.diagnostics]
        self.seen.append((data, diagnostics))
        return replace(outcome, diagnostics=diagnostics)


def safe(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings with a safe fix."""
    return [diagnostic for diagnostic in diagnostics if diagnostic.fix is not None and diagnostic.fix.safe]


def values(data: bytes, path: str) -> list[Any]:
    """The values of the documents of a file."""
    return [document.value for document in parse(data, path).documents]


def complaints(content: bytes, path: str, wanted: Sequence[Any] | None) -> tuple[Counter[str], list[str]]:
    """How many findings with a safe fix a file has, by rule, and what is not as it must be after fixing."""
    rounds = Rounds(path, content, [])
    mending = rounds.run()
    counts = Counter(diagnostic.rule for diagnostic in safe(rounds.seen[0][1]))
    after = mending.files[0].data if mending.files else content
    found = [f"{diagnostic.rule} is left: {diagnostic.message}" for diagnostic in safe(mending.after.diagnostics)]
    found += [
        f"{diagnostic.rule} is refused: {diagnostic.refusal}"
        for diagnostic in mending.after.diagnostics
        if diagnostic.refusal
    ]
    if wanted is not None and not _same(values(_without_comments(mending, after, path), path), list(wanted)):
        found.append("the values are not what was meant")
    found += _changed_elsewhere(rounds.seen, path)
    if Rounds(path, after, []).run().files:
        found.append("fixing it again changes it again")
    return counts, found


def _without_comments(mending: FixResult, data: bytes, path: str) -> bytes:
    """The file once what a comment stands beside is removed as well, which a person has to ask for."""
    removals = [
        diagnostic.fix
        for diagnostic in mending.after.diagnostics
        if diagnostic.fix and diagnostic.fix.title.endswith(WITH_A_COMMENT)
    ]
    source = parse(data, path).source
    return encode(replace(source, text=fixed_text(source, removals))) if removals else data


def _same(one: Any, other: Any) -> bool:
    """Equal, and of the same types: 1 is not 1.0 and not true."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _changed_elsewhere(seen: Sequence[tuple[bytes, Sequence[Diagnostic]]], path: str) -> Iterator[str]:
    """What stands between the edits of one text must stand in the next one, in this order and from end to end."""
    for (data, diagnostics), (after, _) in pairwise(seen):
        before, text = parse(data, path).source, parse(after, path).source
        edits = sorted(
            (before.offset(edit.range.start), before.offset(edit.range.end))
            for diagnostic in safe(diagnostics)
            if diagnostic.fix
            for edit in diagnostic.fix.edits
        )
        pieces, at = [], 0
        for start, end in edits:
            pieces.append(before.text[at : max(at, start)])
            at = max(at, end)
        pieces.append(before.text[at:])
        if (before.encoding, before.bom) != (text.encoding, text.bom):
            yield "the encoding is another one"
        if not _in_order(pieces, text.text):
            yield "something outside of the edits has changed"


def _in_order(pieces: Sequence[str], text: str) -> bool:
    if not text.startswith(pieces[0]) or not text.endswith(pieces[-1]):
        return False
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def main() -> None:
    """Fix the files that the command line asks for, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=500, help="files to generate (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other files (default 1)")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    wrong = 0
    for file in broken_files(options.files, seed=options.seed):
        counts, found = complaints(file.content, file.path, file.meant)
        total += counts
        wrong += bool(found)
        for one in found:
            print(f"{file.path}: {one}")
    for rule in sorted(total):
        print(f"{total[rule]:6} {rule}")
    print(f"{sum(total.values()):6} findings with a safe fix in {options.files} files; {wrong} files not as meant")


if __name__ == "__main__":
    main()
