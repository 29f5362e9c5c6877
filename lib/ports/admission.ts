/** Admission: whether one more order is accepted now. It is asked before an order is stored, so a refusal leaves nothing (R28). */
import type { AdmissionRefusal } from '#core/flow/admission-rule.ts';
import type { Priority } from '#core/model/record.ts';

/** The part of a submission that decides whether it is accepted now. */
export interface OfferedOrder {
  readonly workflow: string;
  readonly priority: Priority;
  readonly tenant: string | null;
}

/** Knows how much work waits. */
export interface Admission {
  /** Null: the order is accepted, and `settled` must follow. A promise only where the answer has to be read. */
  ask(order: OfferedOrder): AdmissionRefusal | null | Promise<AdmissionRefusal | null>;
  /** The write of an accepted order has ended, whether or not it was stored. */
  settled(order: OfferedOrder): void;
}
