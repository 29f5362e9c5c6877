/** Each gate has one wording: in the descriptions of the API, in the history, and where an order waits. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { historyLine } from '#console/order/history-lines.ts';
import { agentGates, gates } from '#core/model/hold.ts';
import { gateReason, longestWaits } from '#text/gate-text.ts';
import { historySentence } from '#text/history-text.ts';

const described = readFileSync('lib/http/description/openapi.json', 'utf8');
const at = '2026-01-01T00:00:00.000Z';

test('each gate has words of its own, and one of a newer release its name', () => {
  const texts = gates.map((gate) => gateReason(gate));
  expect(new Set(texts).size).toBe(gates.length);
  for (const text of texts) expect(text).not.toMatch(/\(.*\)$/);
  expect(gateReason('newer', 'pay')).toBe('pay accepts no call now (newer)');
});

describe.each(agentGates)('the gate %s', (gate) => {
  const reason = gateReason(gate);

  test('reads the same where an agent gave a call back, held a step, or makes an order wait', () => {
    const entry = { at, type: 'deferred', step: 'charge', attempt: 2, gate };
    expect(historySentence(historyLine(entry))).toBe(
      `step charge: its agent gave the call back (attempt 2), because ${reason}`,
    );
    const holds = [{ step: 'charge', gate, agent: 'pay' }];
    expect(historySentence({ type: 'held', at: 0, holds, times: 1 })).toBe(
      `held: step charge waits, because ${gateReason(gate, 'pay')}`,
    );
    const [wait] = longestWaits([{ agent: 'pay', held: { gate, since: at } }], null);
    expect(wait?.text).toBe(`pay: ${reason}`);
  });

  test('is described so in the API', () => {
    for (const meaning of [`${gate}: ${reason}.`, `${gate}: ${gateReason(gate, 'the agent')}.`]) {
      expect(described).toContain(meaning);
    }
  });
});
