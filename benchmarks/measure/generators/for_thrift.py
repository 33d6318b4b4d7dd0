"""thriftpy2: what it makes of an interface file."""

from __future__ import annotations

from pathlib import Path

import thriftpy2

FILE = """namespace py shop
const i32 LIMIT = 3
typedef list<string> Names
enum Kind { GOOD = 1, BAD = 2 }
struct Item { 1: required string name, 2: optional i64 price = 5, 3: list<Kind> kinds = [1], 4: map<string, Names> parts = {} }
union Either { 1: string a, 2: i32 b }
exception Failed { 1: string why = "no" }
service Base { void ping(), oneway void send(1: Item item) }
service Shop extends Base { Item get(1: string name, 2: Kind kind = 1) throws (1: Failed failed), list<Item> all() }
"""


def generate(folder):
    path = Path(folder, "shop.thrift")
    path.write_text(FILE)
    module = thriftpy2.load(str(path), module_name="shop_thrift")
    made = [module.Item("a"), module.Either(a="b"), module.Failed(), module.Shop.get_args("a"), module.Shop.get_result()]
    return [type(one).__init__.__code__ for one in made]
