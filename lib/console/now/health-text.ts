/** The faults of Reeve itself in words, from its health. */
import type { HealthDocument } from '#http/service-schemas.ts';

const texts: Readonly<Record<string, string | null>> = {
  'sweep-late': 'The Supervisor has not swept of late: nothing that times out is recovered.',
  'store-damaged': 'Stored data are damaged: the log names them. Other orders continue.',
  'store-full': 'The disk of the state store is full: no order is accepted, and none continues.',
  'store-unavailable': 'The state store refuses writes: no order is accepted, and none continues.',
  // No faults of Reeve: the agents and the load of the page show these.
  'circuit-open': null,
  overloaded: null,
};

/** A sentence for each fault; empty when Reeve works. A cause of a newer release has its code. */
export const faultTexts = ({ causes }: Pick<HealthDocument, 'causes'>): readonly string[] =>
  causes.flatMap((cause) => {
    const text = texts[cause];
    return text === null ? [] : [text ?? `Reeve has a fault: ${cause}.`];
  });
