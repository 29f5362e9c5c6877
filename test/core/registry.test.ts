/** The workflows a process knows, and the one an order was submitted under. */
import { describe, expect, it } from 'vitest';
import { workflowRegistry } from '#core/definition/registry.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { workflowName } from '#core/model/ids.ts';
import { flow, poolOf, submit } from './support.ts';

const one = flow({ a: {} });
const two = { ...flow({ a: {}, b: {} }), version: 2 };
const other = { ...one, name: workflowName('other'), version: 9 };

describe('a registry', () => {
  const registry = workflowRegistry([two, one, other, one]);

  it('has every version once', () => {
    expect(registry.all).toEqual([two, one, other]);
  });

  it('selects the highest version for new orders, regardless of their order', () => {
    expect(registry.latest('flow')).toBe(two);
    expect(workflowRegistry([one, two]).latest('flow')).toBe(two);
    expect(registry.latest('other')).toBe(other);
  });

  it('finds a version by its number', () => {
    expect(registry.version('flow', 1)).toBe(one);
    expect(registry.version('flow', 2)).toBe(two);
  });

  it('returns nothing for other names and versions', () => {
    expect(registry.latest('flo')).toBeUndefined();
    expect(registry.version('flow', 3)).toBeUndefined();
    expect(registry.version('other', 1)).toBeUndefined();
  });

  it('finds the definition an order was submitted under', () => {
    expect(registry.of(submit(one).record)).toBe(one);
    expect(registry.of(submit(two).record)).toBe(two);
  });

  it('does not return a definition that was changed under the same version', () => {
    expect(workflowRegistry([flow({ a: { retries: 9 } })]).of(submit(one).record)).toBeUndefined();
  });

  it('returns nothing for a record of an unknown version', () => {
    expect(workflowRegistry([two]).of(submit(one).record)).toBeUndefined();
    expect(workflowRegistry([]).of(submit(one).record)).toBeUndefined();
  });

  it('refuses two definitions of one version', () => {
    const build = () => workflowRegistry([one, flow({ a: {} })]);
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(
      'Two different definitions have the name and version flow@1: give the newer one the next version.',
    );
    expect(build).toThrow(expect.objectContaining({ code: 'version-twice' }));
  });
});

describe('the names of pools', () => {
  const europe = poolOf('pay', { east: { domain: 'eu' }, west: { domain: 'eu' } });
  const using = (...pools: readonly ReturnType<typeof poolOf>[]) =>
    pools.map(({ name: agent, pool }, at) => {
      const steps = flow({ a: {} }).steps.map((step) => ({ ...step, agent, pool }));
      return { ...one, name: workflowName(`flow-${at}`), steps };
    });

  it('may not be those under which steps of another one wait', () => {
    const twin = poolOf('pay--eu', { north: {}, south: {} });
    expect(() => workflowRegistry(using(europe, twin))).toThrow(
      expect.objectContaining({
        code: 'pool-invalid',
        message: expect.stringContaining(
          'the pools pay and pay--eu would wait under the name pay--eu',
        ),
      }),
    );
  });

  it('are the same in all workflows that use the pool', () => {
    expect(() => workflowRegistry(using(europe, europe, poolOf('other', { a: {} })))).not.toThrow();
  });
});
