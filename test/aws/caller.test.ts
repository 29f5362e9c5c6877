/** The caller's identity by API Gateway and SQS. Any principal with rights on the account may have made the event. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOf, senderOf } from '#aws/caller.ts';
import { limits } from '#core/model/limits.ts';
import { spoiled } from '../support/spoiled.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const jwt = {
  rolesClaim: 'scope',
  roles: { viewer: 'reeve/view', submitter: 'reeve/submit', operator: 'reeve/operate' },
  tenantClaim: null,
};
const byTenant = { ...jwt, tenantClaim: 'tenant' };
const signed = (userArn: string) => ({ requestContext: { authorizer: { iam: { userArn } } } });
const token = (claims: object) => ({
  requestContext: { authorizer: { jwt: { claims: { sub: 'user-7', ...claims } } } },
});

describe('a caller who signed for IAM', () => {
  test('has the rights of its policies, and the end of its ARN as its name', () => {
    expect(identityOf(signed('arn:aws:sts::1:assumed-role/ops/ada'), null)).toEqual({
      kind: 'known',
      principal: { name: 'assumed-role/ops/ada', role: 'iam', tenant: null },
    });
  });

  test.each([
    undefined,
    {},
    { requestContext: {} },
    { requestContext: { authorizer: {} } },
    { requestContext: { authorizer: { iam: {} } } },
    signed(''),
    token({ scope: 'reeve/view' }),
  ])('is unknown without an authorizer that identifies it: %j', (env) => {
    expect(identityOf(env, null)).toEqual({ kind: 'unknown' });
  });
});

describe('the bearer of a token', () => {
  test.each([
    ['reeve/view', 'viewer'],
    ['openid reeve/submit', 'submitter'],
    ['reeve/view reeve/operate email', 'operator'],
  ])('with the scopes %j is %s', (scope, role) => {
    expect(identityOf(token({ scope }), jwt)).toEqual({
      kind: 'known',
      principal: { name: 'user-7', role, tenant: null },
    });
  });

  test('with groups, as API Gateway writes a list, has the highest of their roles', () => {
    const groups = { ...jwt, rolesClaim: 'cognito:groups' };
    const env = token({ 'cognito:groups': '[staff reeve/submit reeve/view]' });
    expect(identityOf(env, groups)).toMatchObject({ principal: { role: 'submitter' } });
  });

  test.each([{}, { scope: '' }, { scope: 'openid xreeve/operate reeve/operate2' }, { scope: 7 }])(
    'with the claims %j has no role, and is refused',
    (claims) => {
      expect(identityOf(token(claims), jwt)).toEqual({
        kind: 'refused',
        reason: 'The claim scope of the token names no role.',
      });
    },
  );

  test.each<[string, unknown, string]>([
    ['separated by any space', 'openid\t\n reeve/view', 'viewer'],
    ['as a list of texts', [7, 'reeve/operate', null], 'operator'],
    ['written as a list over lines', '[staff\nreeve/view]', 'viewer'],
  ])('with scopes %s has their role', (_, scope, role) => {
    expect(identityOf(token({ scope }), jwt)).toMatchObject({ principal: { role } });
  });

  test.each([
    '[reeve/view',
    'reeve/view]',
    'x[reeve/view]',
    '[reeve/view]x',
    'x [reeve/view]',
    '[reeve/view] x',
  ])('with the scopes %j, which are not a list, has no role', (scope) => {
    expect(identityOf(token({ scope }), jwt)).toMatchObject({ kind: 'refused' });
  });

  test('is unknown without a subject', () => {
    for (const sub of [undefined, '', 7]) {
      expect(identityOf(token({ scope: 'reeve/view', sub }), jwt)).toEqual({ kind: 'unknown' });
    }
  });

  test('has a name that differs where long names differ', () => {
    const nameOf = (sub: string) => {
      const identity = identityOf(token({ scope: 'reeve/view', sub }), jwt);
      return identity.kind === 'known' ? identity.principal.name : '';
    };
    const end = 'x'.repeat(200);
    expect(nameOf(`a${end}`)).toMatch(/^x+~[0-9a-f]{12}$/);
    expect(nameOf(`a${end}`)).not.toBe(nameOf(`b${end}`));
  });

  test('is limited to the tenant of its claim, and only * means every tenant', () => {
    const of = (tenant: string) => identityOf(token({ scope: 'reeve/view', tenant }), byTenant);
    expect(of('inn')).toMatchObject({ principal: { tenant: 'inn' } });
    expect(of('x'.repeat(64))).toMatchObject({ principal: { tenant: 'x'.repeat(64) } });
    expect(of('[inn')).toMatchObject({ principal: { tenant: '[inn' } });
    expect(of('*')).toMatchObject({ principal: { tenant: null } });
  });

  test('is refused without the tenant claim', () => {
    expect(identityOf(token({ scope: 'reeve/view' }), byTenant)).toEqual({
      kind: 'refused',
      reason: 'The token has no claim tenant.',
    });
  });

  test.each(['', 'x'.repeat(65), 7, null, ['inn'], '[inn]', '[inn\npub]', '[*]', '\ud800'])(
    'is refused where the tenant claim is %j',
    (tenant) => {
      expect(identityOf(token({ scope: 'reeve/view', tenant }), byTenant)).toEqual({
        kind: 'refused',
        reason:
          'The claim tenant of the token names no tenant: it must be a text of 1 to 64 characters, and no list.',
      });
    },
  );

  test('is unknown where callers sign for IAM, and a signing caller is unknown where tokens are accepted', () => {
    expect(identityOf(token({ scope: 'reeve/view' }), null)).toEqual({ kind: 'unknown' });
    expect(identityOf(signed('arn:aws:iam::1:user/ada'), jwt)).toEqual({ kind: 'unknown' });
  });
});

test('every authorizer content is unknown, refused, or a principal with a short name', () => {
  const good = {
    requestContext: {
      authorizer: {
        iam: { userArn: 'arn:aws:sts::1:assumed-role/ops/olga' },
        jwt: { claims: { sub: 'olga', scope: 'reeve/view', tenant: 'inn' } },
      },
    },
  };
  const given = fc.oneof(
    fc.anything(),
    spoiled(good).map((text): unknown => JSON.parse(text)),
  );
  fc.assert(
    fc.property(given, fc.constantFrom(null, jwt, byTenant), (env, how) => {
      const identity = identityOf(env, how);
      if (identity.kind !== 'known') return;
      expect(identity.principal.name.length).toBeGreaterThan(0);
      expect(identity.principal.name.length).toBeLessThanOrEqual(limits.principalLengthMax);
    }),
    { numRuns: 500 },
  );
});

test('the sender of a message is the one that SQS reports', () => {
  expect(senderOf(sqsRecord('m', '{}'))).toBe('sender');
  expect(senderOf(undefined)).toBe('submission-queue');
  const { attributes } = sqsRecord('m', '{}');
  expect(senderOf({ attributes: { ...attributes, SenderId: '' } })).toBe('submission-queue');
  const long = senderOf({ attributes: { ...attributes, SenderId: 'x'.repeat(200) } });
  expect(long).toMatch(/^x+~[0-9a-f]{12}$/);
});
