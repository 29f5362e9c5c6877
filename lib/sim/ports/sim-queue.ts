/**
 * A standard queue: at least once, in any order, hides received messages for a while, and moves messages received
 * too often to the dead letters. It satisfies the contract in test/contracts/queue.ts.
 */
import type { Breach } from '#checkers/violation.ts';
import type { QueueMessage } from '#roles/queue-delivery.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface SimMessage extends QueueMessage {
  readonly receives: number;
  /** When the queue took it, ms since the epoch. */
  readonly sentAt: number;
  /** When the queue gave it to its first receiver, ms since the epoch. */
  readonly firstReceivedAt: number;
}

/** When those that are received for the first time were sent: as lib/aws/queues/first-receives.ts. */
export const firstSent = (messages: readonly SimMessage[]): readonly number[] =>
  messages.flatMap(({ receives, sentAt }) => (receives === 1 ? [sentAt] : []));

export interface DeadLetter {
  readonly body: string;
  /** Why its reader parked it; null when it was received too often. */
  readonly reason: string | null;
}

export interface SimQueueOptions {
  readonly name: string;
  readonly around: SimContext;
  readonly visibilityMs: number;
  readonly receivesMax: number;
  /** Called whenever there may be a visible message. */
  readonly onVisible: (queue: SimQueue) => void;
  readonly breach: Breach;
}

export interface SimQueue {
  readonly name: string;
  /** @param delaySeconds how long the queue hides them first, as SQS does; default 0 */
  put(bodies: readonly string[], delaySeconds?: number): void;
  /** Like `put`, for messages that may be late or duplicated but not lost. */
  putSafely(bodies: readonly string[], delaySeconds?: number): void;
  /** Up to ten messages, each hidden for the visibility timeout. */
  receive(): readonly SimMessage[];
  /** Deletes them, except messages received again since. */
  acknowledge(received: readonly SimMessage[]): void;
  /** Makes them visible after this delay. */
  release(received: readonly SimMessage[], afterMs: number): void;
  /** From now on, received messages are hidden for at least this long, ms. */
  hideFor(ms: number): void;
  park(delivery: SimMessage, reason: string): void;
  /** The number of messages, including hidden ones. */
  size(): number;
  /** How many messages can be received, and how many are hidden because they were. */
  count(): { readonly waiting: number; readonly inFlight: number };
  readonly deadLetters: readonly DeadLetter[];
}

interface Held {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: number;
  delivery: SimMessage | null;
  receives: number;
  firstReceivedAt: number | null;
  visibleAt: number;
  /** Cancels the timer of its next visibility. */
  unseen: () => void;
}

const batchMax = 10;
/** Worlds have at most some forty orders, so this many messages were made by each other. */
const messagesMax = 5_000;

export function simQueue(options: SimQueueOptions): SimQueue {
  const { name, receivesMax } = options;
  let { visibilityMs } = options;
  const { timeline, chance, faults } = options.around;
  const held = new Set<Held>();
  const hasRoom = roomOf(held, options);
  const deadLetters: DeadLetter[] = [];
  let count = 0;

  function show(message: Held, at: number): void {
    message.unseen();
    message.visibleAt = at;
    message.unseen = timeline.at(at, () => options.onVisible(queue));
  }

  function add(messageId: string, body: string, delaySeconds: number): void {
    if (!hasRoom()) return;
    const message = newMessage(messageId, body, timeline.now());
    held.add(message);
    show(message, timeline.now() + travelMs(options.around, delaySeconds));
  }

  function remove(message: Held): void {
    message.unseen();
    held.delete(message);
  }

  function receiveOne(message: Held): SimMessage | null {
    const { messageId, body, sentAt } = message;
    if (message.receives === receivesMax) {
      remove(message);
      deadLetters.push({ body, reason: null });
      return null;
    }
    if (message.delivery !== null) faults.note('delivered-while-delivered');
    message.receives += 1;
    message.firstReceivedAt ??= timeline.now();
    const { receives, firstReceivedAt } = message;
    message.delivery = { messageId, body, sentAt, receives, firstReceivedAt };
    const hiddenMs = faults.strike('seen-too-soon') ? chance.between(20, 2_000) : visibilityMs;
    show(message, timeline.now() + hiddenMs);
    return message.delivery;
  }

  const queue: SimQueue = {
    name,
    deadLetters,
    size: () => held.size,
    count: () => counted(held),
    put: (bodies, delaySeconds = 0) =>
      queue.putSafely(kept(options.around, bodies, delaySeconds), delaySeconds),
    putSafely(bodies, delaySeconds = 0) {
      for (const body of bodies) {
        count += 1;
        const messageId = `${name}-${count}`;
        add(messageId, body, delaySeconds);
        if (faults.strike('message-doubled')) add(messageId, body, delaySeconds);
      }
    },
    receive() {
      const received: SimMessage[] = [];
      for (const message of held) {
        if (received.length === batchMax) break;
        const delivery = message.visibleAt <= timeline.now() ? receiveOne(message) : null;
        if (delivery !== null) received.push(delivery);
      }
      return received;
    },
    acknowledge(received) {
      for (const message of holdersIn(held, received)) remove(message);
    },
    release(received, afterMs) {
      for (const message of holdersIn(held, received)) {
        message.delivery = null;
        show(message, timeline.now() + afterMs);
      }
    },
    hideFor(ms) {
      visibilityMs = Math.max(visibilityMs, ms);
    },
    park: ({ body }, reason) => void deadLetters.push({ body, reason }),
  };
  return queue;
}

/** Whether the queue takes another message. */
function roomOf(held: ReadonlySet<Held>, { name, breach }: SimQueueOptions) {
  let isFull = false;
  return (): boolean => {
    if (held.size < messagesMax) return true;
    if (!isFull) breach('R19', `${name} has ${messagesMax} messages: they multiply`);
    isFull = true;
    return false;
  };
}

/** Delayed messages are few, so they have rates of their own. */
function kept({ faults }: SimContext, bodies: readonly string[], delaySeconds: number) {
  const lost = delaySeconds > 0 ? 'delayed-message-lost' : 'message-lost';
  return bodies.filter(() => !faults.strike(lost));
}

/** From sending to the first visibility, ms. */
function travelMs({ faults, chance }: SimContext, delaySeconds: number): number {
  const late = delaySeconds > 0 ? 'delayed-message-late' : 'message-late';
  const ms = faults.strike(late) ? chance.between(1_000, 180_000) : chance.between(1, 20);
  return delaySeconds * 1_000 + ms;
}

const holdersIn = (held: ReadonlySet<Held>, received: readonly SimMessage[]) =>
  received.flatMap((delivery) => holderIn(held, delivery) ?? []);

function holderIn(held: ReadonlySet<Held>, delivery: SimMessage): Held | null {
  for (const message of held) if (message.delivery === delivery) return message;
  return null;
}

function counted(held: ReadonlySet<Held>) {
  let inFlight = 0;
  for (const { delivery } of held) if (delivery !== null) inFlight += 1;
  return { waiting: held.size - inFlight, inFlight };
}

const newMessage = (messageId: string, body: string, sentAt: number): Held => ({
  ...{ messageId, body, sentAt },
  delivery: null,
  receives: 0,
  firstReceivedAt: null,
  visibleAt: 0,
  unseen: () => {},
});
