/** The contract of AgentSettingStore, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import { agentName } from '#core/model/ids.ts';
import type { AgentSettingStore } from '#ports/gates.ts';

const [paint, print] = [agentName('paint'), agentName('print')];
const olga = { by: 'olga', at: Date.UTC(2026, 0, 1) };
const ada = { by: 'ada', at: olga.at + 1 };

/** A store without a change; `open` gives another view of it, as after a restart. */
export interface OpenedSettings {
  readonly open: () => AgentSettingStore;
}

export function agentSettingsContract(
  name: string,
  openEmpty: () => Promise<OpenedSettings>,
): void {
  describe(`the contract of agent settings: ${name}`, () => {
    let open: OpenedSettings['open'];
    beforeEach(async () => {
      open = (await openEmpty()).open;
    });
    const stored = async () => Object.fromEntries(await open().read());

    test('nothing is changed at first', async () => {
      expect(await stored()).toEqual({});
    });

    test('what is stored is read, for each agent and kind', async () => {
      await open().store(paint, { kind: 'drained', value: olga });
      await open().store(paint, { kind: 'weight', value: { ...ada, value: 0 } });
      await open().store(print, { kind: 'weight', value: { ...olga, value: 100 } });
      expect(await stored()).toEqual({
        paint: { drained: olga, weight: { ...ada, value: 0 } },
        print: { weight: { ...olga, value: 100 } },
      });
    });

    test('the later change of a kind counts, and null removes it', async () => {
      await open().store(paint, { kind: 'drained', value: olga });
      await open().store(paint, { kind: 'drained', value: ada });
      expect(await stored()).toEqual({ paint: { drained: ada } });
      await open().store(paint, { kind: 'drained', value: null });
      await open().store(print, { kind: 'weight', value: null });
      expect(await stored()).toEqual({});
    });

    test.each(['drained', 'weight'] as const)(
      'the removal of %s leaves the other changes, also those of other agents',
      async (kind) => {
        const weight = { ...ada, value: 3 };
        for (const agent of [paint, print]) {
          await open().store(agent, { kind: 'drained', value: olga });
          await open().store(agent, { kind: 'weight', value: weight });
        }
        await open().store(paint, { kind, value: null });
        expect(await stored()).toEqual({
          paint: kind === 'drained' ? { weight } : { drained: olga },
          print: { drained: olga, weight },
        });
      },
    );

    test('changes at once do not overwrite each other', async () => {
      await Promise.all([
        open().store(paint, { kind: 'drained', value: olga }),
        open().store(paint, { kind: 'weight', value: { ...olga, value: 2 } }),
        open().store(print, { kind: 'drained', value: ada }),
      ]);
      expect(await stored()).toEqual({
        paint: { drained: olga, weight: { ...olga, value: 2 } },
        print: { drained: ada },
      });
    });
  });
}
