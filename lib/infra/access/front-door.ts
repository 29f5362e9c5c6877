/** The front door: an HTTP API with authorisation on every route, and its function. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import {
  CfnApi,
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  type IDomainName,
  type IHttpRouteAuthorizer,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Role, roles } from '#core/access/principal.ts';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { type PriorityQueues, readyVariables } from '#infra/queues/priority-queues.ts';
import { deployedRoutes } from './api-routes.ts';
import { callerPolicies } from './caller-policies.ts';
import { cors, corsVariable } from './cors.ts';

/** Authorisation by the tokens of an OpenID provider. */
export interface JwtProps {
  /** The `iss` of its tokens, an https address. */
  readonly issuer: string;
  /** The `aud` that its tokens must have: any one of these. */
  readonly audience: readonly string[];
  /** The claim that lists a bearer's scopes or groups. */
  readonly rolesClaim: string;
  /** The value in `rolesClaim` that grants each role. */
  readonly roles: Readonly<Record<Role, string>>;
  /** The claim that names a bearer's tenant. @default every bearer sees every tenant */
  readonly tenantClaim?: string | undefined;
}

/** Properties of {@link FrontDoor}. */
export interface FrontDoorProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
  /** Requests per second and burst size above which API Gateway answers 429. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** How long an accepted order may have to wait, s. */
  readonly backlogMaxSeconds: number;
  /** Origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
  /** @default IAM: callers sign with SigV4 */
  readonly jwt?: JwtProps | undefined;
  /** All of whose paths the API takes. @default the address that API Gateway gives */
  readonly domainName?: IDomainName | undefined;
  /** Requires `jwt`. @default no console */
  readonly console?: ConsoleProps | undefined;
}

/** The console's client at the OpenID provider. */
export interface ConsoleProps {
  /** A public client, which has no secret. */
  readonly clientId: string;
  /** The scopes that it requests, separated by spaces. */
  readonly scope: string;
  /** Origin of the token endpoint. @default the issuer's origin */
  readonly tokenOrigin?: string | undefined;
}

/** Public pages: the console's files and its sign-in settings, which contain no order data. */
const pages = ['/', '/assets/{file}', '/sign-in.json'];

/** The HTTP API of a deployment, with authorisation on every route, and its function. */
export class FrontDoor extends Construct {
  readonly api: HttpApi;
  /** One line per request, those that API Gateway rejects included. */
  readonly accessLog: LogGroup;
  readonly worker: ReeveFunction;
  /** For callers who sign for IAM; empty with `jwt`. */
  readonly policies: ReadonlyMap<string, ManagedPolicy>;

