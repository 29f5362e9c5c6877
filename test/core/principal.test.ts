import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayAct, maySee, principalName, roles } from '#core/access/principal.ts';
import { limits } from '#core/model/limits.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const nameOf = (full: string) => principalName(full, sha256);

test.each(roles)('a %s may do what the roles before it may, and nothing above', (role) => {
  const principal = { name: 'ada', role, tenant: null };
  const allowed = roles.filter((needed) => mayAct(principal, needed));
  expect(allowed).toEqual(roles.slice(0, roles.indexOf(role) + 1));
});

test('callers that IAM has allowed may act, because its policies are by route', () => {
  const principal = { name: 'ada', role: 'iam', tenant: null } as const;
  expect(roles.every((needed) => mayAct(principal, needed))).toBe(true);
});

test('a principal of a tenant sees only the orders of that tenant', () => {
  const confined = { name: 'ada', role: 'operator', tenant: 'inn' } as const;
  const tenants = ['inn', 'bar', null];
  expect(tenants.filter((tenant) => maySee(confined, { tenant }))).toEqual(['inn']);
  expect(tenants.filter((tenant) => maySee({ ...confined, tenant: null }, { tenant }))).toEqual(
    tenants,
  );
});

test('a short plain name is kept as it is', () => {
  expect(nameOf('assumed-role/ops/olga')).toBe('assumed-role/ops/olga');
});

test('two long names that end alike stay two, and show how they end', () => {
  const [one, two] = ['one', 'two'].map((role) => nameOf(`${role}/${'x'.repeat(80)}/olga`));
  expect(one).not.toBe(two);
  expect(one).toContain('/olga~');
});

test('a name is always short, visible ASCII, and never empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (full) => {
      const name = nameOf(full);
      expect(name).toMatch(/^[\x21-\x7e]+$/);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(limits.principalLengthMax);
    }),
  );
});
