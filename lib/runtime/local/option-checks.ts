/**
 * The kinds and ranges of the options of `startLocalReeve` and `serveApi`. Unchecked, a wrong one raises no error, or only when it is used:
 * with a `concurrency` of 0, for example, all orders of the agent are held.
 */
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';
import { nameForm } from '#core/model/ids.ts';
import { isObject } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { ApiServerOptions, ConnectionLimits } from './http-server.ts';
import type { LocalReeveOptions } from './local-reeve.ts';

const fn = z.custom((value) => typeof value === 'function', 'must be a function');

/** What these functions of Reeve use of objects that may be of a class. */
const clock = z.looseObject({ now: fn, after: fn });
const random = z.looseObject({ next: fn });
const log = z.looseObject({ info: fn, warn: fn, error: fn });

/** Not a record of zod, which takes an object with a function `constructor` for none: a channel may have that name. */
const channels = z
  .custom<Readonly<Record<string, unknown>>>(isObject, { error: 'must be an object', abort: true })
  .superRefine((value, context) => {
    for (const [name, each] of Object.entries(value)) {
      const problem = channelFault(name, each);
      if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem });
    }
  });

function channelFault(name: string, respond: unknown): string | null {
  // No submission can name it.
  if (!nameForm.pattern.test(name)) return `has a name that is not allowed: ${nameForm.text}`;
  return typeof respond === 'function' ? null : 'must be a function';
}

const isBuilder = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  'build' in value &&
  typeof value.build === 'function';

const workflow = z
  .unknown()
  .refine((value) => !isBuilder(value), {
    error: 'is not complete: end its definition with `.build()`',
    abort: true,
  })
  .pipe(z.looseObject({ name: z.string(), steps: z.array(z.unknown()) }));

/** SQLite takes the empty name for a file that it deletes at the end, and a URI may name memory: orders would be accepted onto no disk. */
const path = z
  .string()
  .refine((text) => text !== '', 'must not be empty')
  .refine((text) => !/^file:/i.test(text), 'must be the path of a file, not a URI');

/** What is given to a start and to a proof, as far as other checks do not find a wrong one. */
const definitionForms = { workflows: z.array(workflow), agents: z.array(z.unknown()) };

/** The kinds of the options of a proof, which checks the others itself. */
export const proofForm = z.strictObject({
  ...definitionForms,
  orders: z.unknown().optional(),
  seeds: z.unknown().optional(),
  firstSeed: z.unknown().optional(),
});

/** The kinds of the options. */
export const startForm = z.strictObject({
  ...definitionForms,
  path: path.optional(),
  clock: clock.optional(),
  random: random.optional(),
  log: log.optional(),
  // The ranges of numbers are checked below.
  sweepPeriodMs: z.unknown().optional(),
  keepEndedMs: z.unknown().optional(),
  backlogMaxMs: z.unknown().optional(),
  responseChannels: channels.optional(),
  onCodeError: fn.optional(),
  tenantWeights: z.map(z.string(), z.number()).optional(),
  onAlert: fn.optional(),
  onCircuit: fn.optional(),
  command: z.union([z.string(), z.instanceof(Promise)]).optional(),
} satisfies Record<keyof LocalReeveOptions, z.ZodType>);

/** The kinds of the options of a server. */
export const serverForm = z.strictObject({
  host: z.string().optional(),
  // Its range is checked below.
  port: z.unknown().optional(),
  identify: fn.optional(),
  accessLog: log.optional(),
  pages: z.instanceof(Map).optional(),
  connections: z
    .strictObject({
      headersMs: z.number(),
      requestMs: z.number(),
      keptMs: z.number(),
      silentMs: z.number(),
      checkEveryMs: z.number(),
      connectionsMax: z.number(),
    } satisfies Record<keyof ConnectionLimits, z.ZodType>)
    .optional(),
} satisfies Record<keyof ApiServerOptions, z.ZodType>);

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

/** @throws {ReeveError} `option-range` */
export const checkPort = (port: number): void => check('port', port, 0, 65_535);

/** NaN and the infinities are in no range. */
function check(option: string, value: number, min: number, max?: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= (max ?? value)) return;
  const range = max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
  const message = `The option ${option} is ${value}; it must be a whole number ${range}.`;
  throw new ReeveError('option-range', message);
}
