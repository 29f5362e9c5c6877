/** What the code of an agent may give where no types check it: its reply can be read, and its service is not called again. */
import { expect, test } from 'vitest';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import { kitchen } from './kitchen.ts';

test.each<[string, unknown, unknown, object]>([
  ['no effect', 'burnt', undefined, { code: 'burnt', effect: 'possible' }],
  ['an effect of another kind', 'burnt', 'None', { code: 'burnt', effect: 'possible' }],
  ['an effect that is none', 'burnt', 'none', { code: 'burnt', effect: 'none' }],
  ['an empty code', '', 'none', { code: 'unknown', effect: 'none' }],
  ['no code', undefined, 'none', { code: 'undefined', effect: 'none' }],
])('a fault with %s is reported as one that can be read', async (_, code, effect, fault) => {
  const { run, replies } = kitchen(async () => {
    // As code in JavaScript makes it.
    throw Reflect.construct(PermanentFault, [code, 'It burnt.', effect]);
  });
  expect(await run()).toEqual({ kind: 'done' });
  const decoded = replies.map((reply) => replyCodec.decode(replyCodec.encode(reply)));
  expect(decoded).toMatchObject([
    { kind: 'message', message: { result: { kind: 'failed', fault } } },
  ]);
});
