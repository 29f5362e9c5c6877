/** The URL of a queue that is known by its ARN, as SQS makes it. */
import { Arn, ArnFormat } from 'aws-cdk-lib';

export function responseQueueUrl(arn: string): string {
  const { region, account, resource } = Arn.split(arn, ArnFormat.NO_RESOURCE_NAME);
  return `https://sqs.${region}.amazonaws.com/${account}/${resource}`;
}
