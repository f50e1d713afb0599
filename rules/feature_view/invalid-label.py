"""Label with a character that is not allowed.

Keys and values of labels are lower-case letters, digits, underscores and dashes. Letters and digits of any script are
allowed, with the marks and joiners that it is spelled with (`unportable-label` warns about those). Capitals, spaces,
punctuation, symbols and emoji are not: the service refuses the whole view because of one of them. Only labels of the
service contain a slash, after the prefix of the setting `system-label-prefix`.

Specification: feature-view, section 8, Limits, label characters: "lowercase letters, digits, underscores, dashes;
international characters allowed".

Good, as FeatureView:

    labels:
      team: search
      größe: mittel_2-1
      都市: 東京
      خانه: می‌خواهم
      empty: ""

Good, as FeatureView, with system-label-prefix = acme.example:

    labels: {acme.example/Owner: search}

Bad, as FeatureView:

    labels:
      Team: Search  # <- capital "T" in a label; write "t"
      # line 2 <- capital "S" in a label; write "s"

Fixed, as FeatureView:

    labels:
      team: search

Bad, as FeatureView:

    labels:
      Team: 5  # <- capital "T" in a label; write "t"

Bad, as FeatureView:

    labels:
      costCenter: ICH-4411  # <- capital "C" in a label
      # line 2 <- capital "ICH" in a label; write "ich"
      "cost center": "a.b"  # <- character " " in a label
      # line 4 <- character "." in a label
      a/b: ok  # <- "/" outside a system prefix
      phase: Ⅷ😀  # <- "Ⅷ", "😀" in a label value

Bad, as FeatureView:

    labels:
      MyApp: API-Gateway  # <- capitals in the label key "MyApp"; write "myapp"
      # line 2 <- capitals in the label value "API-Gateway"; write "api-gateway"

Bad, as FeatureView:

    labels: {team: TODO, env: "${ENV}"}  # <- TODO is a placeholder; fill it in
    # line 1 <- ${ENV} is a placeholder; fill it in

Bad, as FeatureView:

    labels:
      env: dev
      ENV: PROD  # <- capital "ENV" in a label; write "env"
      # line 3 <- capital "PROD" in a label; write "prod"

Fixed, as FeatureView:

    labels:
      env: dev
      ENV: prod
"""

from trialrun.diagnostic import Chars, Fix, Rename, Replace, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.texts import has_unusual_label, placeholders
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import valid_keys
from trialrun.values import Problem
from trialrun.values.label import USE
from trialrun.values.label import check as problems_of


@rule(FeatureView, severity=Severity.ERROR, options={"system-label-prefix": None}, prefilter=has_unusual_label)
def check(view: FeatureView, context: Context) -> Findings:
    """Flag each key and each value once, however many of its characters are wrong."""
    labels = {} if view.labels is None else view.labels
    prefix = (context.options["system-label-prefix"] or "").rstrip("/") or None
    taken = set(labels)
    for key in valid_keys(labels):
        value = labels.get(key, "")
        key_problems = problems_of(key, what="key", system_prefix=prefix)
        value_problems = problems_of(value, what="value")
        if not key_problems and not value_problems:  # as of nearly every label, for which no place is worked out
            continue
        place = view.location("labels", key)
        if wrong := invalid(key_problems):
            better, fix = lowered(key, wrong), None
            if better is not None and better not in taken:
                taken.add(better)
                chars, part = changed(key, better, wrong)
                fix = Fix(f'rename to "{better}"', (Rename(place, part, chars),))
            yield view.finding(place.path, describe(key, "key", wrong), at="key", fix=fix)
        if wrong := invalid(value_problems):
            better, fix = lowered(value, wrong), None
            if better is not None:
                chars, part = changed(value, better, wrong)
                fix = Fix(f'use "{better}"', (Replace(place, part, chars),))
            yield view.finding(place.path, describe(value, "value", wrong), fix=fix)


def invalid(problems: tuple[Problem, ...]) -> list[Problem]:
    """The problems that are errors."""
    return [problem for problem in problems if problem.code == "invalid"]


def lowered(text: str, wrong: list[Problem]) -> str | None:
    """The text in lower case, where capitals are all that is wrong with it, and not those of a placeholder."""
    if placeholders(text, "invalid"):
        return None
    for problem in reversed(wrong):
        if problem.replacement is None:
            return None
        text = text[: problem.start] + problem.replacement + text[problem.end :]
    return text


def changed(text: str, better: str, wrong: list[Problem]) -> tuple[Chars, str]:
    """The characters from the first wrong one to the last, and what stands there in the better text."""
    start, end = wrong[0].start, wrong[-1].end
    return (start, end), better[start : len(better) - (len(text) - end)]


def describe(text: str, what: str, wrong: list[Problem]) -> str:
    """The message: of a placeholder, of the one run of wrong characters, or of all of them together."""
    if unfilled := placeholders(text, "invalid"):
        return unfilled[0].message
    if len(wrong) == 1:
        return wrong[0].message
    if (better := lowered(text, wrong)) is not None:
        return f'capitals in the label {what} "{text}"; write "{better}"'
    runs = dict.fromkeys(f'"{repr(text[problem.start : problem.end])[1:-1]}"' for problem in wrong)
    return f"{', '.join(runs)} in a label {what}; {USE}"
