"""JSON output of commands, for the command line and the library: each result is one class, and its schema comes of it.

What the library answers with is mostly a TypedDict, since its answers are the objects of JSON. Other results are
dataclasses, which text and JSON are printed from; where the runtime has the same parts, as of a session, they are its
own, and `serialization` has what these say of JSON.
"""
