/**
 * The calls of one attempt to the endpoints of its service. A call that fails is followed at once by one to another
 * endpoint; only when all of them have failed, the service has. A call that has another endpoint after it gets half of the
 * time that is left, so that one that never answers does not take the whole attempt.
 */
import type { Ejection } from '#core/flow/endpoint-member.ts';
import { type EndpointPool, type EndpointVerdict, endpointPool } from '#core/flow/endpoint-pool.ts';
import { DefinitionError } from '#core/model/errors.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import type { MakeCall } from './agent-call.ts';
import { type Deadline, deadline } from './deadline.ts';
import type { OpenDeadlines } from './open-deadlines.ts';

/** One call. `end` must follow. */
export interface EndpointTry {
  readonly call: Call;
  /** Settles as the work of the call does; rejects when its time passes before. */
  bound<Result>(work: Promise<Result>): Promise<Result>;
  answered(): void;
  /** Returns whether another endpoint is to be called at once. */
  failed(): boolean;
  end(): void;
}

/** Begins the next call of an attempt. `isWhole`: it gets all of the time that is left. */
export type NextTry = (isWhole: boolean) => EndpointTry;

/** How several processes of one agent learn of the endpoints that others have ejected. */
export interface EjectionShare {
  ejected(ejection: Ejection): void;
  /** After each other failed call. `adopt` takes what others have ejected. */
  failed(adopt: (others: readonly Ejection[]) => void): void;
}

/** The ports of {@link triesOf}. */
export interface EndpointTryPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** None for an agent with one process. */
  readonly ejections?: EjectionShare;
}

/** An agent and the endpoints of its service; null when it has one address. */
export interface Service {
  readonly agent: AgentImplementation;
  readonly pool: EndpointPool | null;
  /** Of its attempts and calls that have not ended. */
  readonly deadlines: OpenDeadlines;
}

/** @param limit of the attempt */
export function triesOf(
  { agent, pool, deadlines }: Service,
  { clock, random, log, ejections }: EndpointTryPorts,
  makeCall: MakeCall,
  limit: Deadline,
): NextTry {
  if (pool === null) {
    const { answered, failed, end } = unjudged;
    const bound: EndpointTry['bound'] = (work) => limit.bound(work);
    const only = { call: makeCall(null, limit), bound, answered, failed, end };
    return () => only;
  }
  const report = (url: string, verdict: EndpointVerdict) => {
    const fields = { agent: agent.contract.name, endpoint: url };
    if (verdict.kind === 'ejected') {
      const { until, count } = verdict.ejection;
      log.warn('endpoint-ejected', { ...fields, ejectedMs: until - clock.now(), count });
      ejections?.ejected(verdict.ejection);
    } else if (verdict.kind === 'not-ejected') log.error('endpoint-not-ejected', fields);
  };
  let tried = new Set<string>();
  return (isWhole) => {
    const beganAt = clock.now();
    const chosen = pool.choose(beganAt, random.next, tried);
    tried.add(chosen.url);
    const isLast = pool.isTried(beganAt, tried);
    const half = (limit.completeBy - beganAt) / 2;
    const part = isLast || isWhole ? limit : deadline(clock, beganAt + half, deadlines);
    return {
      call: makeCall(chosen.url, part),
      bound: (work) => part.bound(work),
      answered: () => report(chosen.url, chosen.answered(clock.now())),
      failed() {
        report(chosen.url, chosen.failed(clock.now(), limit.completeBy - beganAt));
        ejections?.failed((others) => pool.adopt(others, clock.now()));
        if (isLast) tried = new Set();
        return !isLast;
      },
      end() {
        if (part !== limit) part.end();
      },
    };
  };
}

/** The bounds of the weight of an endpoint. */
const weights = { min: 0.01, max: 1_000 };

/**
 * The endpoints of an agent; null when it has none.
 *
 * @throws {DefinitionError} `endpoints-invalid`
 */
export function poolOf({ contract, endpoints }: AgentImplementation): EndpointPool | null {
  if (endpoints === undefined) return null;
  const urls = new Set(endpoints.map(({ url }) => url));
  const isRange = endpoints.every(
    ({ weight = 1 }) => weight >= weights.min && weight <= weights.max,
  );
  if (endpoints.length > 0 && urls.size === endpoints.length && !urls.has('') && isRange) {
    return endpointPool(endpoints);
  }
  throw new DefinitionError(
    'endpoints-invalid',
    `Agent ${contract.name}: its endpoints must be one or more addresses, each once and not empty, with weights from ${weights.min} to ${weights.max}.`,
  );
}

const unjudged = { answered() {}, failed: () => false, end() {} };
