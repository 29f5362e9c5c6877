/** The secret of an agent, from Secrets Manager or from the environment. */
import { expect, test, vi } from 'vitest';
import { secret } from '../../lambdas/secret.ts';
import { answeringServer } from '../support/answering-server.ts';

test('a function reads it by the ARN in its variable', async () => {
  const aws = await answeringServer((response) => {
    response.end(JSON.stringify({ SecretString: 'from-secrets-manager' }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:psp-AbCdEf';
  vi.stubEnv('PSP_KEY_ARN', arn);
  const pspKey = secret('PSP_KEY');
  expect([await pspKey(), await pspKey()]).toEqual(Array(2).fill('from-secrets-manager'));
  expect(aws.received.map(({ body }) => JSON.parse(body).SecretId)).toEqual([arn]);
});

test('where there are both, the ARN counts: a text that was left behind is no secret of production', async () => {
  const aws = await answeringServer((response) => {
    response.end(JSON.stringify({ SecretString: 'from-secrets-manager' }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url);
  vi.stubEnv('BOTH_KEY_ARN', 'arn:aws:secretsmanager:us-east-1:123456789012:secret:both-AbCdEf');
  vi.stubEnv('BOTH_KEY', 'left-behind');
  expect(await secret('BOTH_KEY')()).toBe('from-secrets-manager');
});

test('where there is no ARN, it is the text of the variable', async () => {
  vi.stubEnv('LOCAL_KEY', 'from-the-environment');
  expect(await secret('LOCAL_KEY')()).toBe('from-the-environment');
});

test('a module that names a secret can be loaded without it; only its use fails, with what to do', async () => {
  const absent = secret('ABSENT_KEY');
  await expect(absent()).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('`secrets: { ABSENT_KEY: … }`'),
  });
});
