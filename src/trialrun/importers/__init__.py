"""Imports: resources from an API, Terraform, table schemas and other programs, as documents in canonical YAML.

An importer is a function from input files to documents and notes (`interface.py`). `run.py` knows the importers,
and `write.py` writes the documents and checks them. Nothing is fetched, and no input is trusted.
"""