  constructor(scope: Construct, id: string, props: FrontDoorProps) {
    super(scope, id);
    const { store, ready, removal } = props;
    this.worker = new ReeveFunction(this, 'Function', {
      name: 'front-door',
      code: props.code,
      description: 'Reeve: front door',
      // API Gateway waits at most 30 s; the caller should receive an answer before that.
      timeout: Duration.seconds(20),
      removal,
      environment: {
        ...store.environment,
        ...props.environment,
        ...readyVariables(ready),
        REEVE_COORDINATION_TABLE: store.coordination.tableName,
        REEVE_BACKLOG_MAX: String(props.backlogMaxSeconds),
        ...jwtVariable(props.jwt),
        ...consoleVariable(props),
        ...corsVariable(props.corsOrigins),
      },
    });
    store.allowCreate(this.worker);
    store.allowList(this.worker);
    store.allowRecall(this.worker);
    store.allowAdmission(this.worker);
    store.allowAgents(this.worker);
    ready.allowSend(this.worker);

    const integration = new HttpLambdaIntegration('ToFunction', this.worker.target, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      // One permission for the API; one per route would add as many statements to the function's policy.
      scopePermissionToRoute: false,
    });
    this.api = new HttpApi(this, 'Api', {
      description: 'Reeve: submit orders and follow them',
      defaultAuthorizer: authorizer(props.jwt),
      ...cors(props),
      ...(props.domainName !== undefined && {
        defaultDomainMapping: { domainName: props.domainName },
      }),
    });
    for (const { method, path, role } of deployedRoutes) {
      this.api.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration,
        ...scopesFor(role, props.jwt),
      });
    }
    for (const path of props.console === undefined ? [] : pages) {
      const routes = this.api.addRoutes({
        path,
        methods: [HttpMethod.GET],
        integration,
        authorizer: new HttpNoneAuthorizer(),
      });
      for (const route of routes) acknowledge(route, 'AwsSolutions::AwsSolutions-APIG4');
    }
    this.policies = props.jwt === undefined ? callerPolicies(this, this.api.apiId) : new Map();
    this.failOnWarnings();
    this.accessLog = this.limitAndLog(props);
  }

  /**
   * API Gateway ignores warnings by default, and an imported API may lose its authorizer by one. Here
   * authorizer and routes are separate resources, whose failures stop the deployment; warnings shall stop it
   * too.
   */
  private failOnWarnings(): void {
    const api = this.api.node.defaultChild;
    if (!(api instanceof CfnApi)) throw new Error('an HTTP API is a resource');
    api.failOnWarnings = true;
  }

  private limitAndLog({ removal, jwt, throttle }: FrontDoorProps): LogGroup {
    const stage = this.api.defaultStage?.node.defaultChild;
    if (!(stage instanceof CfnStage)) throw new Error('an HTTP API has a default stage');
    // Without a name under `/aws/vendedlogs/`: CloudWatch Logs keeps the right of API Gateway in a policy of each group, and a name of its
    // own would make a deployment fail where `prod` has kept the group of an earlier one.
    const log = new LogGroup(this, 'AccessLog', { removalPolicy: removal });
    // None: an order that the tables of a standby take would be another one than the same key has where orders are processed.
    const { rate, burst } = deploymentOf(this).standby ? { rate: 0, burst: 0 } : throttle;
    stage.defaultRouteSettings = { throttlingRateLimit: rate, throttlingBurstLimit: burst };
    stage.accessLogSettings = {
      destinationArn: log.logGroupArn,
      format: JSON.stringify(accessLogOf(jwt)),
    };
    return log;
  }
}

/** Without the query, which contains search terms, and without the client's address, which is personal data. */
const accessLogOf = (jwt: JwtProps | undefined) => ({
  at: '$context.requestTime',
  method: '$context.httpMethod',
  path: '$context.path',
  principal: jwt === undefined ? '$context.identity.userArn' : '$context.authorizer.claims.sub',
  status: '$context.status',
  refused: '$context.authorizer.error',
  ms: '$context.responseLatency',
  id: '$context.requestId',
});

/** API Gateway checks scopes in these two claims only; the function checks groups. */
function scopesFor(role: Role, jwt: JwtProps | undefined) {
  if (jwt === undefined || !['scope', 'scp'].includes(jwt.rolesClaim)) return {};
  const sufficient = roles.slice(roles.indexOf(role)).map((candidate) => jwt.roles[candidate]);
  return { authorizationScopes: [...new Set(sufficient)] };
}

function jwtVariable(jwt: JwtProps | undefined): Record<string, string> {
  if (jwt === undefined) return {};
  const { rolesClaim, roles: values, tenantClaim = null } = jwt;
  return { REEVE_JWT: JSON.stringify({ rolesClaim, roles: values, tenantClaim }) };
}

function consoleVariable({ console, jwt }: FrontDoorProps): Record<string, string> {
  if (console === undefined || jwt === undefined) return {};
  const { clientId, scope, tokenOrigin = null } = console;
  const { issuer } = jwt;
  return { REEVE_CONSOLE: JSON.stringify({ issuer, clientId, scope, tokenOrigin }) };
}

function authorizer(jwt: JwtProps | undefined): IHttpRouteAuthorizer {
  if (jwt === undefined) return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer('Jwt', jwt.issuer, { jwtAudience: [...jwt.audience] });
}
