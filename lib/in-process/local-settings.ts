/** What operators have changed of the agents of one process: known from the start, and at once when it changes. */
import { type AgentSettings, changedSetting } from '#core/definition/agent-settings.ts';
import type { AgentSettingStore, KnownSettings } from '#ports/gates.ts';

/** See {@link localSettings}. */
export interface LocalSettings extends KnownSettings, AgentSettingStore {
  /** Calls `listener` after each change. */
  watch(listener: () => void): void;
}

/** @param store keeps the settings over restarts; nothing else may change them there */
export async function localSettings(store: AgentSettingStore): Promise<LocalSettings> {
  const listeners: (() => void)[] = [];
  let settings: AgentSettings = await store.read();
  return {
    current: () => settings,
    read: async () => settings,
    async store(agent, change) {
      await store.store(agent, change);
      const next = new Map(settings);
      const setting = changedSetting(next.get(agent) ?? {}, change);
      if (setting.drained === undefined && setting.weight === undefined) next.delete(agent);
      else next.set(agent, setting);
      settings = next;
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.push(listener);
    },
  };
}
