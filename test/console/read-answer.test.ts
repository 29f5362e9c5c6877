/** What answers mean to the console, also those that Reeve never gives. */
import { expect, test } from 'vitest';
import { answerOf, textOf } from '#console/api/read-answer.ts';
import { resultOf } from '#console/orders/bulk.ts';

const full = { title: 'It is full', detail: 'The disk is.', code: 'store-full' };

test('a document is the answer of a request that succeeded', () => {
  expect(answerOf(200, '{"orders":[]}')).toEqual({ kind: 'ok', body: { orders: [] } });
  expect(answerOf(202, '{"orderId":"o-1"}')).toEqual({ kind: 'ok', body: { orderId: 'o-1' } });
});

test.each(['<html>Sign in</html>', '', 'null', '7', '"ok"', '{"orders":['])(
  'a success with the text %j is none of Reeve',
  (text) => {
    expect(answerOf(200, text)).toMatchObject({
      kind: 'refused',
      status: 200,
      problem: { code: 'answer-unknown' },
    });
  },
);

test('a refusal has its problem document', () => {
  expect(answerOf(503, JSON.stringify(full))).toEqual({
    ...{ kind: 'refused', status: 503, problem: full },
  });
});

test.each([
  '<html>Bad gateway</html>',
  // As API Gateway answers.
  '{"message":"Too Many Requests"}',
  '{"title":"No","code":7}',
  'null',
])('a refusal with the text %j has words too', (text) => {
  const answer = answerOf<{ processState: 'Pending' }>(429, text);
  expect(answer).toMatchObject({ kind: 'refused', status: 429, problem: { code: 'unknown' } });
  expect(resultOf('o-1', answer).words).toMatch(/^Reeve answered 429\. /);
});

test('no text is read where the connection is lost, at the start or in the body', async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"orders":['));
      controller.error(new TypeError('network error'));
    },
  });
  expect(await textOf(new Response(cut))).toBe(null);
  expect(await textOf(null)).toBe(null);
  expect(await textOf(new Response('{}'))).toBe('{}');
});
