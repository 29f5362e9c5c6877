/**
 * A standard queue: at least once, in any order, hidden for a while from others when it is received,
 * and given up to the dead letters when it was received too often. test/contracts/queue.ts holds it to
 * what queues of that kind do.
 */
import type { QueueMessage } from '#roles/queue-delivery.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface SimMessage extends QueueMessage {
  readonly receives: number;
}

export interface DeadLetter {
  readonly body: string;
  /** Why its reader parked it; null when it was only received too often. */
  readonly reason: string | null;
}

export interface SimQueueOptions {
  readonly name: string;
  readonly around: SimContext;
  readonly visibilityMs: number;
  readonly receivesMax: number;
  /** Told whenever there may be something to receive. */
  readonly onVisible: (queue: SimQueue) => void;
}

export interface SimQueue {
  readonly name: string;
  put(bodies: readonly string[]): void;
  /** As `put`, of what may come late or twice, but must come. */
  putSafely(bodies: readonly string[]): void;
  /** Up to ten, each hidden from then on for its visibility timeout. */
  receive(): readonly SimMessage[];
  /** Forgets them; one that was received again since is not forgotten. */
  acknowledge(received: readonly SimMessage[]): void;
  /** Shows them again, this long from now. */
  release(received: readonly SimMessage[], afterMs: number): void;
  /** From now on, what is received is hidden for at least this long, ms. */
  hideFor(ms: number): void;
  park(delivery: SimMessage, reason: string): void;
  /** A process's own queue dies with it. */
  drop(): void;
  /** How many there are, hidden ones included. */
  size(): number;
  readonly deadLetters: readonly DeadLetter[];
}

interface Held {
  readonly messageId: string;
  readonly body: string;
  delivery: SimMessage | null;
  receives: number;
  visibleAt: number;
  /** Takes back the appointment at which it is seen again. */
  unseen: () => void;
}

const batchMax = 10;

export function simQueue(options: SimQueueOptions): SimQueue {
  const { name, receivesMax } = options;
  let { visibilityMs } = options;
  const { timeline, chance, faults } = options.around;
  const held = new Set<Held>();
  const deadLetters: DeadLetter[] = [];
  let count = 0;

  function show(message: Held, at: number): void {
    message.unseen();
    message.visibleAt = at;
    message.unseen = timeline.at(at, () => options.onVisible(queue));
  }

  function add(messageId: string, body: string): void {
    const message = newMessage(messageId, body);
    held.add(message);
    const delay = faults.strike('message-late')
      ? chance.between(1_000, 180_000)
      : chance.between(1, 20);
    show(message, timeline.now() + delay);
  }

  function remove(message: Held): void {
    message.unseen();
    held.delete(message);
  }

  function receiveOne(message: Held): SimMessage | null {
    const { messageId, body } = message;
    if (message.receives === receivesMax) {
      remove(message);
      deadLetters.push({ body, reason: null });
      return null;
    }
    if (message.delivery !== null) faults.note('delivered-while-delivered');
    message.receives += 1;
    message.delivery = { messageId, body, receives: message.receives };
    const hiddenMs = faults.strike('seen-too-soon') ? chance.between(20, 2_000) : visibilityMs;
    show(message, timeline.now() + hiddenMs);
    return message.delivery;
  }

  const holderOf = (delivery: SimMessage) =>
    [...held].find((message) => message.delivery === delivery) ?? null;

  const queue: SimQueue = {
    name,
    deadLetters,
    size: () => held.size,
    put: (bodies) => queue.putSafely(bodies.filter(() => !faults.strike('message-lost'))),
    putSafely(bodies) {
      for (const body of bodies) {
        count += 1;
        const messageId = `${name}-${count}`;
        add(messageId, body);
        if (faults.strike('message-doubled')) add(messageId, body);
      }
    },
    receive() {
      const received: SimMessage[] = [];
      for (const message of [...held]) {
        if (received.length === batchMax) break;
        const delivery = message.visibleAt <= timeline.now() ? receiveOne(message) : null;
        if (delivery !== null) received.push(delivery);
      }
      return received;
    },
    acknowledge(received) {
      for (const message of received.map(holderOf)) if (message !== null) remove(message);
    },
    release(received, afterMs) {
      for (const message of received.flatMap((delivery) => holderOf(delivery) ?? [])) {
        message.delivery = null;
        show(message, timeline.now() + afterMs);
      }
    },
    hideFor(ms) {
      visibilityMs = Math.max(visibilityMs, ms);
    },
    park: ({ body }, reason) => void deadLetters.push({ body, reason }),
    drop() {
      for (const message of held) remove(message);
    },
  };
  return queue;
}

const newMessage = (messageId: string, body: string): Held => ({
  messageId,
  body,
  delivery: null,
  receives: 0,
  visibleAt: 0,
  unseen: () => {},
});
