/** `prove` and its report, on a workflow of six steps. */
import { expect, test } from 'vitest';
import { ProofError } from '#testing/prove/orders/proof-error.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { NotProvenError } from '#testing/prove/proof-report.ts';
import { proofReport, prove } from '#testing/prove/prove.ts';
import { proof, tripProof } from './trip.ts';

test('the sound workflow is proven in 200 worlds, with faults of most kinds', async () => {
  const report = await prove(proof);
  expect(report).toMatchObject({ isProven: true, worlds: 200, mistakes: [] });
  expect(report.orders).toBeGreaterThan(600);
  expect(report.faults.size).toBeGreaterThan(50);
});

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
}, 180_000);

test('the clock of the process is its own again after a proof', async () => {
  const { Date: date } = globalThis;
  await prove({ ...tripProof(null), seeds: 1 });
  expect(globalThis.Date).toBe(date);
  expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
});

test('details that the workflow does not accept are refused before anything runs', () => {
  const options = { ...tripProof(null), orders: () => ({ to: 'Oslo' }) };
  expect(() => defineProof(options)).toThrow(ProofError);
  expect(() => defineProof(options)).toThrow(/which workflow trip@1 does not accept: .*nights/);
});

test('no workflow, and no whole number of seeds, are refused', () => {
  expect(() => defineProof({ ...tripProof(null), workflows: [] })).toThrow(/no workflow/);
  expect(() => defineProof({ ...tripProof(null), seeds: 0.5 })).toThrow(/not 0.5/);
});
