"""Reference runtime: executes what the documents describe, on one machine, for dry runs."""
