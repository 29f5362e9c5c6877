/**
 * What one instance knows of the changes that operators made to agents. They are read beside the orders of a batch, at most once
 * per second where there are pools or limits, or something was changed; else every ten seconds, because there is hardly ever
 * something to read. What cannot be read is as it was (R26).
 */
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import { errorKind } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { AgentSettingStore, KnownSettings } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import { isOlder } from './read-age.ts';

/** Options of {@link knownSettings}. */
export interface KnownSettingsOptions {
  readonly store: Pick<AgentSettingStore, 'read'>;
  /** Whether a workflow has a pool, or an agent has limits. */
  readonly isOftenChanged: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

const readEveryMs = 1_000;
/** While nothing is changed, and there are neither pools nor limits. */
const quietReadEveryMs = 10_000;

/** Nothing is known before the first `refresh`. */
export function knownSettings({
  store,
  isOftenChanged,
  clock,
  log,
}: KnownSettingsOptions): Required<KnownSettings> {
  let settings: AgentSettings = new Map();
  let stored = '';
  let readAt = Number.NEGATIVE_INFINITY;
  let isKnown = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    readAt = clock.now();
    try {
      const latest = await store.read();
      const text = JSON.stringify([...latest]);
      // The same object as long as nothing changes.
      if (text !== stored) settings = latest;
      stored = text;
      isKnown = true;
    } catch (error) {
      isKnown = false;
      log.warn('agent-settings-unread', { error: errorKind(error) });
    }
  }

  return {
    current: () => settings,
    refresh() {
      const isQuiet = isKnown && !isOftenChanged && settings.size === 0;
      const isOld = isOlder(readAt, isQuiet ? quietReadEveryMs : readEveryMs, clock.now());
      if (reading === undefined && !isOld) return undefined;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}
