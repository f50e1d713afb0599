"""The reference runtime: it carries out what the documents say, on one machine, for dry runs."""
