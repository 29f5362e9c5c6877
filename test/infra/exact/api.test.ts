/** The HTTP API of a stack: exactly its routes and what each needs, the function behind it, its limits and its log. */
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { templateWith } from '../scenario.ts';
import { resources, textOf, whole } from './whole-stack.ts';

const jwt = {
  ...{ issuer: 'https://id.example.com', audience: ['reeve', 'till'], tenantClaim: 'branch' },
  roles: { viewer: 'see', submitter: 'submit', operator: 'operate' },
};
const console = { clientId: 'c-1' };
const withTokens = templateWith([], { jwt, console });

const routeSchema = z.object({
  RouteKey: z.string(),
  Target: z.unknown(),
  AuthorizationType: z.string(),
  AuthorizationScopes: z.array(z.string()).optional(),
  AuthorizerId: z.unknown().optional(),
});
const routes = (of = whole) =>
  Object.fromEntries(
    [...resources('AWS::ApiGatewayV2::Route', of).values()].map((one) => {
      const { RouteKey, AuthorizationType, AuthorizationScopes, AuthorizerId, ...route } =
        routeSchema.parse(one);
      expect(textOf(route.Target)).toBe('integrations/FrontDoorApiPOSTordersToFunction');
      const by = [AuthorizationType, ...(AuthorizationScopes ?? [])];
      const authorizer = AuthorizerId === undefined ? [] : [`by ${textOf(AuthorizerId)}`];
      return [RouteKey, [...by, ...authorizer].join(' ')];
    }),
  );

/** By the least role that may use it (docs/access.md). A role may do what the roles before it may. */
const needed = {
  viewer: [
    ...['GET /orders', 'GET /orders/{id}', 'GET /agents', 'GET /workflows', 'GET /principal'],
    ...['GET /openapi.json', 'GET /healthz'],
  ],
  submitter: ['POST /orders', 'POST /orders/batch'],
  operator: [
    ...['POST /orders/{id}/resubmit', 'POST /orders/{id}/cancel'],
    ...['POST /orders/{id}/reprioritise', 'POST /agents/{name}'],
  ],
};
const every = Object.values(needed).flat();

test('a caller signs for IAM: every route has one function behind it, and none is open', () => {
  expect(routes()).toEqual(Object.fromEntries(every.map((route) => [route, 'AWS_IAM'])));
});

test('a caller has a token: each route needs the scope of a role that may use it, and the pages of the console need none', () => {
  const by = (...scopes: readonly string[]) => `JWT ${scopes.join(' ')} by FrontDoorApiJwt`;
  const scoped = (routesOf: readonly string[], ...scopes: readonly string[]) =>
    Object.fromEntries(routesOf.map((route) => [route, by(...scopes)]));
  const found = Object.entries(routes(withTokens)).map(([route, needs]) => [
    route,
    needs.replace(/FrontDoorApiJwt\w*/, 'FrontDoorApiJwt'),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    ...scoped(needed.viewer, 'see', 'submit', 'operate'),
    ...scoped(needed.submitter, 'submit', 'operate'),
    ...scoped(needed.operator, 'operate'),
    ...Object.fromEntries(
      ['GET /', 'GET /assets/{file}', 'GET /sign-in.json'].map((page) => [page, 'NONE']),
    ),
  });
});

test('every audience of tokens is accepted, and the function knows how they express a role and a tenant', () => {
  withTokens.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
    AuthorizerType: 'JWT',
    IdentitySource: ['$request.header.Authorization'],
    JwtConfiguration: { Issuer: jwt.issuer, Audience: jwt.audience },
  });
  const { roles, tenantClaim } = jwt;
  withTokens.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Reeve: front door',
    Environment: {
      Variables: Match.objectLike({
        REEVE_JWT: JSON.stringify({ rolesClaim: 'scope', roles, tenantClaim }),
        REEVE_CONSOLE: JSON.stringify({
          ...{ issuer: jwt.issuer, clientId: 'c-1', scope: 'openid', tokenOrigin: null },
        }),
      }),
    },
  });
});

test('the function gets requests in the form that it reads, from this API alone', () => {
  expect([...resources('AWS::ApiGatewayV2::Integration').values()]).toEqual([
    {
      ApiId: expect.anything(),
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: { 'Fn::GetAtt': [expect.stringMatching(/^FrontDoorFunction/), 'Arn'] },
      PayloadFormatVersion: '2.0',
    },
  ]);
  const allowed = [...resources('AWS::Lambda::Permission').values()].map((one) => [
    textOf(one['FunctionName']),
    one['Principal'],
    textOf(one['SourceArn']),
  ]);
  expect(allowed).toEqual([
    ['FrontDoorFunction', 'apigateway.amazonaws.com', 'arn::execute-api:::FrontDoorApi/*/*/*'],
    ['SupervisorFunction', 'events.amazonaws.com', 'SupervisorTick'],
  ]);
});

const formatSchema = z.object({
  AccessLogSettings: z.object({ DestinationArn: z.unknown(), Format: z.string() }),
  DefaultRouteSettings: z.unknown(),
});

test.each([
  ['the identity of IAM', whole, '$context.identity.userArn', [50, 80]],
  ['the subject of a token', withTokens, '$context.authorizer.claims.sub', [1_000, 2_000]],
] as const)(
  'it is throttled, and its log has %s, without search terms and addresses of callers',
  (_, of, principal, [ThrottlingRateLimit, ThrottlingBurstLimit]) => {
    const [stage] = resources('AWS::ApiGatewayV2::Stage', of).values();
    const { AccessLogSettings: log, DefaultRouteSettings } = formatSchema.parse(stage);
    expect(DefaultRouteSettings).toEqual({ ThrottlingRateLimit, ThrottlingBurstLimit });
    expect(textOf(log.DestinationArn)).toBe('FrontDoorAccessLog');
    expect(JSON.parse(log.Format)).toEqual({
      ...{ at: '$context.requestTime', method: '$context.httpMethod', path: '$context.path' },
      ...{ principal, status: '$context.status', refused: '$context.authorizer.error' },
      // What the caller waits for, of which the function is a part.
      ...{ ms: '$context.responseLatency', id: '$context.requestId' },
    });
  },
);

test('a browser asks once an hour which requests it may send', () => {
  whole.hasResourceProperties('AWS::ApiGatewayV2::Api', {
    FailOnWarnings: true,
    CorsConfiguration: Match.objectLike({ MaxAge: 3_600, AllowCredentials: false }),
  });
});
