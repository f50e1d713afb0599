"""Random exploration of sessions at a store: anomalies, each with a shortest script that shows it."""
