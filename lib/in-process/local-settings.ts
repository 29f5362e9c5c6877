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
export function localSettings(store: AgentSettingStore, stored: AgentSettings): LocalSettings {
  const listeners: (() => void)[] = [];
  let settings = stored;
  let isKnown = true;

  function adopt(latest: AgentSettings): void {
    isKnown = true;
    settings = latest;
    for (const listener of listeners) listener();
  }

  return {
    current: () => settings,
    async read() {
      if (!isKnown) adopt(await store.read());
      return settings;
    },
    async store(agent, change) {
      try {
        await store.store(agent, change);
      } catch (error) {
        // The change may be stored, and it is in force then: a process that does not know it would hold steps for good.
        isKnown = false;
        await store.read().then(adopt, () => {});
        throw error;
      }
      adopt(changedSettings(settings, agent, change));
    },
    watch(listener) {
      listeners.push(listener);
    },
  };
}
