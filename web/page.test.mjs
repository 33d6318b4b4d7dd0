// `node --test web/`: what needs no browser.

import assert from "node:assert";
import test from "node:test";

import { choose, madeBy } from "./choose.mjs";
import { layout } from "./draw.mjs";

const ABOUT = { built: ["3.9", "3.10", "3.13"], magic: { 3.8: [3413], 3.9: [3425], "3.10": [3430, 3439], 3.13: [3571] } };
const file = (magic) => new Uint8Array([magic & 255, magic >> 8, 13, 10, 0, 0, 0, 0]);
const text = new TextEncoder().encode("x = 1");

test("the maker of a file is found by its magic number", () => {
  assert.strictEqual(madeBy(file(3439), ABOUT), "3.10");
  assert.strictEqual(madeBy(file(3413), ABOUT), "3.8");
  assert.strictEqual(madeBy(file(9999), ABOUT), null);
  assert.strictEqual(madeBy(text, ABOUT), null);
  assert.strictEqual(madeBy(new Uint8Array(), ABOUT), null);
});

test("a file is decompiled by its own CPython, or the newest", () => {
  assert.strictEqual(choose(file(3430), ABOUT), "3.10");
  assert.strictEqual(choose(file(3430), ABOUT, "3.13"), "3.10");
  assert.strictEqual(choose(file(3413), ABOUT), "3.13");
  assert.strictEqual(choose(text, ABOUT), "3.13");
  assert.strictEqual(choose(text, ABOUT, "3.9"), "3.9");
  assert.strictEqual(choose(text, ABOUT, "2.7"), "3.13");
});

test("blocks do not overlap, and edges lead down unless they lead back", () => {
  const blocks = [[0, ["A"], [["", 1], ["jump", 2]]], [1, ["B".repeat(90)], [["jump", 3], ["raises", 4]]],
    [2, ["C"], [["", 3]]], [3, ["D"], [["jump", 0]]], [4, ["E"], []]];
  const { boxes, edges, x, width } = layout(blocks);
  for (const one of boxes) {
    for (const other of boxes) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x
        || one.y + one.height <= other.y || other.y + other.height <= one.y;
      assert.ok(one === other || apart, `${one.start} and ${other.start}`);
    }
    assert.ok(one.x >= x && one.x + one.width <= x + width);
  }
  assert.ok(boxes[0].y < boxes[1].y && boxes[1].y < boxes[3].y);
  assert.strictEqual(edges.length, 6);
});

test("blocks that nothing leads to, and a block that leads to itself, have a place", () => {
  const { boxes } = layout([[0, [], [["jump", 0]]], [1, ["X"], []]]);
  assert.ok(boxes.every((box) => Number.isFinite(box.x) && Number.isFinite(box.y)));
});
