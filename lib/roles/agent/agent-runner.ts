/**
 * Runs an agent behind a circuit breaker: retries transient faults with jittered backoff until the deadline, always
 * with the same idempotency key (R8), reports permanent faults, and sends no reply after complete-by (R7).
 */

import { faultyFields } from '#core/codec/field-errors.ts';
import { checkImplementation } from '#core/definition/option-forms.ts';
import { outputFault } from '#core/definition/output.ts';
import type { EndpointStatus } from '#core/flow/endpoint-pool.ts';
import type { BackOff } from '#core/model/back-off.ts';
import { DefinitionError, errorFields, errorKind, readableError } from '#core/model/errors.ts';
import { cutFault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Deferral, Reply, ReplyResult, Request } from '#core/model/message.ts';
import {
  type AgentImplementation,
  type Call,
  PermanentFault,
} from '#ports/agent-implementation.ts';
import type { Admission, Breaker, Refusal } from '#ports/breaker.ts';
import type { ReplyChannel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import { backOffMs } from '../delays.ts';
import { callsOf } from './agent-call.ts';
import { type Deadline, deadline } from './deadline.ts';
import { type EjectionShare, poolOf, type Service, triesOf } from './endpoint-tries.ts';
import { openDeadlines } from './open-deadlines.ts';

/** Between retries of a call. The maximum is short compared with the usual deadline, so that a recovered service is soon called. */
const faultBackOff: BackOff = { firstMs: 100, maxMs: 2_000 };

/** An attempt that waits for a limit asks again after so long at most, ms: the clock may be set while it waits. */
const limitPauseMaxMs = 2_000;

/** The agent as its request queue sees it. */
export interface AgentRunner {
  /**
   * Resolves when the result was sent or the deadline has passed; `retry` when the reply could not be sent.
   *
   * @param isFirst the request has not been delivered before, so that no other call of its attempt is in flight. Default: false
   */
  handle(request: Request, isFirst?: boolean): Promise<Delivery>;
  /** The endpoints of its service; none when it has one address. */
  endpoints(): readonly EndpointStatus[];
  /**
   * Ends the attempts in flight without a reply, and aborts the signals of their calls. They are in doubt, and the next process
   * recovers them (`interrupted`). Nothing is handled afterwards.
   */
  close(): void;
}

/** The ports of {@link agentRunner}. */
export interface AgentRunnerPorts {
  readonly replies: ReplyChannel;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Receives the error of each call that is repeated. It must not throw. */
  readonly onCallFailed?: (request: Request, error: unknown) => void;
  /** For an agent with endpoints of which several processes run. */
  readonly ejections?: EjectionShare;
}

/**
 * Makes the runner of one agent.
 *
 * @throws {DefinitionError} `undo-mismatch` when contract and code disagree about undo; `endpoints-invalid`; `options-invalid`
 */
export function agentRunner(agent: AgentImplementation, ports: AgentRunnerPorts): AgentRunner {
  checkImplementation(agent);
  const { contract } = agent;
  if ((contract.undo === 'offered') !== (agent.undo !== undefined)) {
    throw new DefinitionError(
      'undo-mismatch',
      `Agent ${contract.name}: its contract says undo is ${contract.undo}, and its code ${agent.undo === undefined ? 'has none' : 'has one'}. Make them agree.`,
    );
  }
  let isClosed = false;
  const deadlines = openDeadlines(ports.clock);
  const service = { agent, pool: poolOf(agent), deadlines, isClosed: () => isClosed };
  return {
    handle: (request, isFirst = false) =>
      isClosed ? Promise.resolve(done) : handle(service, ports, request, isFirst),
    endpoints: () => service.pool?.status(ports.clock.now()) ?? [],
    close() {
      isClosed = true;
      deadlines.stop();
    },
  };
}

const done: Delivery = { kind: 'done' };

interface OpenService extends Service {
  readonly isClosed: () => boolean;
}

async function handle(
  service: OpenService,
  ports: AgentRunnerPorts,
  request: Request,
  isFirst: boolean,
): Promise<Delivery> {
  const nowMs = ports.clock.now();
  const waitedMs = waitedFor(request, nowMs);
  // An earlier delivery of the request may have begun, so this one says nothing.
  if (nowMs > request.completeBy && !isFirst) {
    ports.breaker.end(request);
    return done;
  }
  const limit = deadline(ports.clock, request.completeBy, service.deadlines);
  try {
    const begun = ports.breaker.begin(request);
    // Most calls begin at once: then a turn is saved.
    const refusal = begun instanceof Promise ? await begun : begun;
    const result =
      refusal === null ? await attempt(service, ports, request, limit) : deferral(refusal);
    if (service.isClosed()) return done;
    const isLate = limit.isPast() && result?.kind !== 'deferred';
    if (result === undefined || isLate) return silent(ports, request);
    await ports.replies.send([replyTo(request, result, waitedMs)]);
    return done;
  } catch (error) {
    logError(ports.log, 'reply-failed', request, error);
    return { kind: 'retry' };
  } finally {
    limit.end();
    ports.breaker.end(request);
  }
}

/** The result to report; undefined when the deadline has passed. */
async function attempt(
  service: OpenService,
  ports: AgentRunnerPorts,
  request: Request,
  limit: Deadline,
): Promise<ReplyResult | undefined> {
  const { agent } = service;
  const input = checkedInput(agent, request);
  if ('kind' in input) return input;
  const beat = () => {
    ports.replies
      .send([replyTo(request, { kind: 'heartbeat' })])
      .catch((error: unknown) => logError(ports.log, 'heartbeat-lost', request, error));
  };
  const next = triesOf(service, ports, callsOf(ports.clock, request, limit, beat), limit);
  let hasCalled = false;
  for (let rounds = 1; !limit.isPast(); ) {
    const asked = ports.breaker.admit(request, limit.completeBy);
    const admitted: Admission = asked instanceof Promise ? await asked : asked;
    if ('gate' in admitted) {
      const { gate, retryAfterMs } = admitted;
      const isInTime = ports.clock.now() + retryAfterMs < limit.completeBy;
      // After a call, having no slot in time is a failure of the service, and not of the limit. The attempt then ends at
      // complete-by, as others without a result do: sooner, its request would be acknowledged without a reply (R19).
      if (gate === 'limit' && (isInTime || hasCalled)) {
        await limit.pause(Math.min(retryAfterMs, limitPauseMaxMs));
        continue;
      }
      return deferral(admitted);
    }
    hasCalled = true;
    const one = next(admitted.isProbe);
    try {
      // Code that ignores its signal ends for the breaker too, so that it cannot keep a circuit half-open.
      const acting = act(agent, request, input.data, one.call);
      const output = await (admitted.isProbe
        ? limit.boundBefore(request.completeWithinMs * probeReserve, acting)
        : one.bound(acting));
      admitted.answered();
      one.answered();
      const fault = outputFault(output);
      return fault === null ? { kind: 'succeeded', output } : { kind: 'failed', fault };
    } catch (thrown) {
      const error = readableError(thrown);
      // It says nothing of the service.
      if (service.isClosed()) return undefined;
      if (error instanceof PermanentFault) {
        admitted.answered();
        one.answered();
        return failed(String(error.code), String(error.message), error.effect);
      }
      logError(ports.log, 'call-failed', request, error);
      ports.onCallFailed?.(request, error);
      // The circuit is that of the service: an endpoint that fails beside one that answers does not open it.
      const isElsewhere = one.failed() && !admitted.isProbe;
      if (isElsewhere) continue;
      admitted.failed();
      if (admitted.isProbe) return deferral(await refusalOf(ports.breaker, request));
    } finally {
      one.end();
    }
    await limit.pause(backOffMs(faultBackOff, rounds, ports.random));
    rounds += 1;
  }
  return undefined;
}

/** The input for the code of the agent, or the fault of one that its contract refuses. */
function checkedInput(
  { contract }: AgentImplementation,
  { input, attempt: number }: Request,
): ReplyResult | { readonly data: JsonValue } {
  // This attempt called no service; an earlier one may have, by an agent that accepted this input.
  const effect = number === 1 ? 'none' : 'possible';
  const refused = (problem: string) =>
    failed('input-invalid' satisfies FaultCode, `The input ${problem}.`, effect);
  try {
    const { error, data } = contract.input.safeParse(input);
    if (error === undefined) return { data };
    const fields = faultyFields(error, 'the whole input');
    return refused(`does not match the schema of the agent at ${fields}`);
  } catch (error) {
    // A schema may have code of its author. The message of its error may quote the input.
    return refused(`cannot be checked: the schema of the agent threw ${errorKind(error)}`);
  }
}

/** The attempt is given back. By a wrong clock, complete-by may be days ahead, and no step waits for so long without a look. */
const deferral = ({ gate, retryAfterMs }: Refusal): Deferral => ({
  ...{ kind: 'deferred', gate },
  retryAfterMs: Math.min(retryAfterMs, limits.holdLookMaxMs),
});

/**
 * The part of its time that a probe leaves: enough to give the attempt back before complete-by. Otherwise each probe of a
 * service that hangs would count a failure to an order that is not the cause (R23).
 */
const probeReserve = 0.1;

/** After a probe that failed, the circuit refuses calls. */
async function refusalOf(breaker: Breaker, request: Request): Promise<Refusal> {
  const again = await breaker.admit(request);
  return 'gate' in again ? again : { gate: 'circuit', retryAfterMs: 0 };
}

function act(
  agent: AgentImplementation,
  request: Request,
  input: JsonValue,
  call: Call,
): Promise<JsonValue> {
  return request.action === 'perform'
    ? agent.perform(input, call)
    : undo(agent, request, input, call);
}

async function undo(
  agent: AgentImplementation,
  { performKey, output }: Request,
  input: JsonValue,
  call: Call,
): Promise<null> {
  await agent.undo?.({ performKey, input, output }, call);
  return null;
}

function replyTo(request: Request, result: ReplyResult, waitedMs = 0): Reply {
  const { orderId, step, attempt: number, action, slots } = request;
  const reply = { orderId, step, attempt: number, action, result };
  // Most replies need no spread.
  if (slots === undefined && waitedMs === 0) return reply;
  return { ...reply, ...(slots !== undefined && { slots }), ...(waitedMs > 0 && { waitedMs }) };
}

/** An agent that keeps up reports no wait, so that its replies carry nothing about it. */
const waitedMin = 0.1;

/** How long the request waited in its queue, ms; 0 when that was a small part of its time. */
function waitedFor({ completeBy, completeWithinMs }: Request, nowMs: number): number {
  const waitedMs = Math.round(nowMs - (completeBy - completeWithinMs));
  return waitedMs < completeWithinMs * waitedMin ? 0 : waitedMs;
}

function failed(code: string, message: string, effect: 'none' | 'possible'): ReplyResult {
  return { kind: 'failed', fault: cutFault({ code, message, effect }) };
}

function silent(ports: AgentRunnerPorts, request: Request): Delivery {
  const { orderId, step, attempt: number, agent } = request;
  ports.log.warn('silent-after-complete-by', { orderId, step, attempt: number, agent });
  return done;
}

function logError(
  log: Log,
  event: 'call-failed' | 'heartbeat-lost' | 'reply-failed',
  request: Request,
  error: unknown,
): void {
  const { orderId, step, attempt: number, agent } = request;
  const fields = { orderId, step, attempt: number, agent };
  log.warn(event, { ...fields, ...errorFields(error) });
}
