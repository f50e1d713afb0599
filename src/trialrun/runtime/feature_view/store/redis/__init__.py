"""An online store in Redis, one node or a cluster.

Entities are in 4,096 buckets by the CRC-32 of their ids. A bucket is a hash tag, so that all keys of a bucket are in
one slot, and one command reads or writes any number of its entities:

| key | what it holds |
|---|---|
| `PREFIX:version` | the version of this schema |
| `PREFIX:{VIEW}:current` | the manifest: what is served, by the id of a snapshot; one SET of it is the switch |
| `PREFIX:{VIEW}:lock` | who syncs the view; it expires unless it is renewed |
| `PREFIX:{VIEW}:syncs` | the moments of all syncs |
| `PREFIX:{VIEW}:written`, `:sequence` | the buckets that have direct writes, and how many there were |
| `PREFIX:{VIEW}:garbage` | snapshots that are not served, or not yet, which the next load drops after a kill |
| `PREFIX:{BUCKET}:VIEW:ID` | a hash: the rows of a snapshot by entity; it does not change once it is served |
| `PREFIX:{BUCKET}:VIEW:wLOG` | a hash: the direct writes by entity |

VIEW is a digest of the view's name. An incremental load copies the rows that stay into its own snapshot, on the nodes.
Direct writes are laid over the rows when they are read, each where it is not older than the row's value: so neither a
write nor a switch has to know of the other.

A reader remembers the manifest for 50 ms, and a load returns no sooner than that after its switch. A snapshot that is
not served any more expires after a grace period; a reader that finds rows gone looks at the manifest again, so that it
never takes what has expired for an entity without a row. Several processes can load together: see `load_session`.
"""
