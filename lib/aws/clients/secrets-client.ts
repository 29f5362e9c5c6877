import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type ClientOptions, commonSettings } from './client-options.ts';

/** @param secret its ARN, whose region may differ from the function's, or its name in the region of the function */
export function secretsClient(secret: string, options: ClientOptions = {}): SecretsManagerClient {
  const [, , , region] = secret.split(':');
  return new SecretsManagerClient({
    ...commonSettings(options),
    ...(region !== undefined && { region }),
  });
}
