/**
 * A workflow as a drawing: every step in the layer after the last of those it comes after, and arrows
 * that pass through the layers between without crossing a step.
 */

export interface GraphStep {
  readonly name: string;
  readonly after: readonly string[];
}

export interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Graph {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

export interface GraphShape {
  readonly boxWidth: number;
  readonly boxHeight: number;
  /** Between layers, and between boxes of one layer. */
  readonly layerGap: number;
  readonly boxGap: number;
  /** Layers from left to right, or from top to bottom. */
  readonly down: boolean;
}

/** A step, or the passage of a long arrow through a layer. */
interface Place {
  readonly key: string;
  readonly step: string | null;
  readonly before: readonly string[];
  /** Across the layers: where its middle is. */
  middle: number;
}

const wayThrough = 16;

export function graphLayout(steps: readonly GraphStep[], shape: GraphShape): Graph {
  const layers = placed(steps);
  const across = shape.down ? shape.boxWidth : shape.boxHeight;
  const along = shape.down ? shape.boxHeight : shape.boxWidth;
  const size = ({ step }: Place) => (step === null ? wayThrough : across);
  const lengths = layers.map((layer) =>
    layer.reduce((sum, place) => sum + size(place) + shape.boxGap, -shape.boxGap),
  );
  const longest = Math.max(0, ...lengths);
  for (const [index, layer] of layers.entries()) {
    let start = (longest - (lengths[index] ?? 0)) / 2;
    for (const place of layer) {
      place.middle = start + size(place) / 2;
      start += size(place) + shape.boxGap;
    }
  }
  const begins = (layer: number) => layer * (along + shape.layerGap);
  const point = (alongAt: number, acrossAt: number): Point =>
    shape.down ? [acrossAt, alongAt] : [alongAt, acrossAt];
  const depth = Math.max(0, begins(layers.length) - shape.layerGap);
  const [width, height] = point(depth, longest);
  const boxes = layers.flatMap((layer, index) =>
    layer.flatMap(({ step, middle }) => {
      if (step === null) return [];
      const [x, y] = point(begins(index), middle - across / 2);
      return [{ name: step, x, y }];
    }),
  );
  return { width, height, boxes, edges: edges(steps, layers, { begins, along, point }) };
}

type Point = readonly [x: number, y: number];

interface Measures {
  readonly begins: (layer: number) => number;
  readonly along: number;
  readonly point: (along: number, across: number) => Point;
}

function edges(
  steps: readonly GraphStep[],
  layers: readonly (readonly Place[])[],
  { begins, along, point }: Measures,
): Graph['edges'] {
  const found = new Map<string, { layer: number; middle: number }>();
  for (const [layer, places] of layers.entries()) {
    for (const { key, middle } of places) found.set(key, { layer, middle });
  }
  return steps.flatMap(({ name, after }) =>
    after.flatMap((from) => {
      const start = found.get(from);
      const end = found.get(name);
      if (start === undefined || end === undefined) return [];
      let path = `M${point(begins(start.layer) + along, start.middle).join(' ')}`;
      let last = point(begins(start.layer) + along, start.middle);
      const to = (next: Point) => {
        path += curve(last, next, point);
        last = next;
      };
      for (let layer = start.layer + 1; layer < end.layer; layer += 1) {
        const way = found.get(wayKey(from, name, layer));
        if (way === undefined) continue;
        to(point(begins(layer), way.middle));
        path += `L${point(begins(layer) + along, way.middle).join(' ')}`;
        last = point(begins(layer) + along, way.middle);
      }
      to(point(begins(end.layer), end.middle));
      return [{ from, to: name, path }];
    }),
  );
}

/** An S whose ends run along the layers. */
function curve([x1, y1]: Point, [x2, y2]: Point, point: Measures['point']): string {
  const isDown = point(1, 0)[1] === 1;
  const half = isDown ? (y2 - y1) / 2 : (x2 - x1) / 2;
  const first = isDown ? [x1, y1 + half] : [x1 + half, y1];
  const second = isDown ? [x2, y2 - half] : [x2 - half, y2];
  return `C${first.join(' ')} ${second.join(' ')} ${x2} ${y2}`;
}

const wayKey = (from: string, to: string, layer: number) => `${from}>${to}@${layer}`;

/** Layers of places; each layer is sorted by the positions of the predecessors. */
function placed(steps: readonly GraphStep[]): Place[][] {
  const layerOf = layersOf(steps);
  const layers: Place[][] = [];
  const add = (layer: number, key: string, step: string | null, before: readonly string[]) => {
    layers[layer] ??= [];
    layers[layer].push({ key, step, before, middle: 0 });
  };
  for (const { name, after } of steps) {
    const own = layerOf.get(name) ?? 0;
    const before = after.map((from) => {
      let last = from;
      for (let layer = (layerOf.get(from) ?? 0) + 1; layer < own; layer += 1) {
        const key = wayKey(from, name, layer);
        add(layer, key, null, [last]);
        last = key;
      }
      return last;
    });
    add(own, name, name, before);
  }
  const order = new Map<string, number>();
  for (const layer of layers) {
    const rank = ({ before }: Place) => {
      const known = before.flatMap((key) => order.get(key) ?? []);
      return known.length === 0
        ? 0
        : known.reduce((sum, position) => sum + position, 0) / known.length;
    };
    // Passages last at equal ranks: the box above, the passing arrow below.
    layer.sort((a, b) => rank(a) - rank(b) || Number(a.step === null) - Number(b.step === null));
    for (const [at, { key }] of layer.entries()) order.set(key, at - (layer.length - 1) / 2);
  }
  return layers;
}

function layersOf(steps: readonly GraphStep[]): ReadonlyMap<string, number> {
  const known = new Map(steps.map((step) => [step.name, step]));
  const layerOf = new Map<string, number>();
  const find = (name: string): number => {
    const found = layerOf.get(name);
    if (found !== undefined) return found;
    const after = known.get(name)?.after.filter((before) => known.has(before)) ?? [];
    const layer = after.length === 0 ? 0 : 1 + Math.max(...after.map(find));
    layerOf.set(name, layer);
    return layer;
  };
  for (const { name } of steps) find(name);
  return layerOf;
}
