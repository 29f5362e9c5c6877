/** Ambiguous input is refused, and the reason names what to change. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problemSchema } from '#http/problem-schema.ts';
import { body, json, orderIdOf, type Scenario, scenario } from './scenario.ts';

async function refusalOf(response: Response) {
  const { code, detail, errors = [] } = problemSchema.parse(await response.json());
  return { status: response.status, code, detail, fields: errors.map(({ field }) => field) };
}

const listSchema = z.object({
  orders: z.array(z.object({ orderId: z.string() })),
  cursor: z.string().nullable(),
});

const listed = async ({ get }: Scenario, query = '') =>
  listSchema.parse(await (await get(`/orders${query}`)).json());

const sent = ({ app }: Scenario, bytes: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  app.request('/orders', { method: 'POST', headers: { ...json, ...headers }, body: bytes });

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe('a submission', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, string, string[]]>([
    [
      'in Latin-1',
      latin1('{"workflow":"dinner","details":{"dish":"cr\u00eape","guests":2}}'),
      'The body is not valid UTF-8.',
      [],
    ],
    [
      'in UTF-16',
      new Uint8Array(Buffer.from(`\uFEFF${JSON.stringify(body)}`, 'utf16le')),
      'The body is not valid UTF-8.',
      [],
    ],
    [
      'with a lone surrogate in its correlation id',
      '{"workflow":"dinner","details":{"dish":"soup","guests":2},"correlationId":"a\\ud800"}',
      'The body is invalid: `correlationId` has a lone surrogate, which is not valid Unicode.',
      ['correlationId'],
    ],
    [
      'with a lone surrogate in its tenant',
      '{"workflow":"dinner","details":{"dish":"soup","guests":2},"tenant":"\\udfff"}',
      'The body is invalid: `tenant` has a lone surrogate, which is not valid Unicode.',
      ['tenant'],
    ],
    [
      'with a lone surrogate in its details',
      '{"workflow":"dinner","details":{"dish":"\\ud83dsoup","guests":2}}',
      'The body is invalid: `details.dish` has a lone surrogate, which is not valid Unicode.',
      ['details.dish'],
    ],
    [
      'with a field twice',
      '{"workflow":"dinner","details":{"dish":"soup","guests":2,"guests":3}}',
      'The body is invalid: `details.guests` occurs more than once.',
      ['details.guests'],
    ],
  ])('%s is refused, and nothing is stored', async (_, bytes, detail, fields) => {
    const world = await scenario();
    expect(await refusalOf(await sent(world, bytes))).toEqual({
      ...{ status: 400, code: 'json-malformed' },
      ...{ detail, fields },
    });
    expect((await listed(world)).orders).toEqual([]);
  });

  test.each([
    ['application/json; charset=latin1', 415],
    ['application/json;charset="utf-16"', 415],
    ['application/json; a=b; Charset=ISO-8859-1', 415],
    ['application/json;charset=UTF-8', 202],
    ['APPLICATION/JSON', 202],
    ['Application/JSON ; charset="utf-8"', 202],
  ])('of type %s is answered with %i', async (type, status) => {
    const world = await scenario();
    expect((await sent(world, JSON.stringify(body), { 'content-type': type })).status).toBe(status);
  });

  test('with a content coding is refused, on every route that accepts a body', async () => {
    const world = await scenario();
    const id = await orderIdOf(await world.submit());
    for (const path of ['/orders', `/orders/${id}/resubmit`, `/orders/${id}/cancel`]) {
      const headers = { ...json, 'content-encoding': 'gzip' };
      const response = await world.app.request(path, { method: 'POST', headers, body: 'x' });
      expect(response.headers.get('accept-encoding')).toBe('identity');
      expect(await refusalOf(response)).toMatchObject({
        ...{ status: 415, code: 'media-type-unsupported' },
        detail: 'Send the body without a Content-Encoding.',
      });
    }
  });

  test.each(['a b', 'a\tb', 'a, b', 'a,b', 'sch\u00f6n', ' ', 'k'.repeat(129)])(
    'with the idempotency key "%s" is refused',
    async (key) => {
      const world = await scenario();
      const response = await world.submit(body, { 'idempotency-key': key });
      expect(await refusalOf(response)).toEqual({
        ...{ status: 400, code: 'header-invalid', fields: ['idempotency-key'] },
        detail:
          '`idempotency-key` must be one text of 1 to 128 visible ASCII characters without spaces and commas.',
      });
    },
  );

  test('with two idempotency keys is refused', async () => {
    const world = await scenario();
    const headers = new Headers(json);
    headers.append('idempotency-key', 'a');
    headers.append('idempotency-key', 'b');
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const { status, fields } = await refusalOf(await world.app.request('/orders', init));
    expect({ status, fields }).toEqual({ status: 400, fields: ['idempotency-key'] });
  });

  test('with every character that a key may have is accepted', async () => {
    const world = await scenario();
    const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(at + 33)).join('');
    const key = visible.replace(',', '');
    expect((await world.submit(body, { 'idempotency-key': key })).status).toBe(202);
  });
});

describe('a request about one order', () => {
  test.each([
    ['cancel', '{"set":{}}', json, 422, ['set']],
    ['cancel', '[]', json, 422, ['body']],
    ['cancel', 'null', json, 422, ['body']],
    ['cancel', '{"a":1,"a":1}', json, 400, ['a']],
    ['cancel', '{', json, 400, []],
    ['cancel', '{}', { 'content-type': 'text/plain' }, 415, []],
    ['resubmit', '{"set":{"dish":"stew","dish":"soup"}}', json, 400, ['set.dish']],
    ['resubmit', '{"set":{"dish":"stew"}}', {}, 415, []],
    ['resubmit', '{"set":{"__proto__":"stew"}}', json, 422, ['set.__proto__']],
    [
      'resubmit',
      '{"set":{"dish":"stew","__proto__":{"dish":"soup"}}}',
      json,
      422,
      ['set.__proto__'],
    ],
    ['resubmit', '{"set":{"dish.__proto__":1}}', json, 422, ['dish.__proto__']],
    ['resubmit', '{"set":{"dish":{"__proto__":1}}}', json, 422, ['dish.__proto__']],
    ['resubmit', '{"__proto__":{"set":{}}}', json, 422, ['__proto__']],
    ['reprioritise', '{"priority":"high","__proto__":1}', json, 422, ['__proto__']],
  ])('%s with the body %s is refused', async (action, text, headers, status, fields) => {
    const world = await scenario();
    world.refuse(true);
    const id = await orderIdOf(await world.submit());
    await world.reaches(id, 'Error');
    const response = await world.app.request(`/orders/${id}/${action}`, {
      ...{ method: 'POST', headers },
      // As bytes, because for a text fetch adds a content type.
      body: new TextEncoder().encode(text),
    });
    expect(await refusalOf(response)).toMatchObject({ status, fields });
    await world.reaches(id, 'Error');
  });

  test.each(['', '{}'])('cancel with the body "%s" is accepted', async (text) => {
    const world = await scenario();
    world.refuse(true);
    const id = await orderIdOf(await world.submit());
    await world.reaches(id, 'Error');
    const init = { method: 'POST', headers: json, body: text };
    expect((await world.app.request(`/orders/${id}/cancel`, init)).status).toBe(202);
  });
});

const limitText = '`limit` must be a whole number from 1 to 200.';
const instantText =
  '`since` must be an instant such as 2026-01-31T12:00:00Z or 2026-01-31T14:00:00+02:00 (a + in a URL is written %2B).';

describe('a listing', () => {
  test.each([
    ['limit=0x10', limitText],
    ['limit=1e1', limitText],
    ['limit=%205', limitText],
    ['limit=', limitText],
    ['limit=1.0', limitText],
    ['limit=01', limitText],
    ['limit=0', limitText],
    ['limit=NaN', limitText],
    ['limit=1&limit=2', '`limit` must be given only once.'],
    ['state=Error&state=Error&state=Error', '`state` must be given only once.'],
    ['state=Lost', '`state` must be one of Pending, Processing, Processed, Error, Undone.'],
    ['workflow=', '`workflow` must not be empty.'],
    ['correlationId=%ff%fe', '`correlationId` is not percent-encoded UTF-8.'],
    ['correlationId=%E0%A4%A', '`correlationId` is not percent-encoded UTF-8.'],
    ['%ff=x', '`%ff` is not percent-encoded UTF-8.'],
    ['since=yesterday', instantText],
    ['since=2026-01-01T00:00:00+02:00', instantText],
    ['limit=0&state=', `${limitText.slice(0, -1)}; \`state\` must be one of`],
  ])('with %s is refused with a reason', async (query, detail) => {
    const { get } = await scenario();
    const refusal = await refusalOf(await get(`/orders?${query}`));
    expect(refusal).toMatchObject({ status: 400, code: 'query-invalid' });
    for (const part of detail.split('; ')) expect(refusal.detail).toContain(part);
  });

  test('accepts an instant with an offset', async () => {
    const world = await scenario();
    await world.submit();
    const from = (instant: string) => listed(world, `?since=${encodeURIComponent(instant)}`);
    expect((await from('2020-01-01T00:00:00+02:00')).orders).toHaveLength(1);
    expect((await from('2200-01-01T00:00:00-11:30')).orders).toHaveLength(0);
  });

  test('continues with its cursor, and refuses the cursor of other filters', async () => {
    const world = await scenario();
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.unshift(await orderIdOf(await world.submit()));
    for (const id of ids) await world.reaches(id, 'Processed');
    const first = await listed(world, '?limit=1&since=2020-01-01T00:00:00Z');
    const cursor = `cursor=${first.cursor}`;
    // The same instant in another form, and a page of another length.
    const second = await listed(world, `?limit=2&since=2020-01-01T00:00:00.000Z&${cursor}`);
    expect([...first.orders, ...second.orders].map(({ orderId }) => orderId)).toEqual(ids);
    for (const other of [
      '',
      'state=Processed&',
      'workflow=dinner&',
      'since=2021-01-01T00:00:00Z&',
    ]) {
      expect(await refusalOf(await world.get(`/orders?${other}${cursor}`))).toMatchObject({
        ...{ status: 400, code: 'cursor-invalid' },
        detail: expect.stringContaining('does not belong to a listing with these filters'),
      });
    }
  });
});

test('no reason contains the words of the validator', async () => {
  const { submit } = await scenario();
  const response = await submit({
    ...{ workflow: '', details: { dish: '', guests: 0.5 }, priority: 'now', colour: 1 },
    ...{ tenant: 7, correlationId: 'x'.repeat(129) },
  });
  const { detail } = problemSchema.parse(await response.json());
  expect(detail).toBe(
    [
      '`workflow` must not be empty',
      '`priority` must be one of high, normal, low',
      '`tenant` must be a string',
      '`correlationId` must have at most 128 characters',
      '`colour` is not known here.',
    ].join('; '),
  );
  const other = await submit({ workflow: 'dinner', details: { dish: '', guests: 0.5 } });
  expect(problemSchema.parse(await other.json()).detail).toBe(
    '`details.dish` must not be empty; `details.guests` must be a whole number.',
  );
  const missing = await submit({});
  expect(problemSchema.parse(await missing.json()).detail).toBe(
    '`workflow` is missing; `details` is missing.',
  );
});
