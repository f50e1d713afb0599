"""What a judge keeps of the resources beside the one that it judges."""

from __future__ import annotations

import gc
import weakref

from tests.service.service_fixture import NOON, RIDERS, SOURCE
from trialrun.lint.selection import default_selection
from trialrun.service.lint_request import RequestLinter
from trialrun.service.resource_json import to_document


def test_a_resource_that_is_gone_is_forgotten() -> None:
    judge = RequestLinter(default_selection(), (), now=lambda: NOON)
    judged, other = (to_document("FeatureView", f"{RIDERS}{number}", {"warehouseSource": SOURCE}) for number in (1, 2))
    judge.check(judged, [other], field="featureView")
    gone = weakref.ref(other)
    del other
    judge.check(judged, [], field="featureView")
    gc.collect()
    assert gone() is None
