/** A request as API Gateway passes it to the front door. */

/** @param path such as `/orders` */
export const postOf = (path: string, body: unknown) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: '',
  headers: { 'content-type': 'application/json', host: 'api' },
  requestContext: {
    http: { method: 'POST', path },
    domainName: 'api',
    authorizer: { iam: { userArn: 'arn:aws:sts::000000000000:assumed-role/shop/bill' } },
  },
  body: JSON.stringify(body),
  isBase64Encoded: false,
});
