/** `prove` finds mistakes that are planted in a workflow of six steps, and none in the sound one. */
import { expect, test } from 'vitest';
import { defineProof, ProofError } from '#testing/prove/proof.ts';
import { NotProvenError, proofReport, prove } from '#testing/prove/prove.ts';
import { type Mistake, proof, tripProof } from './trip.ts';

const found: readonly (readonly [Mistake, readonly string[], RegExp])[] = [
  ['no tombstone', ['effect-left'], /tombstone/],
  ['key ignored', ['effect-left', 'effect-unknown'], /twice|still in force/],
  ['forgotten branch', ['effect-left'], /book-hotel-spa of book-hotel at hotel is still there/],
  ['short deadline', ['deadline-short'], /completeWithin is 4000 ms/],
  ['clock in the output', ['output-changes'], /The agent card answered pay of order-\d+ with/],
  ['chance in the input', ['not-pure'], /`input` of the step book-flight of trip/],
  ['missing undo', ['effect-left'], /contract of its agent says that an undo is unneeded/],
  ['late agent', ['agent-late'], /after the deadline of its attempt/],
  ['key of its own', ['effect-left', 'effect-unknown'], /book-hotel/],
];

test.each(found)(
  '%s is found in at most 200 worlds, and explained',
  async (mistake, rules, text) => {
    const report = await proofReport(defineProof(tripProof(mistake)));
    expect(report.isProven).toBe(false);
    const [first] = report.mistakes;
    expect(rules).toContain(first?.rule);
    expect(report.text).toMatch(text);
    expect(first?.shortest.story.at(-1)).toMatch(/BROKEN/);
  },
  120_000,
);

test('the sound workflow is proven in 200 worlds, with faults of most kinds', async () => {
  const report = await prove(proof);
  expect(report).toMatchObject({ isProven: true, worlds: 200, mistakes: [] });
  expect(report.orders).toBeGreaterThan(600);
  expect(report.faults.size).toBeGreaterThan(50);
}, 120_000);

test('a mistake rejects with the story as its message', async () => {
  const failed = await prove(tripProof('forgotten branch')).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(NotProvenError);
  if (failed instanceof NotProvenError) expect(failed.message).toBe(failed.report.text);
});

test('a seed shows its mistake again', async () => {
  const options = tripProof('key ignored');
  const first = await proofReport(defineProof(options));
  const seed = first.mistakes[0]?.seed ?? 0;
  const again = await proofReport(defineProof({ ...options, firstSeed: seed, seeds: 1 }));
  expect(again.mistakes).toEqual(first.mistakes);
}, 60_000);

test('the clock of the process is its own again after a proof', async () => {
  const { Date: date } = globalThis;
  await prove({ ...tripProof(null), seeds: 1 });
  expect(globalThis.Date).toBe(date);
  expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
});

test('details that the workflow does not accept are refused before anything runs', () => {
  const options = { ...tripProof(null), orders: () => ({ to: 'Oslo' }) };
  expect(() => defineProof(options)).toThrow(ProofError);
  expect(() => defineProof(options)).toThrow(/The workflow trip does not accept .*nights/);
});

test('no workflow, and no whole number of seeds, are refused', () => {
  expect(() => defineProof({ ...tripProof(null), workflows: [] })).toThrow(/no workflow/);
  expect(() => defineProof({ ...tripProof(null), seeds: 0.5 })).toThrow(/not 0.5/);
});
