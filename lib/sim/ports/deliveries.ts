/** Delivers messages from the queues, and changes from the stream, to machines. */
import { changeOf } from '#core/model/change.ts';
import { errorKind } from '#core/model/errors.ts';
import { redeliverAfterMs } from '#roles/delays.ts';
import type { Fleet } from '#sim/world/fleet.ts';
import type { Host } from '#sim/world/host.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import { routesOf } from './delivery-routes.ts';
import type { SimMessage, SimQueue } from './sim-queue.ts';

export interface Deliveries {
  /** Delivers visible messages. */
  pump(queue: SimQueue): void;
  pumpStream(): void;
}

export interface DeliveryOptions {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  /**
   * How soon a process's own channel delivers an unacknowledged message again, ms; null: a queue, with its
   * visibility timeout.
   */
  readonly retryAfterMs: number | null;
}

/** Runs work on a host, and counts it as running until it ends. */
export function invoke(
  host: Host,
  { rules }: SharedInfrastructure,
  work: () => Promise<void>,
): void {
  host.running += 1;
  host.machine.whenAwake(() => {
    void work()
      .catch((error: unknown) => {
        host.log.error('invocation-failed', { error: errorKind(error) });
      })
      .then(() => {
        host.running -= 1;
        if (host.running === 0 && host.onlyInvoked) rules.idle(host.machine);
      });
  });
}

/** The delay of messages while no machine can take them, ms. */
const waitMs = 500;

export function deliveries({ shared, fleet, retryAfterMs }: DeliveryOptions): Deliveries {
  const { around, queues } = shared;
  const { timeline, trace, faults } = around;
  const routes = routesOf(shared, queues);
  const waiting = new Set<SimQueue>();

  function pump(queue: SimQueue): void {
    const route = routes.get(queue);
    if (route === undefined) return;
    const host = fleet.pick(route.duty);
    if (host === null) {
      if (waiting.has(queue)) return;
      waiting.add(queue);
      timeline.at(fleet.soon(waitMs), () => {
        waiting.delete(queue);
        pump(queue);
      });
      return;
    }
    const messages = queue.receive();
    if (messages.length === 0) return;
    // There may be more messages: pollers continue to poll.
    timeline.at(timeline.now() + 1, () => pump(queue));
    for (const { messageId, body } of messages) {
      trace.record(`${host.machine.name} receives ${messageId}`, body);
    }
    invoke(host, shared, async () => {
      learnTime(host, messages);
      const done = await route.deliver(host, messages);
      if (!host.machine.isAlive()) return;
      if (faults.strike('crash-before-acknowledging')) {
        host.machine.die();
        return;
      }
      queue.acknowledge(done);
      if (retryAfterMs !== null) queue.release(messages, retryAfterMs);
      else
        await hide(
          host,
          queue,
          messages.filter((message) => !done.includes(message)),
        );
    });
  }

  /** Hides messages to be retried, as lib/aws/queues/queue-batch.ts does. */
  async function hide(host: Host, queue: SimQueue, messages: readonly SimMessage[]) {
    if (messages.length === 0) return;
    await host.machine.call({
      what: `hide ${messages.length} of ${queue.name}`,
      refusal: 'queue-throttled',
      act() {
        for (const message of messages) {
          queue.release([message], redeliverAfterMs(message.receives, around.chance));
        }
      },
    });
  }

  return {
    pump,
    pumpStream() {
      const host = fleet.pick('notifier');
      if (host === null) {
        timeline.at(fleet.soon(waitMs), () => this.pumpStream());
        return;
      }
      const batch = shared.stream.take();
      if (batch === null) return;
      invoke(host, shared, async () => {
        const changes = batch.entries.map(({ previousState, record }) =>
          changeOf(previousState, record),
        );
        const places = [...changes.keys()].filter((place) => changes[place] !== null);
        const settled = await host.notifier.onChanges(changes.filter((change) => change !== null));
        const answered = batch.answer(places[settled] ?? batch.entries.length);
        for (const { record } of answered) shared.alerts.changeIsSettled(record, host.machine);
      });
    },
  };
}

/** By the messages that lib/aws/queues/first-receives.ts takes. */
export function learnTime(
  { learnTime: learn }: Pick<Host, 'learnTime'>,
  messages: readonly SimMessage[],
): void {
  learn(
    messages.flatMap(({ receives, firstReceivedAt }) => (receives === 1 ? [firstReceivedAt] : [])),
  );
}
