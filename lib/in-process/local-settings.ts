/** What operators have changed of the agents of one process: known from the start, and at once when it changes. */
import { type AgentSettings, changedSettings } from '#core/definition/agent-settings.ts';
import type { AgentSettingStore, KnownSettings } from '#ports/gates.ts';

/** See {@link localSettings}. */
export interface LocalSettings extends KnownSettings, AgentSettingStore {
  /** Calls `listener` after each change. */
  watch(listener: () => void): void;
}

/**
 * @param store keeps the settings over restarts; nothing else may change them there
 * @param stored what it has now
 */
export function localSettings(
  store: Pick<AgentSettingStore, 'store'>,
  stored: AgentSettings,
): LocalSettings {
  const listeners: (() => void)[] = [];
  let settings = stored;
  return {
    current: () => settings,
    read: async () => settings,
    async store(agent, change) {
      await store.store(agent, change);
      settings = changedSettings(settings, agent, change);
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.push(listener);
    },
  };
}
