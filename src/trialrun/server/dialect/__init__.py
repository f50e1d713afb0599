"""The words in which clients write requests and read responses."""

from trialrun.server.dialect.interface import Dialect
from trialrun.server.dialect.specification import SpecificationDialect
from trialrun.server.dialect.vendor import VendorDialect
from trialrun.server.options import DialectName


def dialect_of(name: DialectName) -> Dialect:
    """The dialect of a name."""
    return VendorDialect() if name == "vendor" else SpecificationDialect()


__all__ = ["Dialect", "SpecificationDialect", "VendorDialect", "dialect_of"]
