/** The model of a simulated service: what it remembers in one world, and the effects of its requests. */
import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';
import { isObject } from '#core/model/json.ts';
import type { TakesMs } from '#sim/world/service-calls.ts';
import type { AgentTry } from './agents/agent-try.ts';
import type { Effects } from './effect-ledger.ts';
import type { ServedModel } from './proof-world.ts';

/** A simulated service was used in another place than in the code of an agent that `prove` runs, or is no model. */
export class SimulatedServiceError extends ReeveError<ErrorCode<'SimulatedServiceError'>> {}

/** What a model of a service gets. */
export interface ServiceWorld {
  /** What the service has done: `prove` keeps it, and checks it at the end of each order. */
  readonly effects: Effects;
  /**
   * Whether the service refuses this request for good, as services sometimes do: the model then throws a `PermanentFault`.
   */
  refuses(): boolean;
}

/** A simulated service, in all worlds. */
export interface Service {
  readonly name: string;
  readonly model: (world: ServiceWorld) => object;
  readonly takesMs: TakesMs;
}

export const invalid = ({ name }: Service, what: string) =>
  new SimulatedServiceError('simulated-service-invalid', `The model of ${name} ${what}.`);

const refusalText = ({ name }: Service, { action, performKey }: AgentTry) =>
  `${name} refuses the ${action} of ${performKey}`;

/** The model of this world, which is made at its first request. */
export function servedBy(service: Service, own: AgentTry): ServedModel {
  const { models } = own.world;
  const known = models.get(service);
  if (known !== undefined) return known;
  let served: ServedModel | undefined;
  const inRequest = (): ServedModel => {
    if (served !== undefined) return served;
    throw invalid(
      service,
      'uses `effects` or `refuses` before any request: use them in its methods',
    );
  };
  const effects = () => own.world.ledger.of(service.name, inRequest());
  const model: unknown = service.model({
    effects: {
      has: (key) => effects().has(key),
      add: (key) => effects().add(key),
      remove: (key) => effects().remove(key),
    },
    refuses() {
      const { request } = inRequest();
      const isRefused = own.world.refuses(request);
      if (isRefused) request.world.around.trace.record(refusalText(service, request));
      return isRefused;
    },
  });
  if (!isObject(model)) throw invalid(service, 'returns no object of methods');
  served = { model, request: own, touched: new Set() };
  models.set(service, served);
  return served;
}
