"""What the other files of a folder give to the values of a file: declarations, and the values of variables.

Terraform reads all files of a folder as one module. The variables of the module it runs in have values in some files of
certain names, those of a module that is called in its calls. What a plan has for the module comes the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from trialrun.parser.decode import decode
from trialrun.parser.hcl_syntax import Body, HclFile
from trialrun.parser.terraform.evaluate import Assigned, Module, Planned
from trialrun.terraform import FOLDER, PLAN, Siblings, Unknown, has_unknown, is_terraform_path, is_variables_path
from trialrun.text import Source

MAX_KEPT: Final = 2 << 20
"""Bytes of files whose trees are kept; a tree takes ten times the memory of its text, or more."""


def read_tree(text: str, *, is_json: bool) -> HclFile:
    """The blocks of a text in either syntax."""
    if is_json:
        from trialrun.parser.hcl_json import read_hcl_json

        return read_hcl_json(text)
    from trialrun.parser.hcl import read_hcl

    return read_hcl(text)


def siblings(sibling_files: Siblings) -> tuple[list[Module], Assigned, Planned]:
    """The modules of the other files of a folder, the values of variables, of which the last counts, and of a plan."""
    own = [(path, data) for path, data in sibling_files if "/" not in path]
    modules = [Module(*_trees.read(path, data)) for path, data in own if is_terraform_path(path)]
    files = [(path, data) for path, data in own if is_variables_path(path)]
    files.sort(key=lambda file: (not file[0].startswith("terraform.tfvars"), file[0]))
    assigned = {name: (value, path) for path, data in files for name, value in _values(path, data)}
    calls = [*_calls(sibling_files)]
    return modules, _in_common(calls) if calls else assigned, json.loads(dict(sibling_files).get(PLAN, b"{}"))


def _calls(sibling_files: Siblings) -> Iterator[Assigned]:
    """The arguments of each call of the module in the folders above, with the file of the call."""
    folder = [data.decode("utf-8", "surrogateescape") for path, data in sibling_files if path == FOLDER]
    names = folder[0].split("/") if folder else []
    for level in range(1, len(names) + 1):
        prefix = "../" * level
        files = tuple((path.removeprefix(prefix), data) for path, data in sibling_files if path.startswith(prefix))
        modules, assigned, _ = siblings(files)
        for module in modules:
            module.main, modules[0].others, modules[0].assigned = modules[0], modules[1:], assigned
        for module in modules:
            for body in module.called("/".join(names[-level:])):
                arguments = {name: module.evaluate(item.expression) for name, item in body.attributes.items()}
                yield {
                    name: (Unknown("", "") if found.default_of else found.value, prefix + module.source.path)
                    for name, found in arguments.items()
                }


def _in_common(calls: Sequence[Assigned]) -> Assigned:
    """The arguments that are the same in all calls; others are unknown."""
    first = calls[0]
    assigned = dict.fromkeys((name for call in calls for name in call), (Unknown("", ""), ""))
    for name, (value, path) in first.items():
        if not has_unknown(value) and all(name in call and call[name][0] == value for call in calls):
            assigned[name] = value, path
    return assigned


class _Trees:
    """The trees of the last files, as every file of a folder needs those of the others; `most` bounds their texts."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._trees: dict[tuple[str, bytes], tuple[Source, str, Body]] = {}

    def read(self, path: str, data: bytes) -> tuple[Source, str, Body]:
        """A file with its text for the parser and its tree."""
        tree = self._trees.pop((path, data), None)
        if tree is None:
            decoded = decode(data, path)
            is_json = path.lower().endswith(".json")
            tree = decoded.source, decoded.clean, read_tree(decoded.clean, is_json=is_json).body
        self._trees[path, data] = tree
        while len(self._trees) > 1 and sum(len(text) for _, text in self._trees) > self.most:
            del self._trees[next(iter(self._trees))]
        return tree


_trees = _Trees(MAX_KEPT)


def _values(path: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """The values that a file gives to variables; in JSON they are without templates."""
    if path.endswith(".json"):
        from trialrun.parser.json import parse_json

        for document in parse_json(decode(data, path).clean)[0][:1]:
            yield from document.value.items() if isinstance(document.value, dict) else ()
        return
    source, text, body = _trees.read(path, data)
    module = Module(source, text, body)
    for name, attribute in body.attributes.items():
        yield name, module.evaluate(attribute.expression).value
