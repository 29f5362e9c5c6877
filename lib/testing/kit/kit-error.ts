import { ReeveError } from '#core/model/errors.ts';

/** The testing kit was used in a way that cannot work. */
export class KitError extends ReeveError<
  'agent-unbound' | 'reeve-killed' | 'reeve-running' | 'order-endless' | 'time-range'
> {}
