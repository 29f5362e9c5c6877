/**
 * The ranges of the numbers that an application passes to {@link startLocalReeve}. Unchecked, a
 * number outside its range raises no error: with a `concurrency` of 0, for example, all orders of the agent are held.
 */
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';

/** The kinds of the options, as far as other checks do not find a wrong one. */
export const startForm = z.looseObject({
  workflows: z.array(z.looseObject({ name: z.string(), steps: z.array(z.unknown()) })),
  agents: z.array(z.unknown()),
  path: z.string().optional(),
  tenantWeights: z.map(z.string(), z.number()).optional(),
  responseChannels: z
    .record(
      z.string(),
      z.custom((value) => typeof value === 'function', 'must be a function'),
    )
    .optional(),
});

interface Numbers {
  readonly sweepPeriodMs?: number;
  readonly keepEndedMs?: number;
  readonly backlogMaxMs?: number;
}

/**
 * The numbers of the options, or their defaults.
 *
 * @throws {ReeveError} `option-range`
 */
export function checkedNumbers({
  sweepPeriodMs = 1_000,
  keepEndedMs = 30 * 24 * 3_600_000,
  backlogMaxMs = 15 * 60_000,
}: Numbers): Required<Numbers> {
  const { sweepPeriodMinMs, sweepPeriodMaxMs, backlogMaxMinMs, backlogMaxMaxMs } = limits;
  check('sweepPeriodMs', sweepPeriodMs, sweepPeriodMinMs, sweepPeriodMaxMs);
  check('keepEndedMs', keepEndedMs, 0, limits.keepEndedMaxMs);
  check('backlogMaxMs', backlogMaxMs, backlogMaxMinMs, backlogMaxMaxMs);
  return { sweepPeriodMs, keepEndedMs, backlogMaxMs };
}

/** @throws {ReeveError} `option-range` */
export function checkConcurrency(agents: readonly AgentImplementation[]): void {
  for (const { contract, concurrency = 1 } of agents) {
    check(`concurrency of the agent ${contract.name}`, concurrency, 1);
  }
}

/** NaN and the infinities are in no range. */
function check(option: string, value: number, min: number, max?: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= (max ?? value)) return;
  const range = max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
  const message = `The option ${option} is ${value}; it must be a whole number ${range}.`;
  throw new ReeveError('option-range', message);
}
