/** Errors of AWS, classified by what the caller must do. */
import { DynamoDBServiceException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { againOnConflict, notTaken, unavailable } from '#aws/failure.ts';
import { CorruptDataError, RefusedError, UnavailableError } from '#core/model/errors.ts';

/** As the SDK throws them. */
const named = (name: string, message = 'The service says why.') =>
  Object.assign(new Error(message), { name });
const cancelled = (...CancellationReasons: { Code?: string; Message?: string }[]) =>
  new TransactionCanceledException({ $metadata: {}, message: 'cancelled', CancellationReasons });

test.each<[string, unknown, string]>([
  ['an error of the SDK', named('ThrottlingException'), 'ThrottlingException'],
  ['what is no error', 'text', 'unknown'],
])('the error of %s has only the name, and keeps the cause', (_, cause, name) => {
  const error = unavailable('SQS', cause);
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).toMatchObject({ code: 'aws-unavailable', cause });
  expect(error.message).toMatch(new RegExp(`^SQS call failed: ${name}\\. It is tried again`));
});

test.each<[string, unknown, string]>([
  ...[
    'ValidationException',
    'BatchRequestTooLong',
    'AWS.SimpleQueueService.BatchRequestTooLong',
    'InvalidMessageContents',
    'InvalidParameterValue',
  ].map((name): [string, unknown, string] => [name, named(name), 'The service says why.']),
  [
    'a transaction with a write that is not valid',
    cancelled({ Code: 'None' }, { Code: 'ValidationError', Message: 'Item size' }),
    'Item size',
  ],
  [
    'a transaction with a write that is not valid, without a message',
    cancelled({ Code: 'ValidationError' }),
    'ValidationError',
  ],
])('%s is never accepted: the error has the message of the service', (_, cause, why) => {
  const error = notTaken('DynamoDB', cause);
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({ code: 'aws-refused', cause });
  expect(error.message).toBe(`DynamoDB refused it: ${why}. It is not tried again as it is.`);
});

test.each<[string, unknown]>([
  ['a throttled call', named('ProvisionedThroughputExceededException')],
  ['a lost connection', named('TimeoutError')],
  ['what is no error', { name: 'ValidationException', message: 'x' }],
  ['a transaction that met another one', cancelled({ Code: 'TransactionConflict' }, {})],
  [
    'a transaction without reasons',
    new TransactionCanceledException({ $metadata: {}, message: '' }),
  ],
])('%s may succeed when repeated', (_, cause) => {
  expect(notTaken('DynamoDB', cause)).toMatchObject({ code: 'aws-unavailable', cause });
});

/** Waits end at once, and are noted. */
function waits(random = 0) {
  const waited: number[] = [];
  const clock = {
    now: () => 0,
    after(ms: number, work: () => void) {
      waited.push(ms);
      work();
      return () => {};
    },
  };
  return { waited, ports: { clock, random: { next: () => random } } };
}

const conflict = named('Conflict');
const isConflict = (error: unknown) => error === conflict;

test('a call that meets a conflict is repeated after waits that grow up to their limit', async () => {
  const { waited, ports } = waits();
  let calls = 0;
  const done = await againOnConflict(ports, isConflict, async () => {
    calls += 1;
    if (calls < 8) throw conflict;
    return `call ${calls}`;
  });
  expect(done).toBe('call 8');
  expect(waited).toEqual([10, 20, 40, 80, 100, 100, 100]);
});

test('the waits of conflicting callers are spread', async () => {
  const { waited, ports } = waits(0.5);
  await expect(
    againOnConflict(ports, isConflict, () => Promise.reject(conflict)),
  ).rejects.toMatchObject({ code: 'aws-unavailable', cause: conflict });
  expect(waited).toEqual([15, 30, 60, 120, 150, 150, 150]);
});

test.each<[string, Error, object]>([
  ['any other error of AWS', named('ThrottlingException'), { code: 'aws-unavailable' }],
  [
    'an error for a call that is never accepted',
    new DynamoDBServiceException({
      name: 'ValidationException',
      $fault: 'client',
      $metadata: {},
      message: 'x',
    }),
    { code: 'aws-refused' },
  ],
  ['an error of Reeve', new CorruptDataError('row-damaged', 'x'), { code: 'row-damaged' }],
])('%s is thrown at once', async (_, error, expected) => {
  const { waited, ports } = waits();
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw error;
  };
  await expect(againOnConflict(ports, isConflict, call)).rejects.toMatchObject(expected);
  expect([calls, waited]).toEqual([1, []]);
});
