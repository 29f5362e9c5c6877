/** What operators changed of agents: one item in the Coordination table, with an attribute for each agent and kind of change. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { changeText, settingsOf } from '#core/definition/agent-setting-form.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import { toItem } from './attributes.ts';
import { coordinationItems } from './coordination-items.ts';
import { agentSettingsKey, coordinationKey } from './tables.ts';

const separator = ':';

/** Changes of two operators at once do not overwrite each other, except for the same thing: then the later one counts. */
export function dynamoAgentSettings(
  client: DynamoDBClient,
  table: string,
  log: Log,
): AgentSettingStore {
  const items = coordinationItems(client, table);
  return {
    async read() {
      const { [coordinationKey.name]: _, ...attributes } =
        (await items.read(agentSettingsKey)) ?? {};
      const stored = Object.entries(attributes).map(([name, value]) => {
        const at = name.indexOf(separator);
        const text = typeof value === 'string' ? value : '';
        return { kind: name.slice(0, at), agent: name.slice(at + 1), text };
      });
      return settingsOf(stored, ({ agent, kind }) =>
        log.error('agent-setting-unreadable', { agent, kind }),
      );
    },

    async store(agent, change) {
      const text = changeText(change);
      await items.update(agentSettingsKey, {
        UpdateExpression: text === null ? 'REMOVE #change' : 'SET #change = :value',
        ExpressionAttributeNames: { '#change': `${change.kind}${separator}${agent}` },
        ...(text !== null && { ExpressionAttributeValues: toItem({ ':value': text }) }),
      });
    },
  };
}
