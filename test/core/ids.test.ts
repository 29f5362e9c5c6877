/** The forms of identifiers, and the idempotency keys made of them (R8). */
import { describe, expect, it } from 'vitest';
import { ReeveError } from '#core/model/errors.ts';
import {
  agentName,
  idempotencyKey,
  orderId,
  schedulerId,
  stepName,
  workflowName,
  writeId,
} from '#core/model/ids.ts';

const long = (length: number) => 'a'.repeat(length);
const nameForm = 'up to 40 of a-z, 0-9 and "-", of which the first is one of a-z';
const idForm = 'up to 64 letters, digits, "_" and "-", beginning with a letter or digit';

describe('names of steps, agents and workflows', () => {
  it.each([
    ['a step name', stepName],
    ['an agent name', agentName],
    ['a workflow name', workflowName],
  ])('%s', (what, name) => {
    for (const good of ['a', 'a-1', 'z9', long(40)]) expect(name(good)).toBe(good);
    for (const bad of ['', '1a', '-a', 'A', 'a_b', 'a b', 'a/b', ' a', 'a\n', 'é', long(41)]) {
      expect(() => name(bad)).toThrow(
        `${JSON.stringify(bad)} is not ${what}: ${nameForm}. Choose a name of that form.`,
      );
    }
  });
});

it.each([agentName, stepName, workflowName, orderId, schedulerId, writeId])(
  'what is no text is no identifier',
  (check) => {
    for (const none of [null, undefined, 1, ['a'], true]) {
      expect(() => Reflect.apply(check, undefined, [none])).toThrow(ReeveError);
    }
  },
);

describe('order ids', () => {
  it('are letters, digits, _ and -', () => {
    for (const good of ['a', 'Z-1_b', '9', long(64)]) expect(orderId(good)).toBe(good);
    for (const bad of ['', '-a', '_a', 'a/b', 'a.b', 'a b', 'a#2', long(65)]) {
      expect(() => orderId(bad)).toThrow(`${JSON.stringify(bad)} is not an order id: ${idForm}.`);
    }
  });
});

describe('ids of Schedulers and writes', () => {
  it.each([
    ['a Scheduler id', schedulerId],
    ['a write id', writeId],
  ])('%s', (what, id) => {
    for (const good of ['a', 'Z.1:b_c-d', '9', long(64)]) expect(id(good)).toBe(good);
    for (const bad of ['', '.a', ':a', 'a/b', 'a b', long(65)]) {
      expect(() => id(bad)).toThrow(`is not ${what}: ${idForm}.`);
    }
  });
});

describe('a malformed id', () => {
  it('is an error with a code', () => {
    expect(() => orderId('')).toThrow(ReeveError);
    expect(() => orderId('')).toThrow(expect.objectContaining({ code: 'id-malformed' }));
  });
});

describe('an idempotency key', () => {
  const key = (action: 'perform' | 'undo', generation: number) =>
    idempotencyKey(orderId('o-1'), stepName('pay'), action, generation);

  it('is order and step', () => {
    expect(key('perform', 1)).toBe('o-1/pay');
  });
  it('has its generation from the second on', () => {
    expect(key('perform', 2)).toBe('o-1/pay#2');
    expect(key('perform', 3)).toBe('o-1/pay#3');
  });
  it('of an undo has the generation of its perform', () => {
    expect(key('undo', 1)).toBe('o-1/pay/undo');
    expect(key('undo', 2)).toBe('o-1/pay#2/undo');
  });
});
