/** The front door: an HTTP API on which every route is authorised, and the function behind it. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import {
  CfnApi,
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  type IHttpRouteAuthorizer,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { type PriorityQueues, readyVariables } from './priority-queues.ts';
import { ReeveFunction } from './reeve-function.ts';
import type { StateStore } from './state-store.ts';

/** Who may call, by the tokens of an OpenID provider. */
export interface JwtProps {
  readonly issuer: string;
  readonly audience: readonly string[];
}

export interface FrontDoorProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
  /** @default IAM: callers sign with SigV4 */
  readonly jwt?: JwtProps;
  /** The console; needs `jwt`. @default none */
  readonly console?: ConsoleProps;
}

/** Where people who open the console sign in. */
export interface ConsoleProps {
  readonly clientId: string;
  readonly scope: string;
  readonly tokenOrigin?: string | undefined;
}

/** What the console consists of, and where to sign in: nothing of any order. */
const pages = ['/', '/assets/{file}', '/sign-in.json'];

/** Requests a second, and at once, before API Gateway answers 429: a runaway caller costs money. */
const throttle = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };

export class FrontDoor extends Construct {
  readonly api: HttpApi;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: FrontDoorProps) {
    super(scope, id);
    const { store, ready, removal } = props;
    this.worker = new ReeveFunction(this, 'Function', {
      code: props.code,
      description: 'Reeve: front door',
      // API Gateway waits 30 s at most; whoever calls should be told before that.
      timeout: Duration.seconds(20),
      removal,
      environment: {
        ...store.environment,
        ...props.environment,
        ...readyVariables(ready),
        REEVE_COORDINATION_TABLE: store.coordination.tableName,
        ...consoleVariable(props),
      },
    });
    store.allowCreate(this.worker);
    store.allowList(this.worker);
    store.allowRecall(this.worker);
    ready.allowSend(this.worker);

    const integration = new HttpLambdaIntegration('ToFunction', this.worker, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    });
    this.api = new HttpApi(this, 'Api', {
      description: 'Reeve: submit orders and follow them',
      defaultAuthorizer: authorizer(props.jwt),
      defaultIntegration: integration,
    });
    for (const path of props.console === undefined ? [] : pages) {
      const routes = this.api.addRoutes({
        path,
        methods: [HttpMethod.GET],
        integration,
        authorizer: new HttpNoneAuthorizer(),
      });
      for (const route of routes) acknowledge(route, 'AwsSolutions::AwsSolutions-APIG4');
    }
    this.failOnWarnings();
    this.limitAndLog(removal);
  }

  /**
   * API Gateway goes on at a warning by default; an API that is imported so may lose its authorizer. Here authorizer and
   * routes are resources of their own, which fail by themselves; whatever is a warning all the same shall stop the deployment.
   */
  private failOnWarnings(): void {
    const api = this.api.node.defaultChild;
    if (!(api instanceof CfnApi)) throw new Error('an HTTP API is a resource');
    api.failOnWarnings = true;
  }

  private limitAndLog(removal: RemovalPolicy): void {
    const stage = this.api.defaultStage?.node.defaultChild;
    if (!(stage instanceof CfnStage)) throw new Error('an HTTP API has a default stage');
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: removal,
    });
    stage.defaultRouteSettings = throttle;
    stage.accessLogSettings = {
      destinationArn: log.logGroupArn,
      // No path: it holds order ids; no address: it is personal data.
      format:
        '{"at":"$context.requestTime","method":"$context.httpMethod","status":"$context.status","ms":"$context.responseLatency","id":"$context.requestId"}',
    };
  }
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
