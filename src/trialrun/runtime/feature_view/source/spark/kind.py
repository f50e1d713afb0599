"""What plans know of Spark before it is started."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.source.interface import Engine, EngineKind
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.feature_view.source.spark.statement import SPARK_DIALECT
from trialrun.runtime.options import Options


def _open_spark(places: Sequence[TableLocation], options: Options) -> Engine:
    from trialrun.runtime.feature_view.source.spark.engine import SparkEngine

    return SparkEngine(places, options)


SPARK = EngineKind(
    "Spark",
    SPARK_DIALECT,
    open=_open_spark,
    assumptions=("sync-spark",),
)
