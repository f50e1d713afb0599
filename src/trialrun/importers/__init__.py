"""Imports: resources from an API, Terraform, table schemas and other programs, as documents in canonical YAML.

An importer is a function from input files to documents and notes (`interface.py`). `detect.py` knows the importers,
`write.py` writes the documents, and `findings.py` checks them. Nothing is fetched, and no input is trusted.
"""
