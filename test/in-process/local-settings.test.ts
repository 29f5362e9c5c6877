/** What one process knows of the changes of operators where its store fails. */
import { expect, test } from 'vitest';
import { type AgentSettings, changedSettings } from '#core/definition/agent-settings.ts';
import { agentName } from '#core/model/ids.ts';
import { localSettings } from '#in-process/local-settings.ts';
import type { AgentSettingStore } from '#ports/gates.ts';

const paint = agentName('paint');
const drain = { kind: 'drained', value: { by: 'olga', at: 1 } } as const;

/** A store whose answers to writes, and to reads, can be lost. */
function failing() {
  let settings: AgentSettings = new Map();
  const lost = { writes: true, reads: false };
  const store: AgentSettingStore = {
    async read() {
      if (lost.reads) throw new Error('no answer');
      return settings;
    },
    async store(agent, change) {
      settings = changedSettings(settings, agent, change);
      if (lost.writes) throw new Error('no answer');
    },
  };
  return { own: localSettings(store, settings), lost };
}

test('a change that was stored without an answer is in force, and its error is reported', async () => {
  const { own } = failing();
  let changes = 0;
  own.watch(() => {
    changes += 1;
  });
  await expect(own.store(paint, drain)).rejects.toThrow('no answer');
  expect(own.current().get(paint)).toEqual({ drained: drain.value });
  expect(changes).toBe(1);
});

test('where the store gives no answer at all, the next read finds the change', async () => {
  const { own, lost } = failing();
  lost.reads = true;
  await expect(own.store(paint, drain)).rejects.toThrow('no answer');
  expect(own.current().size).toBe(0);
  await expect(own.read()).rejects.toThrow('no answer');
  lost.reads = false;
  expect((await own.read()).get(paint)).toEqual({ drained: drain.value });
  expect(own.current().size).toBe(1);
});
