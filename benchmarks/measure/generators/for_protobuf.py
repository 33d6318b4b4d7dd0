"""Protocol Buffers and gRPC: the modules that protoc writes for messages and services."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROTO = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum Kind { UNKNOWN = 0; GOOD = 1 [deprecated = true]; }
message Item { string name = 1; optional int64 price = 2; repeated Kind kinds = 3; map<string, Item> parts = 4;
  oneof either { bytes data = 5; google.protobuf.Timestamp at = 6; } message Inner { double d = 1; } Inner inner = 7; }
service Shop { rpc Get(Item) returns (Item); rpc List(Item) returns (stream Item); rpc Put(stream Item) returns (Item);
  rpc Both(stream Item) returns (stream Item); }
"""


def generate(folder):
    from grpc_tools import protoc

    path = Path(folder, "shop.proto")
    path.write_text(PROTO)
    include = os.path.join(os.path.dirname(protoc.__file__), "_proto")
    protoc.main(["", f"-I{folder}", f"-I{include}", f"--python_out={folder}", f"--grpc_python_out={folder}", f"--pyi_out={folder}", str(path)])
    codes = []
    for made in sorted(Path(folder).glob("*.py*")):
        codes.append(compile(made.read_text(), made.name, "exec", dont_inherit=True))
    sys.path.insert(0, folder)
    import shop_pb2

    shop_pb2.Item(name="a")
    return codes
