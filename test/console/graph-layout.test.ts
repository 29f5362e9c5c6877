import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GraphStep, graphLayout } from '#console/chart/graph-layout.ts';

const shape = { boxWidth: 100, boxHeight: 40, layerGap: 50, boxGap: 20, down: false };

/** Steps that come after any of those before them. */
const workflows: fc.Arbitrary<GraphStep[]> = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 12 })
  .map((choices) =>
    choices.map((chosen, at) => ({
      name: `s${at}`,
      after: at === 0 ? [] : [...new Set(chosen.map((choice) => `s${choice % at}`))],
    })),
  );

test.each([false, true])(
  'no box lies on another, and all lie in the drawing (down: %s)',
  (down) => {
    fc.assert(
      fc.property(workflows, (steps) => {
        const { boxes, width, height } = graphLayout(steps, { ...shape, down });
        expect(boxes).toHaveLength(steps.length);
        for (const [at, box] of boxes.entries()) {
          expect(box.x).toBeGreaterThanOrEqual(0);
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.x + shape.boxWidth).toBeLessThanOrEqual(width + 0.001);
          expect(box.y + shape.boxHeight).toBeLessThanOrEqual(height + 0.001);
          for (const other of boxes.slice(at + 1)) {
            const apart =
              Math.abs(box.x - other.x) >= shape.boxWidth ||
              Math.abs(box.y - other.y) >= shape.boxHeight;
            expect(apart).toBe(true);
          }
        }
      }),
    );
  },
);

test('every step lies after all it comes after, with an arrow from each', () => {
  fc.assert(
    fc.property(workflows, (steps) => {
      const { boxes, edges } = graphLayout(steps, shape);
      const x = new Map(boxes.map((box) => [box.name, box.x]));
      expect(edges).toHaveLength(steps.flatMap(({ after }) => after).length);
      for (const { from, to, path } of edges) {
        expect(x.get(to) ?? 0).toBeGreaterThan(x.get(from) ?? 0);
        expect(path).not.toContain('NaN');
      }
    }),
  );
});

test('a long arrow passes the steps between at their side', () => {
  const steps = [
    { name: 'a', after: [] },
    { name: 'b', after: ['a'] },
    { name: 'c', after: ['a', 'b'] },
  ];
  const { boxes, edges } = graphLayout(steps, shape);
  const between = boxes.find(({ name }) => name === 'b');
  const long = edges.find(({ from, to }) => from === 'a' && to === 'c');
  const [, , y] = /L([\d.]+) ([\d.]+)/.exec(long?.path ?? '') ?? [];
  expect(Number(y)).toBeGreaterThan((between?.y ?? 0) + shape.boxHeight);
});
