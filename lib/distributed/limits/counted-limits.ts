/** The limits that one call counts in, and the names under which all instances know them. */
import { createHash } from 'node:crypto';
import { type AgentLimit, keyOf, type LimitedCall } from '#core/definition/agent-limit.ts';
import type { CallLimits } from '#core/definition/registry.ts';
import { limitOfCalls, limitOfKey } from '#core/flow/limit-names.ts';
import type { LimitSlot } from '#core/model/message.ts';

/** One limit of one call. */
export interface CountedLimit {
  readonly limit: AgentLimit;
  /** The calls at once of its definition, by which its items are divided; null: it has no such amount. */
  readonly definedAtOnce: number | null;
  /** Of the limit and the key. */
  readonly name: string;
  /** The queue of those that wait for it. */
  readonly queue: string;
}

/** Characters of a hash, of six bits each: no text of a caller is a part of a name. */
const keyLength = 22;
const queueLength = 8;
const holderLength = 10;

/** Options of {@link countedLimits}. */
export interface CountingOptions {
  readonly onKeyFailure: (limit: AgentLimit, error: unknown) => void;
  /** The limit with the amounts that it allows now. */
  readonly amountOf: (limit: AgentLimit) => AgentLimit;
}

/** The narrowest limits first: those of keys, in the order of the definition, then those of all calls of the agent. */
export function countedLimits(
  { own, shared }: CallLimits,
  call: LimitedCall,
  { onKeyFailure, amountOf }: CountingOptions,
): readonly CountedLimit[] {
  return [...shared, ...own].flatMap((limit) => {
    const key = keyOf(limit, call, (error) => onKeyFailure(limit, error));
    if (key === null) return [];
    const hashed = typeof key === 'symbol' ? 'failed' : hashOf(key, keyLength);
    const name = limitOfKey(limit.name, hashed);
    return [
      {
        limit: amountOf(limit),
        definedAtOnce: limit.atOnce,
        ...{ name, queue: hashOf(name, queueLength) },
      },
    ];
  });
}

/** The queue of those that wait for room like this. */
export const queueOfRoom = ({ name }: LimitSlot) => hashOf(limitOfCalls(name), queueLength);

/** Whether the slot is room for an attempt, and not of a rate. */
export const isRoom = ({ everyMs }: LimitSlot) => everyMs === undefined;

/**
 * The name of one who has room: another one for each lease. Two instances may ask for the same attempt, of which one is sent, and
 * the other one gives its room back.
 *
 * @param number of the lease, of those of the instance
 */
export const holderName = (instance: string, number: number) =>
  hashOf(`${instance} ${number}`, holderLength);

const hashOf = (text: string, length: number) =>
  createHash('sha256').update(text).digest('base64url').slice(0, length);
