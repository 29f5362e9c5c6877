/** Cross-origin requests: API Gateway answers preflight requests, and the function accepts the origins. */
import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, type HttpApiProps } from 'aws-cdk-lib/aws-apigatewayv2';
import { deployedRoutes } from './api-routes.ts';

/** What the preflight answers depend on. */
export interface CorsProps {
  /** Origins whose pages may call, such as `https://shop.example.com`; none: no cross-origin requests. */
  readonly corsOrigins: readonly string[];
  /** Whether callers send tokens; otherwise they sign for IAM. */
  readonly jwt?: object | undefined;
}

/** Request headers of callers, in addition to those that CORS always allows. */
const requestHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
];
/** Headers that a signature for IAM adds. */
const signatureHeaders = ['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
/** Response headers that pages may read, in addition to those that CORS always exposes. */
const exposeHeaders = ['etag', 'location', 'retry-after'];
/** How long browsers cache a preflight answer; each preflight costs a request. */
const maxAge = Duration.hours(1);

/** Without cookies: callers send the header Authorization. */
export function cors({ corsOrigins, jwt }: CorsProps): Pick<HttpApiProps, 'corsPreflight'> {
  if (corsOrigins.length === 0) return {};
  const methods = new Set(deployedRoutes.map(({ method }) => CorsHttpMethod[method]));
  return {
    corsPreflight: {
      allowOrigins: [...corsOrigins],
      allowMethods: [...methods],
      allowHeaders: [...requestHeaders, ...(jwt === undefined ? signatureHeaders : [])],
      exposeHeaders,
      allowCredentials: false,
      maxAge,
    },
  };
}

/** The variable of the front door: the origins that it accepts; none where there are none. */
export const corsVariable = (origins: readonly string[]): Record<string, string> =>
  origins.length === 0 ? {} : { REEVE_CORS_ORIGINS: origins.join(',') };
