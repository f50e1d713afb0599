"""SessionSchema declaration that is not a valid type.

Conditions are checked against these declarations. A type that cannot be parsed declares nothing: every condition is
then checked against the default schema, which is a guess, and real mistakes in conditions go unnoticed.

Basis: best practice; docs/assumptions.md, session-schema: a workspace declares the types and variables of conditions.

Good:

    kind: SessionSchema
    name: session
    types:
      Order: {items: list(Item), subtotal: double, coupon: string?}
      Item: {name: string, quantity: int}
    variables: {order: Order, tags: "map(string, string)"}

Good:

    kind: SessionSchema
    name: order
    types:
      Order: {loyalty: Member}
    variables: {order: Order}
    ---
    kind: SessionSchema
    name: member
    types:
      Member: {id: string}
    variables: {member: Member}

Bad:

    kind: SessionSchema
    name: session
    types:
      Order: {items: list(Itm), subtotal: float}  # <- "Itm"
      # line 4 <- "float"
      Item: {name: string}
    variables:
      order: Ordr  # <- "Ordr"

Fixed:

    kind: SessionSchema
    name: session
    types:
      Order: {items: list(Item), subtotal: double}

      Item: {name: string}
    variables:
      order: Order

Bad:

    kind: SessionSchema
    types:
      Order:
        in: string  # <- "in" is a reserved word of CEL; rename the field
        status: enum(open, closed, open)  # <- duplicate enum value "open"; remove one
    variables: {order: Order}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Rename, Replace, Severity
from trialrun.lint.rule import Context, Findings, rule

if TYPE_CHECKING:
    from trialrun.model.companion import SessionSchema


@rule("SessionSchema", severity=Severity.ERROR)
def check(declared: SessionSchema, context: Context) -> Findings:
    """Flag each type text, and each name, that the checker of conditions cannot take; other documents add types."""
    from trialrun.values import cel

    beside = cel.type_names(context.session.schema)
    for error in cel.schema_errors(declared.types or {}, declared.variables or {}, beside=beside):
        place, chars = declared.location(*error.path), (error.start, error.end)
        fix = None
        if error.replacement is not None:
            change = Rename if error.in_name else Replace
            fix = Fix(f"write {error.replacement}", (change(place, error.replacement, chars),))
        yield declared.finding(error.path, error.message, at="key" if error.in_name else "place", chars=chars, fix=fix)
