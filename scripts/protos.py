"""Compile src/trialrun/server/grpc/protos into messages.binpb, which the gRPC server loads; needs grpcio-tools.

python scripts/protos.py
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

GRPC = Path(__file__).parent.parent / "src/trialrun/server/grpc"
PROTOS = GRPC / "protos"
COMPILED = GRPC / "messages.binpb"
VERSIONED = "feature_store"
PACKAGE = "package google.cloud.aiplatform.v1;"
BETA_PACKAGE = "package google.cloud.aiplatform.v1beta1;"


def compile_protos() -> bytes:
    """The descriptors of all files, those of both API versions and those that they import."""
    from grpc_tools import protoc

    well_known = Path(protoc.__file__).parent / "_proto"
    with TemporaryDirectory() as name:
        folder, result = Path(name), Path(name, "result")
        for path in PROTOS.glob("*.proto"):
            (folder / path.name).write_bytes(path.read_bytes())
        beta = (PROTOS / f"{VERSIONED}.proto").read_text(encoding="utf-8").replace(PACKAGE, BETA_PACKAGE)
        (folder / f"{VERSIONED}_v1beta1.proto").write_text(beta, encoding="utf-8")
        files = sorted(str(path) for path in folder.glob("*.proto"))
        options = [f"-I{folder}", f"-I{well_known}", "--include_imports", f"--descriptor_set_out={result}"]
        if protoc.main(["protoc", *options, *files]):
            raise SystemExit("protos: they do not compile")
        return result.read_bytes()


if __name__ == "__main__":
    COMPILED.write_bytes(compile_protos())
    print(f"wrote {COMPILED.relative_to(Path.cwd())}")
