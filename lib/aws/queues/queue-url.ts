/** Derives the URL of a queue from its ARN. */
import { ReeveError } from '#core/model/errors.ts';

const arn = /^arn:(aws[a-z-]*):sqs:([a-z0-9-]+):(\d{12}):([\w-]+(?:\.fifo)?)$/;

/** The names of hosts end otherwise in these partitions. */
const suffixes: ReadonlyMap<string, string> = new Map([
  ['aws-cn', 'amazonaws.com.cn'],
  ['aws-eusc', 'amazonaws.eu'],
  ['aws-iso', 'c2s.ic.gov'],
  ['aws-iso-b', 'sc2s.sgov.gov'],
  ['aws-iso-e', 'cloud.adc-e.uk'],
  ['aws-iso-f', 'csp.hci.ic.gov'],
]);

/** @throws {ReeveError} `queue-arn-invalid` */
export function queueUrlOf(queueArn: string): string {
  const [, partition = '', region, account, name] = arn.exec(queueArn) ?? [];
  if (name === undefined) {
    throw new ReeveError(
      'queue-arn-invalid',
      `${queueArn} is not the ARN of an SQS queue. See the event source of this function.`,
    );
  }
  const suffix = suffixes.get(partition) ?? 'amazonaws.com';
  return `https://sqs.${region}.${suffix}/${account}/${name}`;
}
