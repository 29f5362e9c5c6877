/**
 * How many requests one of several instances of the Scheduler may send to an agent, so that the agent is busy and its queues
 * are short. Requests in the queues and at the agent are outstanding.
 *
 * 1. Each reply that an instance handles lets it send one request. So the number of outstanding ones stays the same, however
 *    many instances there are, and however old the counts of the queues are.
 * 2. The counts correct that number: each reply then lets a little more or less than one request be sent, so that the
 *    corrections of all instances together are as large as that of one would be.
 * 3. While nothing waits, an instance sends what comes, up to a number that the counts of the queues bound.
 */
import { errorKind } from '#core/model/errors.ts';
import type { OrderId, StepName } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Backlog, RequestBacklog } from '#ports/request-backlog.ts';
import { isOlder } from './read-age.ts';

/** Options of {@link requestFlow}. */
export interface RequestFlowOptions {
  readonly agent: string;
  readonly backlog: RequestBacklog;
  readonly clock: Clock;
  readonly log: Log;
}

/** Names a request and its reply. */
export interface Attempt {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
}

/** See {@link requestFlow}. */
export interface RequestFlow {
  /** Whether the queues must be read again. */
  isStale(): boolean;
  /** Reads the queues. Never rejects. */
  read(): Promise<void>;
  /** How many requests may be sent while nothing waits. */
  free(): number;
  /** Whether so little is outstanding that a request is sent although others wait. */
  isIdle(): boolean;
  /** How many of those that wait may be sent, by the replies that came. */
  earned(): number;
  sent(request: Attempt): void;
  unsent(request: Attempt): void;
  /** @param isFull whether requests wait: then the reply lets one of them be sent */
  replied(reply: Attempt, isFull: boolean): void;
}

/** The queues are read again after this, ms. */
const readEveryMs = 1_000;
/** While nothing waited, and this instance has sent so few requests since, it reads the queues less often. */
const quiet = { sentMax: 2, readEveryMs: 10_000 };
/** How many requests may wait in the queues of an agent, at least. */
const waitingMin = 10;
/**
 * As many as are in flight, so that each waits for the time of one call; and as many as the agent begins in this time, ms,
 * because the counts are old. Half of both left an agent idle for a tenth of the time.
 */
const waitingMs = 600;
/** Replies let at most so many requests be sent at once. */
const earnedMax = 25;
/** Time over which the counts correct the number of outstanding requests, ms: longer than they are old. */
const correctedOverMs = 3_000;
/** From a request to its reply, ms, before the first one is known. */
const roundTripFirstMs = 1_000;
/** The weight of the latest round trip. */
const latestShare = 0.1;
/** Requests of which the reply is awaited, to know the round trip. Others are not measured. */
const measuredMax = 200;

/** What is known at first: nothing, as if the agent had no work. */
export function requestFlow({
  agent,
  backlog: queues,
  clock,
  log,
}: RequestFlowOptions): RequestFlow {
  let readAt = Number.NEGATIVE_INFINITY;
  let backlog: Backlog = { waiting: 0, inFlight: 0 };
  /** Since the queues were read. */
  let sent = 0;
  let replied = 0;
  let earned = 0;
  let roundTripMs: number | null = null;
  const tripMs = () => roundTripMs ?? roundTripFirstMs;
  const sentAt = new Map<string, number>();

  const outstanding = () => backlog.waiting + backlog.inFlight + sent - replied;

  /** How many requests should wait. */
  function waitingWanted(): number {
    const { waiting, inFlight } = backlog;
    const perMs = (waiting + inFlight) / tripMs();
    return Math.max(waitingMin, inFlight, perMs * waitingMs);
  }

  /** The requests that one reply lets be sent. An agent whose queues are empty may be able to make more calls. */
  function perReply(): number {
    const is = Math.max(waitingMin, outstanding());
    const wanted = backlog.waiting === 0 ? 2 * is : backlog.inFlight + waitingWanted();
    const lacking = Math.max(-1, Math.min(1, (wanted - is) / is));
    return 1 + lacking * Math.min(1, tripMs() / correctedOverMs);
  }

  /**
   * How many requests are sent without a reply, because so few are outstanding that no reply may come. Replies of slow calls come
   * too late to say how many are wanted: then, because so few wait.
   */
  function lacking(): number {
    const isSlow = tripMs() > correctedOverMs;
    return waitingMin - (isSlow ? backlog.waiting + sent : outstanding());
  }

  function measure(reply: Attempt): void {
    const at = sentAt.get(nameOf(reply));
    if (at === undefined) return;
    sentAt.delete(nameOf(reply));
    const tookMs = Math.max(1, clock.now() - at);
    const known = roundTripMs ?? tookMs;
    roundTripMs = known + (tookMs - known) * latestShare;
  }

  return {
    isStale() {
      const isQuiet = backlog.waiting === 0 && sent <= quiet.sentMax;
      return isOlder(readAt, isQuiet ? quiet.readEveryMs : readEveryMs, clock.now());
    },
    async read() {
      readAt = clock.now();
      try {
        backlog = await queues.of(agent);
        sent = 0;
        replied = 0;
      } catch (error) {
        log.warn('load-unknown', { agent, error: errorKind(error) });
      }
    },
    free: () => Math.max(waitingMin, backlog.inFlight) - backlog.waiting - sent + replied,
    isIdle: () => lacking() > 0,
    earned: () => Math.max(Math.floor(earned), lacking()),
    sent(request) {
      sent += 1;
      earned = Math.max(0, earned - 1);
      if (sentAt.size >= measuredMax) sentAt.clear();
      sentAt.set(nameOf(request), clock.now());
    },
    unsent(request) {
      sent -= 1;
      sentAt.delete(nameOf(request));
    },
    replied(reply, isFull) {
      measure(reply);
      earned = isFull ? Math.min(earnedMax, earned + perReply()) : 0;
      replied += 1;
    },
  };
}

const nameOf = ({ orderId, step, attempt }: Attempt) => `${orderId} ${step} ${attempt}`;
