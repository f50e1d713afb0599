"""Tables of Iceberg on this machine: the Parquet files of a snapshot, and how their columns are those of the table.

The metadata says where everything is, in absolute paths and addresses that a stranger may have written. Each is
followed through the one guarded door, and nothing is ever connected to. What cannot be read exactly is refused by name.
"""
