"""Filters of list operations: the part of AIP-160 that compares times, texts, lists of texts and labels.

`predicate` turns a filter into a function that says whether a resource is listed.
"""

from trialrun.service.filter.fields import LabelsField, TextField, TextListField, TimeField, compile_filter
from trialrun.service.filter.tokens import FilterError

__all__ = ["FilterError", "LabelsField", "TextField", "TextListField", "TimeField", "compile_filter"]
