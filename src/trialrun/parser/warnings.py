"""Warnings about keys and values that are valid but should be written in another way."""

from __future__ import annotations

from trialrun.parser.nodes import Node, Path
from trialrun.parser.parse_error import ParseError
from trialrun.parser.scalars import ScalarValue, to_unambiguous_text
from trialrun.text import Span

MAX_SHOWN_LENGTH = 60


def shorten(text: str) -> str:
    """The text as a message shows it: on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN_LENGTH else line[: MAX_SHOWN_LENGTH - 1] + "…"


def ambiguous_scalar(node: Node, reading: ScalarValue, path: Path, at_key: bool) -> ParseError:
    """A plain scalar that parsers of YAML 1.1 read as something else."""
    text = node.text or ""
    value = text if at_key else reading.value
    replacement = to_unambiguous_text(text, value)
    problem, advice = f"{shorten(text)} is {_value_kind(value)} here", f"write {shorten(replacement)}"
    message = f"{problem} and {reading.yaml_1_1} to YAML 1.1 readers; {advice}"
    if text.lower() == "no" and _names_a_language(path) and not at_key:
        message = f"{text} is false to YAML 1.1 readers, not the language Norwegian; write {replacement}"
    return ParseError("ambiguous-scalar", message, node.span, 0, path, at_key, (), replacement, safe=True)


def _value_kind(value: object) -> str:
    return "text" if isinstance(value, str) else f"the number {shorten(str(value))}"


def _names_a_language(path: Path) -> bool:
    return any(isinstance(step, str) and "language" in step.lower() for step in path[-2:])


def duplicate_key(key: Node, earlier: Node, path: Path) -> ParseError:
    """A key that appears twice in one mapping."""
    message = f'duplicate key "{shorten(key.text or "")}"; remove one of the two'
    return ParseError("duplicate-key", message, key.span, 0, path, at_key=True, related=(earlier.span,))


def repeated_merge_key(
    text: str, first: tuple[Node, Span], later: tuple[Node, Span], path: Path, *, is_flow: bool
) -> ParseError:
    """A second merge key of a mapping; one merge key with both values means the same to every reader."""
    (earlier, value), (key, later_value) = first, later
    sources = [text[span.start : span.end] for span in (value, later_value)]
    between = text[value.end : key.start]
    rest = between.rstrip()
    rest = rest.removesuffix(",") if is_flow else rest
    is_alone = "#" not in between if is_flow else not between.rpartition("\n")[2].strip(" ") and "\n" in between
    replacement, advice = None, "<<: [*a, *b]"
    if is_alone and all(source[:1] in tuple("*[{") and "\n" not in source for source in sources):
        merged = ", ".join(source[1:-1].strip(" ,") if source[0] == "[" else source for source in sources)
        replacement, advice = f"[{merged}]{rest}", f"<<: [{shorten(merged)}]"
    message = f"two merge keys in one mapping, of which other readers take one or none; write {advice}"
    replaced = Span(value.start, later_value.end)
    return ParseError(
        "duplicate-key", message, key.span, 0, path, True, (earlier.span,), replacement, replaced=replaced
    )


def tagged_value(text: str, span: Span, replacement: str | None, path: Path | None, at_key: bool) -> ParseError:
    """A scalar with a tag of no meaning here."""
    source = shorten(text[span.start : span.end])
    advice = f"write {shorten(replacement)}" if replacement else "remove the tag, or write out what it stands for"
    message = f"{source} begins with a YAML tag where plain text is expected; {advice}"
    return ParseError("tagged-value", message, span, 0, path, at_key, (), replacement)


def tagged_collection(text: str, start: int, path: Path) -> ParseError:
    """A mapping or a list with a tag of no meaning here."""
    tag = text[start:].split(maxsplit=1)[0]
    message = f"{shorten(tag)} is a YAML tag on a mapping or a list; remove the tag"
    return ParseError("tagged-value", message, Span(start, start + len(tag)), 0, path)


def invalid_merge(source: Node, path: Path) -> ParseError:
    """A merge key whose value holds no keys."""
    message = "a merge key must be a mapping or a list of mappings; name one by its anchor"
    return ParseError("syntax-error", message, source.span, 0, path)
