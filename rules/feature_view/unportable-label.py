r"""Label that not every service accepts, or that has more than one spelling.

The limits say only "international characters". Other services accept letters and digits of any script, but refuse the
combining marks of some scripts. A letter with a separate combining accent looks the same as the composed letter but is
not equal to it: a search for the label that somebody types finds nothing. Some letters, such as U+FB33, are never the
result of composition: what normalizes texts replaces them. Keys begin with a letter.

Basis: best practice; the published patterns of labels elsewhere, and Unicode normalization form C.

Good, as FeatureView:

    labels:
      équipe: recherche
      stage2: "2"

Bad, as FeatureView:

    labels:
      "e\u0301quipe": "cafe\u0301"  # <- "é" in decomposed form
      # line 2 <- "é" in decomposed form

Fixed, as FeatureView:

    labels:
      "équipe": "café"

Bad, as FeatureView:

    labels:
      "a\uFB33": b  # <- (U+FB33) is excluded from composition, and normalization replaces it; write its normal form
      c: "\uF900"  # <- (U+F900) is another code point of a character, and normalization replaces it

Bad, as FeatureView:

    labels:
      équipe: recherche
      "e\u0301quipe": outils  # <- the label key equals "équipe" above in normal form (NFC)

Bad, as FeatureView:

    labels:
      pays: ไทยที่  # <- combining mark U+0E35 U+0E48
      langue: हिन्दी  # <- and 2 more
      ton: ʰa  # <- modifier letter U+02B0

Bad, as FeatureView:

    labels:
      2nd: a  # <- label key that begins with "2"
      "": b  # <- empty label key
"""

from collections import Counter
from unicodedata import category, normalize

from trialrun.diagnostic import Fix, Related, Rename, Replace, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.texts import has_unusual_label
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import valid_keys
from trialrun.values import Problem
from trialrun.values.label import UNPORTABLE
from trialrun.values.label import check as problems_of


@rule(FeatureView, severity=Severity.WARNING, options={"system-label-prefix": None}, prefilter=has_unusual_label)
def check(view: FeatureView, context: Context) -> Findings:
    """Flag keys and values, once for each sort of character that other services refuse."""
    labels = {} if view.labels is None else view.labels
    prefix = (context.options["system-label-prefix"] or "").rstrip("/") or None
    for key in valid_keys(labels):
        value = labels.get(key, "")
        key_problems = problems_of(key, what="key", system_prefix=prefix)
        value_problems = problems_of(value, what="value")
        if not key_problems and not value_problems:  # as of nearly every label, for which no place is worked out
            continue
        place = view.location("labels", key)
        for sort, wrong in sorted_out(key, key_problems).items():
            renames = (Rename(place, problem.replacement or "", (problem.start, problem.end)) for problem in wrong)
            fix = Fix("write it in NFC", tuple(renames), safe=True) if sort == "form" else None
            if sort != "form" or not has_twin(labels, key):
                yield view.finding(place.path, describe(wrong), at="key", fix=fix)
        for sort, wrong in sorted_out(value, value_problems).items():
            replaces = (Replace(place, problem.replacement, (problem.start, problem.end)) for problem in wrong)
            fix = Fix("write it in NFC", tuple(replaces), safe=True) if sort == "form" else None
            yield view.finding(place.path, describe(wrong), fix=fix)


@rule(FeatureView, severity=Severity.WARNING, prefilter=has_unusual_label)
def twins(view: FeatureView) -> Findings:
    """Flag a key that differs from an earlier one only in its Unicode form."""
    labels = {} if view.labels is None else view.labels
    if all(key.isascii() for key in labels):
        return
    first: dict[str, str] = {}
    for key in labels:
        earlier = first.setdefault(normalize("NFC", key), key)
        if earlier != key:
            message = f'the label key equals "{earlier}" above in normal form (NFC); keep one of them'
            related = (Related("the same key", view.location("labels", earlier), at="key"),)
            yield view.finding(("labels", key), message, at="key", related=related)


def has_twin(labels: dict[str, str], key: str) -> bool:
    """Whether another key has the same composed form, which `twins` tells."""
    return Counter(normalize("NFC", label) for label in labels)[normalize("NFC", key)] > 1


def sorted_out(text: str, problems: tuple[Problem, ...]) -> dict[str, list[Problem]]:
    """The problems of portability by sort: a form that is not composed, marks, or the beginning of a key."""
    sorts: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.code == "unportable":
            marked = category(text[problem.start]) in UNPORTABLE if text else False
            sort = "form" if problem.replacement else "marks" if marked else "beginning"
            sorts.setdefault(sort, []).append(problem)
    return sorts


def describe(wrong: list[Problem]) -> str:
    """The message of the first problem of a sort, and how many more there are."""
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return wrong[0].message + more
