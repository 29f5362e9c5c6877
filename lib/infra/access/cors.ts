/** Pages of other origins: API Gateway answers their browsers, and the function lets their requests through. */
import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, type HttpApiProps } from 'aws-cdk-lib/aws-apigatewayv2';
import { deployedRoutes } from './api-routes.ts';

export interface CorsProps {
  readonly corsOrigins: readonly string[];
  /** Whether callers send tokens; else they sign for IAM. */
  readonly jwt?: object | undefined;
}

/** What callers send, beside what every page may. */
const requestHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
];
/** What a signature for IAM adds. */
const signatureHeaders = ['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
/** What a page may read of an answer, beside what every page may. */
const exposeHeaders = ['etag', 'location', 'retry-after'];
/** How long a browser need not ask again: each time costs a request. */
const maxAge = Duration.hours(1);

/** Without cookies: whoever calls sends the header Authorization. */
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

export const corsVariable = (origins: readonly string[]): Record<string, string> =>
  origins.length === 0 ? {} : { REEVE_CORS_ORIGINS: origins.join(',') };
