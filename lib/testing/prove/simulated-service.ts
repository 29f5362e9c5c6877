/** The model of a remote service, for the code of agents that calls it: `prove` puts a network with faults between them. */
import { UnavailableError } from '#core/model/errors.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { type TakesMs, usualMs } from '#sim/world/service-calls.ts';
import { type AgentTry, currentTry, orderAndStep } from './agents/agent-try.ts';
import { begun } from './agents/watched-agent.ts';
import { withSources } from './process/virtual-sources.ts';
import {
  invalid,
  type Service,
  type ServiceWorld,
  SimulatedServiceError,
  servedBy,
} from './service-model.ts';

/** Options of {@link simulatedService}. */
export interface SimulatedServiceOptions {
  /**
   * How long a request takes while nothing fails, ms: a whole number up to 30 days, or the least and the most. It is compared with the
   * deadlines of the steps. Default: 5 to 300 ms.
   */
  readonly takes?: number | TakesMs;
}

/** The service as agents call it: each method of the model, over a network. */
export type ServiceClient<Model> = {
  readonly [Method in keyof Model]: Model[Method] extends (...given: infer Given) => infer Answer
    ? (...given: [...given: Given, signal?: AbortSignal]) => Promise<Awaited<Answer>>
    : never;
};

/**
 * A service that the agents of a proof call. The methods of its model are plain functions, each of which takes effect at one instant. Those
 * of the client take an `AbortSignal` besides, which ends the call, as that of `fetch` does.
 *
 * @param name in the texts of a report
 * @param model makes the service of one world: what it remembers belongs to that world
 * @throws {SimulatedServiceError} `simulated-service-invalid` when `model` is no function, or `takes` is out of its range
 */
export function simulatedService<Model extends object>(
  name: string,
  model: (world: ServiceWorld) => Model,
  options?: SimulatedServiceOptions,
): ServiceClient<Model>;
export function simulatedService(
  name: string,
  model: (world: ServiceWorld) => object,
  { takes = usualMs }: SimulatedServiceOptions = {},
): object {
  if (typeof model !== 'function') {
    throw new SimulatedServiceError(
      'simulated-service-invalid',
      `The model of the service ${name} is no function: give a function that makes the model of one world, and returns an object of methods.`,
    );
  }
  const takesMs = typeof takes === 'number' ? { least: takes, most: takes } : takes;
  checkTakes(name, takesMs);
  const service: Service = { name, model, takesMs };
  return new Proxy(
    {},
    {
      // A client is no promise, so that an asynchronous function may return it.
      get: (_, method) =>
        method === 'then'
          ? undefined
          : (...given: readonly unknown[]) => called(service, method, given),
    },
  );
}

/** Longer than any deadline. */
const takesMaxMs = 30 * 86_400_000;

function checkTakes(name: string, { least, most }: TakesMs): void {
  const areWhole = Number.isSafeInteger(least) && Number.isSafeInteger(most);
  if (areWhole && least >= 0 && least <= most && most <= takesMaxMs) return;
  throw new SimulatedServiceError(
    'simulated-service-invalid',
    `The service ${name} takes ${least === most ? '' : `from ${least} to `}${most} ms; these must be whole numbers from 0 to ${takesMaxMs}, the least one first.`,
  );
}

async function called(
  service: Service,
  method: string | symbol,
  given: readonly unknown[],
): Promise<unknown> {
  const own = currentTry();
  if (own === undefined) {
    throw new SimulatedServiceError(
      'simulated-service-outside',
      `${service.name}.${String(method)} was called outside of prove: only agents that prove runs can call a simulated service.`,
    );
  }
  const { world, machine, call } = own;
  const { chance, faults, timeline, trace } = world.around;
  const refusal = given.find((one) => one instanceof AbortSignal && one.aborted);
  if (refusal instanceof AbortSignal) return unsent(service, own, refusal);
  if (call.signal.aborted) world.find('agent-late', lateText(own, service));
  const sentAt = timeline.now();
  const before = new Map(faults.hits);
  const what = requestName(service, method, own);
  const takeEffect = () => received({ service, method, given }, own, sentAt);
  const repeat = () => {
    try {
      takeEffect();
    } catch {
      // Its answer goes to no one.
    }
  };
  const answer = world.send(own.agent, machine, {
    ...{ endpoint: null, takesMs: service.takesMs, what },
    isSteady: world.isSteady(own.agent),
    act: takeEffect,
  });
  if (world.isRepeated()) {
    timeline.at(timeline.now() + chance.between(latestMs.least, latestMs.most), () => {
      trace.record(`${what} arrives again`);
      repeat();
    });
  }
  const struck = [...faults.hits].filter(([name, times]) => times !== before.get(name));
  if (struck.length > 0) trace.record(`${what}: ${struck.map(([name]) => name).join(', ')}`);
  if (struck.length > 0 || world.isOut(own) || machine.isFrozen()) own.isFaulty = true;
  const stop = begun(own);
  own.requests += 1;
  try {
    const { value, touched } = await untilAborted(answer, given);
    for (const effect of touched) own.touched.add(effect);
    own.answers += 1;
    return value;
  } catch (error) {
    if (isAnswer(error)) own.answers += 1;
    throw error;
  } finally {
    stop();
  }
}

