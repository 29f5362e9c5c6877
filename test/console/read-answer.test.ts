/** What answers mean to the console, also those that Reeve never gives. */
import { expect, test } from 'vitest';
import { answerOf, isOfReeve, textOf } from '#console/api/read-answer.ts';
import { faultTexts } from '#console/now/health-text.ts';
import { resultOf } from '#console/orders/bulk.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { problem, problems } from '#http/problem.ts';
import type { HealthDocument } from '#http/service-schemas.ts';
import { scenario } from '../http/scenario.ts';

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

const isTrue = () => true;
const late = /has not swept of late/;

test.each<[string, Partial<ApiPorts>, readonly RegExp[]]>([
  ['a full disk', { refusal: () => 'store-full' }, [/disk of the state store is full/]],
  ['a disk that fails', { refusal: () => 'store-unavailable' }, [/refuses writes/]],
  ['damaged data', { damaged: () => 1 }, [/are damaged/]],
  ['no sweep of late', { lastSweepAt: () => 0 }, [late]],
  ['two of them', { lastSweepAt: () => 0, damaged: () => 1 }, [late, /are damaged/]],
  ['a fault of a newer release', { refusal: () => 'store-on-fire' }, [/: store-on-fire\.$/]],
  ['an unavailable service', { isCircuitOpen: isTrue, isOverloaded: isTrue }, []],
])(
  'the health of a Reeve with %s is its document, which has the causes',
  async (_, ports, texts) => {
    const { get } = await scenario((own) => ({ ...own, ...ports }));
    const response = await get('/healthz');
    expect(response.status).toBe(texts.length > 0 ? 503 : 200);
    const text = await response.text();
    expect(isOfReeve(response.status, text)).toBe(true);
    const answer = answerOf<HealthDocument>(response.status, text);
    expect(answer).toMatchObject({ kind: 'ok', body: { lastSweepAt: expect.any(String) } });
    const shown = answer.kind === 'ok' ? faultTexts(answer.body) : [];
    expect(shown).toHaveLength(texts.length);
    for (const [at, expected] of texts.entries()) expect(shown[at]).toMatch(expected);
  },
);

test.each(Object.entries(problems).filter(([, [status]]) => status === 503))(
  'the problem %s is an answer of Reeve',
  (code, [status, title]) => {
    const text = JSON.stringify({ ...problem('unavailable', 'Now.'), code, title });
    expect(isOfReeve(status, text)).toBe(true);
  },
);

test.each([
  [502, '{}', false],
  [504, JSON.stringify(full), false],
  [503, null, false],
  [503, '<html>Bad gateway</html>', false],
  // As API Gateway answers.
  [503, '{"message":"Service Unavailable"}', false],
  [500, '<html>', true],
  [200, null, true],
])('a gateway is known by status %d with %s', (status, text, isReeve) => {
  expect(isOfReeve(status, text)).toBe(isReeve);
});
