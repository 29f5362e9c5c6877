/** What the operator's command line needs from AWS: stack outputs, signed calls, dead letters. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { reportedError } from '#aws/reported-error.ts';
import { signedFetch } from '#aws/signed-fetch.ts';
import { describeError, ReeveError } from '#core/model/errors.ts';
import { type DeadLetterAction, deadLetterAction, type OrderNow } from '#core/view/dead-letter.ts';
import { deadLetterQueues } from './dead-letter-queues.ts';
import { type DeadLetter, discard, readDeadLetters, release, sendBack } from './dead-letters.ts';

export interface OperatorTools {
  /** The outputs of a deployed stack. @throws {ReeveError} `stack-unknown` */
  outputs(stack: string): Promise<Readonly<Record<string, string>>>;
  /** A `fetch` that signs for API Gateway in this region; null: the SDK's default region. */
  signedFetch(
    region: string | null,
  ): Promise<(url: string, init: RequestInit) => Promise<Response>>;
  /**
   * The dead letters in the queues that the stack's output names, hidden until dealt with. `isComplete` is
   * false when a queue may have more.
   */
  deadLetters(
    deadLettersOutput: string,
  ): Promise<{ readonly deadLetters: readonly OpenDeadLetter[]; readonly isComplete: boolean }>;
}

/** A dead letter and the actions on it. */
export interface OpenDeadLetter extends Omit<DeadLetter, 'dead' | 'source' | 'receipt' | 'fifo'> {
  fate(order: OrderNow | null): DeadLetterAction;
  sendBack(): Promise<void>;
  discard(): Promise<void>;
  /** Makes it visible to the next read. */
  release(): Promise<void>;
}

/** The service name in API Gateway's signatures. */
const apiService = 'execute-api';

/** The SDK finds region and credentials in its usual places. */
export function operatorTools(fetch: typeof globalThis.fetch): OperatorTools {
  const cloudFormation = new CloudFormationClient({});
  const sqs = sqsClient();
  return {
    async outputs(stack) {
      const answer = await cloudFormation
        .send(new DescribeStacksCommand({ StackName: stack }))
        .catch((cause: unknown) => {
          throw unknownStack(stack, cause);
        });
      const outputs = answer.Stacks?.[0]?.Outputs ?? [];
      return Object.fromEntries(
        outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
      );
    },
    async signedFetch(region) {
      const { config } = cloudFormation;
      const scope = { service: apiService, region: region ?? (await config.region()) };
      return signedFetch(config, scope, fetch);
    },
    async deadLetters(output) {
      const { deadLetters, isComplete } = await readDeadLetters(sqs, deadLetterQueues(output));
      return { deadLetters: deadLetters.map((deadLetter) => open(sqs, deadLetter)), isComplete };
    },
  };
}

function open(sqs: SQSClient, deadLetter: DeadLetter): OpenDeadLetter {
  const { queue, kind, reason, wasParked, subject, body } = deadLetter;
  return {
    queue,
    kind,
    reason,
    wasParked,
    subject,
    body,
    fate: (order) => deadLetterAction(deadLetter, order),
    sendBack: () => sendBack(sqs, deadLetter),
    discard: () => discard(sqs, deadLetter),
    release: () => release(sqs, deadLetter),
  };
}

function unknownStack(stack: string, cause: unknown): ReeveError {
  // A connection that failed at several addresses has an error without a message.
  const said = describeError(cause) || reportedError(cause);
  return new ReeveError(
    'stack-unknown',
    `The stack ${stack} cannot be read: ${said}. Check its name, AWS_REGION and your credentials.`,
    { cause },
  );
}
