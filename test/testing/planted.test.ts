/** `prove` finds the mistakes that are planted in two workflows, and tells each as a short story. */
import { expect, test, vi } from 'vitest';
import { defineProof, type ProofOptions } from '#testing/prove/proof.ts';
import { proofReport, prove } from '#testing/prove/prove.ts';
import { rentalProof, type Slip, slips } from './rental.ts';
import { type Mistake, tripProof } from './trip.ts';

// Each test simulates up to some hundred worlds: seconds of a free processor.
vi.setConfig({ testTimeout: 300_000 });

/** `prove` simulates 200 by default. */
const worldsMax = 30;
const linesMax = 15;

/** What the report says first, and a part of its text. */
type Expected = readonly [rules: readonly string[], text: RegExp];

const ofTrip: Readonly<Record<Mistake, Expected>> = {
  'no tombstone': [['effect-left'], /tombstone/],
  'key ignored': [['effect-left', 'effect-unknown'], /twice|still in force/],
  'forgotten branch': [['effect-left'], /book-hotel-spa of book-hotel at hotel is still there/],
  'short deadline': [['deadline-short'], /completeWithin is 4000 ms/],
  'clock in the output': [['output-changes'], /The agent card answered pay of order-\d+ with/],
  'chance in the input': [['not-pure'], /`input` of the step book-flight of trip/],
  'missing undo': [['effect-left'], /contract of its agent says that an undo is unneeded/],
  'late agent': [['agent-late'], /after the deadline of its attempt/],
  'key of its own': [['effect-left', 'effect-unknown'], /book-hotel/],
  'undo swallows': [['fault-swallowed'], /The undo of card for pay of order-1 has returned/],
};

/** No world shows them: docs/testing.md says so. */
const unseen = ['state of the module', 'fault held'] as const satisfies readonly Slip[];

const ofRental: Readonly<Record<Exclude<Slip, (typeof unseen)[number]>, Expected>> = {
  'undo swallows': [['fault-swallowed'], /The undo of payment for \w+ of order-1 has returned/],
  'undo swallows a branch': [['effect-left'], /receipt of \w+ at bank is still there/],
  'undo trusts the output': [['effect-left'], /also where the output is null/],
  'undo reads the output': [['undo-fails'], /Cannot read properties of null/],
  'undo needs an effect': [['undo-fails'], /There is no such charge/],
  'undo gives twice': [['effect-left'], /the effect credit-1 of/],
  'perform swallows': [['fault-swallowed', 'output-changes'], /The (perform of|agent) payment/],
  'perform swallows a branch': [['effect-unknown', 'effect-left'], /receipt/],
  'effect denied': [['effect-left'], /at bank is still there/],
  'key of each retry': [['effect-unknown', 'effect-left', 'output-changes'], /-2|-1/],
  'one key for two steps': [['effect-shared'], /all that is there is the effect/],
  'key by details': [['effect-shared', 'effect-gone'], /order-2/],
};

const planted: readonly (readonly [string, ProofOptions, Expected])[] = [
  ...entries(ofTrip).map(
    ([mistake, expected]) => [`trip: ${mistake}`, tripProof(mistake), expected] as const,
  ),
  ...entries(ofRental).map(
    ([slip, expected]) => [`rental: ${slip}`, rentalProof(slip), expected] as const,
  ),
];

function entries<Name extends string>(
  table: Readonly<Record<Name, Expected>>,
): readonly (readonly [Name, Expected])[] {
  const names = Object.keys(table).filter((name): name is Name => name in table);
  return names.map((name) => [name, table[name]] as const);
}

test.each(planted)(
  '%s is found in 30 worlds, explained, and told in 15 lines',
  async (_, options, [rules, text]) => {
    const report = await proofReport(defineProof({ ...options, seeds: worldsMax }));
    const [first] = report.mistakes;
    expect(rules).toContain(first?.rule);
    expect(report.text).toMatch(text);
    const story = first?.shortest.story ?? [];
    expect(story.length).toBeGreaterThan(1);
    expect(story.length).toBeLessThanOrEqual(linesMax);
    expect(story[0]).toMatch(/^00:00:00\.000 {2}/);
    expect(story.at(-1)).toContain(`BROKEN ${first?.rule}: `);
    for (const line of story) expect(line).not.toMatch(/[{}"]|k[0-9a-f]{40}/);
  },
  300_000,
);

test.each([
  ['trip: forgotten branch', tripProof('forgotten branch')],
  ['rental: perform swallows', rentalProof('perform swallows')],
  ['rental: key of each retry', rentalProof('key of each retry')],
] as const)(
  '%s is shown again by its seed',
  async (_, options) => {
    const { mistakes } = await proofReport(defineProof({ ...options, seeds: worldsMax }));
    const { seed: firstSeed = 0 } = mistakes[0] ?? {};
    const again = await proofReport(defineProof({ ...options, firstSeed, seeds: 1 }));
    expect(again.mistakes).toEqual(mistakes);
    expect(again.mistakes).not.toEqual([]);
  },
  300_000,
);

test.each(unseen)(
  '%s is what no world can show',
  async (slip) => {
    expect(Object.keys(slips)).toContain(slip);
    await prove({ ...rentalProof(slip), seeds: 40 });
  },
  300_000,
);

test('the sound rental is proven', async () => {
  await prove({ ...rentalProof(null), seeds: 100 });
}, 300_000);
