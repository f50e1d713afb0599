"""What is said about keys and values that can be read, and should not stand as they do."""

from __future__ import annotations

from trialrun.parser.document import Trouble
from trialrun.parser.nodes import Node, Path
from trialrun.parser.scalars import Reading, unambiguous
from trialrun.text import Span

LONGEST_SHOWN = 60


def shown(text: str) -> str:
    """The text as a message shows it: on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"


def ambiguous(node: Node, reading: Reading, path: Path, at_key: bool) -> Trouble:
    """A plain scalar that readers of YAML 1.1 take for something else."""
    text = node.text or ""
    value = text if at_key else reading.value
    replacement = unambiguous(text, value)
    message = (
        f"{shown(text)} is {_kind(value)} here and {reading.elsewhere} to YAML 1.1 readers; write {shown(replacement)}"
    )
    if text.lower() == "no" and _names_a_language(path) and not at_key:
        message = f"{text} is false to YAML 1.1 readers, not the language Norwegian; write {replacement}"
    return Trouble("ambiguous-scalar", message, node.span, 0, path, at_key, (), replacement, safe=True)


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else f"the number {shown(str(value))}"


def _names_a_language(path: Path) -> bool:
    return any(isinstance(step, str) and "language" in step.lower() for step in path[-2:])


def duplicate(key: Node, earlier: Node, path: Path) -> Trouble:
    """The same key twice in one mapping."""
    message = f'the key "{shown(key.text or "")}" stands twice in one mapping; remove one of the two'
    return Trouble("duplicate-key", message, key.span, 0, path, at_key=True, related=(earlier.span,))


def tagged_value(text: str, span: Span, replacement: str, path: Path | None, at_key: bool) -> Trouble:
    """A scalar with a tag of no meaning here."""
    source = shown(text[span.start : span.end])
    message = f"{source} begins with a YAML tag where a plain value belongs; write {shown(replacement)}"
    return Trouble("tagged-value", message, span, 0, path, at_key, (), replacement, safe=True)


def tagged_collection(text: str, start: int, path: Path) -> Trouble:
    """A mapping or a list with a tag of no meaning here."""
    tag = text[start:].split(maxsplit=1)[0]
    message = f"{shown(tag)} is a YAML tag on a mapping or a list; remove the tag"
    return Trouble("tagged-value", message, Span(start, start + len(tag)), 0, path)


def not_mergeable(source: Node, path: Path) -> Trouble:
    """A merge key whose value holds no keys."""
    message = "a merge key takes a mapping or a list of mappings; name one by its anchor"
    return Trouble("syntax-error", message, source.span, 0, path)
