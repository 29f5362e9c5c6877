import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import type { Command, DeadlineCheck, Nudge, Request } from '#core/model/message.ts';
import { sendCommands } from '#roles/send-commands.ts';
import { call } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';

const nudge: Nudge = { orderId: orderId('one'), priority: 'normal' };
const check: DeadlineCheck = { orderId: orderId('two'), at: 1, claimedAt: null };
const commands: readonly Command[] = [
  { kind: 'nudge', nudge },
  { kind: 'request', request: call('two') },
];

test.each(['nudges', 'requests', 'checks'])(
  'of a batch whose %s cannot be sent, the other messages are sent, and the number of the lost ones is logged',
  async (failing) => {
    const log = testLog();
    const sent: string[] = [];
    const channel = <Message extends Nudge | Request | DeadlineCheck>(name: string) => ({
      async send(messages: readonly Message[]) {
        if (name === failing) throw new TypeError('no channel');
        sent.push(...messages.map(({ orderId: of }) => `${name} of ${of}`));
      },
    });
    const channels = { nudges: channel<Nudge>('nudges'), requests: channel<Request>('requests') };
    await sendCommands({ channels, checks: channel('checks'), log }, commands, [check]);
    const all = ['nudges of one', 'requests of two', 'checks of two'];
    expect(sent).toEqual(all.filter((one) => !one.startsWith(failing)));
    const lost = { nudges: Number(failing === 'nudges'), requests: Number(failing === 'requests') };
    const fields = { ...lost, error: 'TypeError', code: null };
    expect(log.lines).toEqual([{ event: 'messages-lost', fields }]);
  },
);