/** More than an agent begins that goes on with other requests, or with other tries, until it notices. */
const unsentMax = 100;

/** As `fetch`, which sends nothing once its signal has aborted: only an agent that never ends its tries is wrong. */
function unsent(service: Service, own: AgentTry, signal: AbortSignal): Promise<never> {
  own.unsent += 1;
  if (own.unsent <= unsentMax) return Promise.reject(signal.reason);
  own.world.find('agent-late', lateText(own, service));
  // A loop without another `await` would never let the time pass.
  return new Promise(() => {});
}

/** Whether the service has decided; otherwise the network, or the service for now, has failed. */
const isAnswer = (error: unknown) =>
  !(error instanceof TransientFault) &&
  !(error instanceof UnavailableError) &&
  !(error instanceof DOMException);

/** As the trace and the story have it. */
const requestName = (
  { name }: Service,
  method: string | symbol,
  { action, performKey }: AgentTry,
): string => `${name}.${String(method)} for the ${action} of ${performKey}`;

/** When a copy of a request arrives that the network kept, ms. */
const latestMs = { least: 1_000, most: 240_000 };

const lateText = ({ agent, action, performKey }: AgentTry, { name }: Service) => {
  const { order, step } = orderAndStep(performKey);
  return `The agent ${agent} called ${name} for the ${action} of ${step} of ${order} after the deadline of its attempt. Pass call.signal to each request, and begin none once it is aborted.`;
};

/** As `fetch`, which rejects when its signal aborts. */
function untilAborted<Value>(answer: Promise<Value>, given: readonly unknown[]): Promise<Value> {
  const signal = given.find((one) => one instanceof AbortSignal);
  if (signal === undefined) return answer;
  answer.catch(() => {});
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject);
  });
}

/** What a request returned, and the effects that it made or found: an agent knows of those alone whose answer it got. */
interface ServiceAnswer {
  readonly value: unknown;
  readonly touched: ReadonlySet<string>;
}

interface ServiceRequest {
  readonly service: Service;
  readonly method: string | symbol;
  readonly given: readonly unknown[];
}

/** The service takes effect. */
function received(
  { service, method, given }: ServiceRequest,
  own: AgentTry,
  sentAt: number,
): ServiceAnswer {
  const { timeline, chance, trace } = own.world.around;
  const nowMs = timeline.now();
  own.servedMs += nowMs - Math.max(sentAt, own.servedUntil);
  own.servedUntil = nowMs;
  // A process that has ended, or stands still, sends no heartbeat.
  const isAtWork = own.machine.isAlive() && !own.machine.isFrozen();
  if (!own.isFaulty && isAtWork) checkDeadline(service, own);
  if (own.world.isDown(own)) {
    own.isFaulty = true;
    trace.record(`${requestName(service, method, own)}: service-down`);
    throw new TransientFault('down', 'The simulation: service-down.');
  }
  const served = servedBy(service, own);
  const code: unknown = Reflect.get(served.model, method);
  if (typeof code !== 'function') throw invalid(service, `has no method ${String(method)}`);
  served.request = own;
  served.touched = new Set();
  const sources = { now: timeline.now, random: chance.next, after: () => () => {} };
  const answer: unknown = withSources(sources, () => Reflect.apply(code, served.model, given));
  if (answer instanceof Promise)
    throw invalid(
      service,
      `returns a promise from ${String(method)}, and must take effect at once`,
    );
  // A service may recognise a request by what it remembers itself, and never look at its effects.
  own.world.ledger.meet(service.name, { request: own, touched: served.touched }, [given, answer]);
  return { value: answer, touched: served.touched };
}

/** A service that takes longer than its step waits for it, though nothing fails. */
function checkDeadline({ name }: Service, own: AgentTry): void {
  const policy = own.world.policyOf(own);
  if (policy === undefined) return;
  const limitMs = own.hasBeaten ? policy.maxDurationMs : policy.completeWithinMs;
  if (own.servedMs <= limitMs) return;
  const { order, step } = orderAndStep(own.performKey);
  const option = own.hasBeaten ? 'maxDuration' : 'completeWithin';
  own.world.find(
    'deadline-short',
    `The ${own.action} of ${step} of ${order} took ${own.servedMs} ms at ${name} while nothing failed, and its ${option} is ${limitMs} ms.`,
  );
}
