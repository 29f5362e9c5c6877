/** A sweep of one shard in an invocation of its own. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { lambdaClient } from '#aws/clients/lambda-client.ts';
import { unavailable } from '#aws/failure.ts';

let client: ReturnType<typeof lambdaClient> | undefined;

/** Invokes the function of the Supervisor for a busy shard, and does not wait for the sweep. */
export async function sweepInOwnInvocation(
  shard: number,
  of: { readonly name: string; readonly alias: string | undefined },
): Promise<void> {
  client ??= lambdaClient();
  const command = new InvokeCommand({
    FunctionName: of.name,
    Qualifier: of.alias,
    InvocationType: 'Event',
    Payload: JSON.stringify({ shard }),
  });
  await client.send(command).catch((error: unknown) => {
    throw unavailable('Lambda', error);
  });
}
