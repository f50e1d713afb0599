"""JSON output of commands, for the command line and the library: each result is one class, and its schema comes of it.

What the library answers with is a TypedDict, since its answers are the objects of JSON. Other results may be
dataclasses of pydantic, which text and JSON are printed from; where the runtime has the same parts, they are its own.
"""
