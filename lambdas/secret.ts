/** A secret of the code of an agent. */
import * as z from 'zod';
import { secretsClient } from '#aws/clients/secrets-client.ts';
import { secretReader } from '#aws/secret-reader.ts';
import { ReeveError } from '#core/model/errors.ts';
import { readConfig } from './config.ts';

/** Reads a secret as text. */
export type Secret = () => Promise<string>;

/**
 * The secret that the construct gives an agent by `secrets: { NAME: … }`: the function has its ARN in the variable `NAME_ARN`,
 * and may read it. Its text is kept for five minutes, so that a replaced secret is noticed. Where there is no such
 * variable, as in a local process, the text of the variable `NAME` is the secret.
 *
 * @param name letters, digits and `_`, as in `PSP_KEY`
 * @returns a function that rejects with {@link ReeveError} `config-invalid` when there is neither variable, and with
 * `UnavailableError` `secret-unread` when Secrets Manager does not answer: a fault that is retried
 */
export function secret(name: string): Secret {
  let read: Secret | undefined;
  return async () => {
    read ??= reader(name);
    return read();
  };
}

function reader(name: string): Secret {
  const text = z.string().min(1).optional();
  const variables = readConfig({ [`${name}_ARN`]: text, [name]: text });
  const arn = variables[`${name}_ARN`];
  if (arn !== undefined) return secretReader(arn, secretsClient(arn));
  const own = variables[name];
  if (own !== undefined) return async () => own;
  throw new ReeveError(
    'config-invalid',
    `There is no variable ${name}_ARN with the ARN of the secret ${name}, and no variable ${name} with its text. Give the agent \`secrets: { ${name}: … }\`.`,
  );
}
