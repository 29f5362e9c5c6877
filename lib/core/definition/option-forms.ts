/**
 * The kinds of the options of definitions, which types do not hold in code that is written without them. A wrong one would be found
 * while orders run, or never: a misspelt option has no effect. Ranges are checked where the options are used.
 */
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { remedies } from '#core/model/policy.ts';

/** Said by {@link kind}, so that a missing option is not one of a wrong kind. */
const kind = (isOfKind: (value: unknown) => boolean, expected: string) =>
  z.custom<unknown>(isOfKind, {
    error: ({ input }) => (input === undefined ? 'is missing' : `must be ${expected}`),
  });

const fn = kind((value) => typeof value === 'function', 'a function');
// NaN and the infinities are numbers here: the check of their range names it.
const number = kind((value) => typeof value === 'number', 'a number');
/** By what is used of it: an application may have a zod of its own. */
const isSchema = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  'safeParse' in value &&
  typeof value.safeParse === 'function';
/** Its schemas cannot be written as JSON Schema, and have no metadata: nothing of them would be sensitive. */
const isOfZod3 = (value: unknown) => isSchema(value) && '_def' in value && !('_zod' in value);
const schema = kind(isSchema, 'a schema of zod').refine((value) => !isOfZod3(value), {
  error: 'must be a schema of zod 4, and this one is of zod 3: install zod 4',
});
/** Checked by the functions that make ids. */
const name = z.unknown();

const undoAbility = z.enum(['offered', 'unneeded', 'impossible']).optional();

const limit = z.strictObject({
  rate: z.strictObject({ count: number, per: number, burst: number.optional() }).optional(),
  atOnce: number.optional(),
});
const limits = z.record(z.string(), limit.extend({ key: fn.optional() })).optional();
/** Those with a key are the pool's. */
const limitsOfMember = z.record(z.string(), limit).optional();

const coolDown = z
  .strictObject({
    after: number,
    times: number,
    factor: number.optional(),
    max: number.optional(),
  })
  .optional();

const attempts = {
  completeWithin: number.optional(),
  maxDuration: number.optional(),
  retries: number.optional(),
  coolDown,
};
const remedy = z.enum(remedies).optional();
const contract = { name, input: schema, output: schema };

/** The options of `defineAgent`. */
export const agentForm = z.strictObject({ ...contract, undo: undoAbility, limits });

const implementationForm = z.strictObject({
  contract: z.looseObject(contract),
  perform: fn,
  undo: fn.optional(),
  concurrency: number.optional(),
  endpoints: z.array(z.looseObject({ url: z.string(), weight: number.optional() })).optional(),
});

/** The options of `definePool`. */
export const poolForm = z.strictObject({
  ...contract,
  undo: undoAbility,
  limits,
  members: z.record(
    z.string(),
    z.strictObject({
      domain: z.string().optional(),
      weight: number.optional(),
      limits: limitsOfMember,
    }),
  ),
  failover: z.enum(['wait', 'undo-first']).optional(),
});

/** The options of a step. */
export const stepForm = z.strictObject({
  agent: z.looseObject(contract),
  after: z.array(name).optional(),
  input: fn,
  when: fn.optional(),
  ...attempts,
  holdMax: number.optional(),
  onFault: remedy,
  onExhausted: remedy,
  irreversible: z.boolean().optional(),
  undo: z.strictObject(attempts).optional(),
  outputBytesMax: number.optional(),
});

/** The options of `defineWorkflow`. */
export const workflowForm = z.strictObject({
  name,
  version: z.unknown(),
  details: schema,
  completeWithin: number.optional(),
  onLate: remedy,
  singleton: z
    .strictObject({
      key: z.unknown(),
      else: z.unknown(),
      quiet: number.optional(),
      atMost: number.optional(),
    })
    .optional(),
});

/**
 * @param owner whose options they are, for the message
 * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind, or not known
 */
export function checkOptions(form: z.ZodType, owner: string, options: unknown): void {
  // Checked once, when a program starts: zod is not to compile the form for later values.
  const { error } = form.safeParse(options, { jitless: true });
  if (error === undefined) return;
  throw new DefinitionError('options-invalid', `${owner}: ${refusedText(error, 'its options')}.`);
}

interface Implementation {
  readonly contract: { readonly name: string };
}

/**
 * Checks an implementation of an agent, which may be an object of a class or have more fields for its program.
 *
 * @throws {DefinitionError} `options-invalid`
 */
export function checkImplementation(agent: Implementation): void {
  checkOptions(implementationForm.loose(), ownerOf(agent), agent);
}

/**
 * Checks an implementation of which all fields are options: a misspelt one would have no effect.
 *
 * @throws {DefinitionError} `options-invalid`
 */
export function checkImplementationOptions(agent: Implementation): void {
  checkOptions(implementationForm, ownerOf(agent), agent);
}

function ownerOf(agent: Implementation): string {
  const { contract }: Partial<Implementation> = agent;
  if (contract === undefined) return 'an implementation of an agent';
  return `the implementation of agent ${contract.name}`;
}
