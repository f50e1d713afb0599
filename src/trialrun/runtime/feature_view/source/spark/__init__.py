"""Spark, for sources whose rows do not fit on one machine: a session, and the engine that works through it."""
