// A control flow graph as SVG: blocks in layers, from the entry down.

const LINE = 16, CHARACTER = 7.3, PAD = 10, GAP_X = 28, GAP_Y = 44, LANE = 14;
const MOST_CHARACTERS = 46, MOST_LINES = 24;

// Where blocks and edges are. A block is [start, instructions, edges], an edge [label, start].
export function layout(blocks) {
  const index = new Map(blocks.map(([start], at) => [start, at]));
  const next = blocks.map(([, , edges]) => edges.map(([label, start]) => [label, index.get(start)])
    .filter(([, to]) => to !== undefined));
  const { back, order } = searched(next);
  const layer = blocks.map(() => 0);
  for (const at of order) {
    for (const [, to] of next[at]) {
      if (!back.has(`${at} ${to}`)) layer[to] = Math.max(layer[to], layer[at] + 1);
    }
  }
  const boxes = blocks.map(([start, instructions]) => {
    const shown = instructions.slice(0, MOST_LINES).map(cut);
    if (instructions.length > MOST_LINES) shown.push(`… ${instructions.length - MOST_LINES} more`);
    const lines = [`block ${start}`, ...shown];
    const width = Math.max(...lines.map((line) => line.length)) * CHARACTER + 2 * PAD;
    return { start, lines, width, height: lines.length * LINE + PAD };
  });
  const layers = [];
  layer.forEach((number, at) => (layers[number] ??= []).push(at));
  place(layers, boxes, next);
  const outer = {
    left: Math.min(...boxes.map((box) => box.x)) - LANE, right: Math.max(...boxes.map((box) => box.x + box.width)) + LANE,
  };
  const bottoms = layers.map((members) => Math.max(...members.map((at) => boxes[at].y + boxes[at].height)));
  const edges = [];
  next.forEach((targets, at) => targets.forEach(([label, to], port) => {
    const from = boxes[at], goal = boxes[to];
    const x = from.x + from.width * (port + 1) / (targets.length + 1), y = from.y + from.height;
    const kind = label || "next";
    const goalX = goal.x + goal.width / 2 + (kind === "raises" ? 12 : kind === "jump" ? 6 : 0);
    if (layer[to] === layer[at] + 1) {
      const middle = (y + goal.y) / 2;
      edges.push({ kind, path: `M${x} ${y}C${x} ${middle} ${goalX} ${middle} ${goalX} ${goal.y}` });
      return;
    }
    // Past the layers between, in a lane beside all boxes: up on the left, down on the right.
    const isUp = layer[to] <= layer[at];
    const lane = isUp ? (outer.left -= LANE) : (outer.right += LANE);
    const below = bottoms[layer[at]] + 8 + 4 * port;
    edges.push({ kind, path: `M${x} ${y}V${below - 6}Q${x} ${below} ${x + Math.sign(lane - x) * 6} ${below}H${lane}`
      + `V${goal.y - 16}H${goalX}V${goal.y}` });
  }));
  return {
    boxes, edges, x: outer.left - PAD, width: outer.right - outer.left + 2 * PAD,
    height: Math.max(...boxes.map((box) => box.y + box.height)) + 28,
  };
}

const cut = (text) => text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS - 1) + "…" : text;

// A search in depth: the edges that lead back, and the blocks in an order in which every other edge leads forward.
function searched(next) {
  const state = next.map(() => 0), back = new Set(), order = [];
  for (let root = 0; root < next.length; root++) {
    const stack = state[root] ? [] : [[root, 0]];
    if (stack.length) state[root] = 1;
    while (stack.length) {
      const top = stack.at(-1), [at, edge] = top;
      if (edge === next[at].length) {
        state[at] = 2;
        order.unshift(at);
        stack.pop();
        continue;
      }
      top[1]++;
      const to = next[at][edge][1];
      if (state[to] === 1) back.add(`${at} ${to}`);
      if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return { back, order };
}

// Each layer is centred; in it, blocks follow the order of those that lead to them.
function place(layers, boxes, next) {
  const above = boxes.map(() => []);
  next.forEach((targets, at) => targets.forEach(([, to]) => above[to].push(at)));
  let y = 24;
  for (const members of layers) {
    const wish = (at) => {
      const known = above[at].map((one) => boxes[one]).filter((box) => box.x !== undefined);
      const sum = known.reduce((total, box) => total + box.x + box.width / 2, 0);
      return known.length ? sum / known.length : boxes[at].start;
    };
    const wishes = new Map(members.map((at) => [at, wish(at)]));
    members.sort((a, b) => wishes.get(a) - wishes.get(b) || boxes[a].start - boxes[b].start);
    const width = members.reduce((total, at) => total + boxes[at].width + GAP_X, -GAP_X);
    let x = -width / 2;
    for (const at of members) {
      Object.assign(boxes[at], { x, y });
      x += boxes[at].width + GAP_X;
    }
    y += Math.max(...members.map((at) => boxes[at].height)) + GAP_Y;
  }
}

const NAMESPACE = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...inside) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

export function drawn(name, blocks) {
  const { boxes, edges, x, width, height } = layout(blocks);
  const root = svg("svg", { class: "graph", role: "img", viewBox: `${x} 0 ${width} ${height}`, width, height,
    "aria-label": `The control flow graph of ${name}: ${blocks.length} blocks, ${edges.length} edges` });
  for (const { kind, path } of edges) {
    root.append(svg("path", { class: `edge ${kind}`, d: path, "marker-end": `url(#head-${kind})` }));
  }
  for (const box of boxes) {
    root.append(svg("rect", { class: "box", x: box.x, y: box.y, width: box.width, height: box.height, rx: 5 }));
    box.lines.forEach((line, at) => root.append(svg("text", { class: at ? "" : "name", x: box.x + PAD,
      y: box.y + (at + 1) * LINE }, line)));
  }
  return root;
}
