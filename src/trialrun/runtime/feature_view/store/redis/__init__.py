"""An online store in Redis, one node or a cluster.

Entities are in 4,096 buckets by the CRC-32 of their ids. A bucket is a hash tag, so that all keys of a bucket are in
one slot, and one command reads or writes any number of its entities:

| key | what it holds |
|---|---|
| `PREFIX:version` | the version of this schema |
| `PREFIX:{VIEW}:current` | the manifest: what is served, in which layers; one SET of it is the switch |
| `PREFIX:{VIEW}:lock` | who syncs the view; it expires unless it is renewed |
| `PREFIX:{VIEW}:syncs` | the moments of all syncs |
| `PREFIX:{VIEW}:written`, `:sequence` | the buckets that have direct writes, and how many there were |
| `PREFIX:{VIEW}:garbage` | layers that are not served, or not yet, which the next load drops after a kill |
| `PREFIX:{BUCKET}:VIEW:LAYER` | a hash: the rows of a layer by entity; it does not change once it is served |
| `PREFIX:{BUCKET}:VIEW:wLOG` | a hash: the direct writes by entity |

VIEW is a digest of the view's name. A full load makes one layer. An incremental load puts a layer above those that are
served, so that it takes memory for itself only; the row of an entity is in the highest layer that has it. Direct writes
are laid over the rows when they are read, each where it is not older than the row's value: so neither a write nor a
switch has to know of the other.

A reader remembers the manifest for 50 ms, and a load returns no sooner than that after its switch: whoever reads after
a load has returned sees it. Layers that are not served any more expire after a grace period, the lowest first; a reader
that misses a row looks at the manifest again, so that it never takes a layer that is gone for one without the row.

Several processes can load together: see `load_session`.
"""
