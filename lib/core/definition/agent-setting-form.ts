/** The stored form of what operators change of agents: one text for each agent and kind of change. */
import * as z from 'zod';
import { instant } from '#core/model/instant.ts';
import { limits } from '#core/model/limits.ts';
import { memberWeightMax } from './agent-pool.ts';
import { type AgentChange, type AgentSettings, changedSettings } from './agent-settings.ts';

const changed = z.object({ by: z.string(), at: instant });
const forms = {
  drained: changed,
  weight: changed.extend({ value: z.int().min(0).max(memberWeightMax) }),
  limit: changed.extend({
    rate: z
      .object({
        count: z.int().min(1).max(limits.limitCallsMax),
        per: z.int().min(limits.limitPerMinMs).max(limits.limitPerMaxMs),
        burst: z.int().min(1),
      })
      .refine(({ burst, count }) => burst <= count)
      .exactOptional(),
    atOnce: z.int().min(1).max(limits.limitCallsMax).exactOptional(),
  }),
};

/** A stored change. */
export interface StoredChange {
  readonly agent: string;
  readonly kind: string;
  readonly text: string;
}

/** The text of a change; null: what is stored is to be removed. */
export const changeText = ({ value }: AgentChange): string | null =>
  value === null ? null : JSON.stringify(value);

/** @param onUnreadable called with what this release cannot read, which then has no effect */
export function settingsOf(
  stored: Iterable<StoredChange>,
  onUnreadable: (stored: StoredChange) => void,
): AgentSettings {
  let settings: AgentSettings = new Map();
  for (const one of stored) {
    const change = changeOf(one);
    if (change === null) onUnreadable(one);
    else settings = changedSettings(settings, one.agent, change);
  }
  return settings;
}

function changeOf({ kind, text }: StoredChange): AgentChange | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  switch (kind) {
    case 'drained': {
      const { data } = forms.drained.safeParse(value);
      return data === undefined ? null : { kind, value: data };
    }
    case 'weight': {
      const { data } = forms.weight.safeParse(value);
      return data === undefined ? null : { kind, value: data };
    }
    case 'limit': {
      const { data } = forms.limit.safeParse(value);
      return data === undefined ? null : { kind, value: data };
    }
    default:
      return null;
  }
}
