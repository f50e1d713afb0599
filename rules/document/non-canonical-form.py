"""Name or value that is not in its documented form.

Readers of the JSON form of protocol buffers also accept snake_case names, enum values by number, int64 as a number and
whole numbers with a decimal point. Other readers do not, many round a number above 2^53, and a field with two names is
hard to search for. A larger number that is written as a float, such as 1.234567890123457e+18, has mostly lost its last
digits in a spreadsheet or a script: what it was is not in the file, so the fix is unsafe.

Basis: the JSON form of protocol buffers, and the tables of both specifications, which show camelCase names, enum values
by name and int64 as text.

Good, as FeatureRegistrySource:

    featureGroups: [{featureGroupId: users, featureIds: [age]}]
    projectNumber: "123456789012"

Bad, as FeatureRegistrySource:

    feature_groups:  # <- "feature_groups" is the snake_case spelling; write "featureGroups"
      - featureGroupId: users
        featureIds: [age]
    projectNumber: 123456789012  # <- write "123456789012"

Fixed, as FeatureRegistrySource:

    featureGroups:
      - featureGroupId: users
        featureIds: [age]
    projectNumber: "123456789012"

Bad, as RagSource:

    uri: bq://acme.rag.chunks
    ragCorpusId: 1.234567890123457e+18  # <- a float on its way, whose last digits may be lost; look it up, or write

Bad, as AutomaticResources:

    minReplicaCount: "2"  # <- "2" is not the documented form of an integer; write 2
    maxReplicaCount: 6.0  # <- 6.0 is not the documented form of an integer; write 6

Fixed, as AutomaticResources:

    minReplicaCount: 2
    maxReplicaCount: 6

Bad:

    kind: ChannelConfig
    type: 1  # <- 1 is an enum value by number; write UPSELL_STRATEGY

Fixed:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
"""

from trialrun.diagnostic import Fix, Rename, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import NonCanonicalForm
from trialrun.parser.scalars import format_float


@rule(NonCanonicalForm, severity=Severity.WARNING)
def check(misfit: NonCanonicalForm) -> Findings:
    """Flag the key or the value, and write it in the form that is shown."""
    title = f"write {misfit.canonical}"
    if misfit.is_key:
        fix = Fix(title, (Rename(misfit.location, misfit.canonical),), safe=True)
        yield misfit.finding(misfit.message, at="key", fix=fix)
        return
    replace = Replace(misfit.location, misfit.canonical)
    what_to_do = f"; write {format_float(misfit.canonical)}" if isinstance(misfit.canonical, float) else ""
    yield misfit.finding(misfit.message + what_to_do, fix=Fix(title, (replace,), safe=not misfit.may_lack_digits))
