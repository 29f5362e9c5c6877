/** Schemas with the type of what they accept, which the compiler does not infer from `ZodType`. */
import type { ZodType } from 'zod';

/** A schema that returns a `Value` for each `Accepted`. */
export type TypedSchema<Value, Accepted> = ZodType<Value> & {
  readonly _zod: { readonly input: Accepted };
};

/**
 * A schema in the contract of an agent. It accepts what it returns: the code of the other side is written against the type of
 * the result, and its value is validated by the same schema. Defaults, coercion and transformations within a type fulfil that;
 * else it is the type of the message.
 */
export type ContractSchema<Value, Accepted> = [Value] extends [Accepted]
  ? TypedSchema<Value, Accepted>
  : 'The schema returns a type that it does not accept: transform the value in the code of the agent or of the step.';
