"""The engine starts without the protobuf package, which others can import at any time."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.cases import each_of
from tests.program import SOURCE

CHECK = """
import sys
from trialrun.values.cel import check_expression
result = check_expression("order.subtotal > 1.0 && timestamp('2026-01-01T00:00:00Z').getFullYear() > 3")
assert result.problems == (), result.problems
assert not [name for name in sys.modules if name.startswith("google.protobuf")]
"""
EVALUATION = """
import sys
from trialrun.values.cel.environment import engine_with, plain_engine
for engine in (plain_engine(("a",)), engine_with(("a",), {"given": lambda: 3})):
    assert engine.compile("a.b + 1").eval(data={"a": {"b": 2}}).value() == 3
    assert engine.compile("[duration('3s'), {'a': google.protobuf.Struct{}}]").eval(data={"a": 1}).value()
assert not [name for name in sys.modules if name.startswith("google.protobuf")]
"""
IMPORT_AFTERWARDS = (
    CHECK
    + """
from google.protobuf import descriptor_pb2, message_factory
assert message_factory.GetMessageClass(descriptor_pb2.FileDescriptorProto.DESCRIPTOR)
assert message_factory.__file__.endswith("message_factory.py")
"""
)
IMPORT_MEANWHILE = """
import sys
from trialrun.values.cel.protobuf_import import MESSAGE_FACTORY, protobuf_on_demand
with protobuf_on_demand():
    from google.protobuf import message_factory as meanwhile, descriptor_pb2
    made = meanwhile.GetMessageClass(descriptor_pb2.FileDescriptorProto.DESCRIPTOR)
    others = meanwhile.GetMessageClassesForFiles
from google.protobuf import message_factory
assert made is message_factory.GetMessageClass(descriptor_pb2.FileDescriptorProto.DESCRIPTOR)
assert others is message_factory.GetMessageClassesForFiles
assert sys.modules[MESSAGE_FACTORY] is message_factory
assert message_factory.__file__
"""
IMPORT_BEFORE = """
from google.protobuf import message_factory
import sys
from trialrun.values.cel.protobuf_import import MESSAGE_FACTORY, protobuf_on_demand
with protobuf_on_demand():
    assert sys.modules[MESSAGE_FACTORY] is message_factory
assert sys.modules[MESSAGE_FACTORY] is message_factory
"""


PROGRAMS = {
    "check": CHECK,
    "evaluation": EVALUATION,
    "import afterwards": IMPORT_AFTERWARDS,
    "import meanwhile": IMPORT_MEANWHILE,
    "import before": IMPORT_BEFORE,
}


@each_of(PROGRAMS)
def test_protobuf_is_imported_by_nobody_or_as_ever(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
