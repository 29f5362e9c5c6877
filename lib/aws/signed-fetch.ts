/** `fetch` that signs requests with AWS credentials (SigV4). */
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { SignatureV4 } from '@smithy/signature-v4';

/** What signing needs; every SDK client's `config` has it. */
export type SigningConfig = Pick<CloudFormationClient['config'], 'credentials' | 'sha256'>;

export function signedFetch(
  { credentials, sha256 }: SigningConfig,
  { service, region }: { readonly service: string; readonly region: string },
  send: typeof globalThis.fetch,
): (url: string, init: RequestInit) => Promise<Response> {
  const signer = new SignatureV4({ service, region, credentials, sha256 });
  return async (url, init) => {
    const { protocol, hostname, pathname, searchParams, host } = new URL(url);
    const body = typeof init.body === 'string' ? init.body : undefined;
    const unsigned = Object.fromEntries(new Headers(init.headers));
    const query = Object.fromEntries(
      [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
    );
    const { headers } = await signer.sign({
      method: init.method ?? 'GET',
      protocol,
      hostname,
      path: pathname,
      query,
      headers: { ...unsigned, host },
      ...(body !== undefined && { body }),
    });
    // `fetch` sets the host itself from the URL.
    const { host: _, ...signed } = headers;
    return send(url, { ...init, headers: signed });
  };
}
