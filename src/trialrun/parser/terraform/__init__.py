"""Files of Terraform and OpenTofu as documents: one for each resource of ours, with the places of its arguments.

Nothing is executed and no other file is read, but for a JSON schema of a table that the file names. A value that only
Terraform knows is `Unknown`.
"""
