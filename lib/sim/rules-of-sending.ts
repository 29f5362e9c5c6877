/** What must hold of every message that is sent: by whom, after what, and with which key. */
import type { OrderId, StepName } from '#core/ids.ts';
import type { Nudge, Request } from '#core/message.ts';
import { findStep, type ProcessRecord } from '#core/record.ts';
import type { Machine } from './machine.ts';
import type { Breach } from './rules.ts';
import type { SimTable, Write } from './sim-table.ts';

export interface SendingRules {
  /** A write was applied, whether or not its writer knows. */
  wrote(write: Write): void;
  /** Its writer was told that it is written. */
  committed(record: ProcessRecord): void;
  /** Its writer asked twice, and knows nothing: then it may owe nothing. */
  unknown(record: ProcessRecord, machine: Machine): void;
  nudging(nudges: readonly Nudge[], machine: Machine): void;
  requesting(requests: readonly Request[], machine: Machine): void;
  /** A channel did not take what was sent by it. */
  unsent(machine: Machine): void;
  /** The machine has nothing under way, and owes nobody anything. */
  idle(machine: Machine): void;
}

export const attemptOf = (orderId: OrderId, step: StepName, attempt: number) =>
  `${orderId} ${step} ${attempt}`;

export function sendingRules(table: SimTable, breach: Breach): SendingRules {
  const writes = new Map<string, Write>();
  const startedBy = new Map<string, string>();
  const owed = new Map<string, Set<string>>();
  const keys = new Map<string, string>();
  const inputs = new Map<string, string>();

  return {
    wrote(write) {
      writes.set(write.after.writeId, write);
      owe(write);
      for (const { name, attempt } of started(write)) {
        startedBy.set(attemptOf(write.after.orderId, name, attempt), write.by);
      }
    },
    committed({ writeId }) {
      if (!writes.has(writeId)) breach('R12', `${writeId} is committed, and was not applied`);
    },
    unknown({ writeId }, machine) {
      const write = writes.get(writeId);
      for (const debt of write === undefined ? [] : debtsOf(write)) {
        owed.get(machine.name)?.delete(debt);
      }
    },
    nudging(nudges, machine) {
      for (const { orderId } of nudges) {
        owed.get(machine.name)?.delete(orderId);
        if (table.record(orderId) === undefined)
          breach('R13', `a nudge for ${orderId}, not stored`);
      }
    },
    requesting(requests, machine) {
      for (const request of requests) {
        const { orderId, step, attempt } = request;
        const id = attemptOf(orderId, step, attempt);
        owed.get(machine.name)?.delete(id);
        const starter = startedBy.get(id);
        if (starter === undefined) breach('R13', `${id} was sent, and nothing durable names it`);
        else if (starter !== machine.name) breach('R3', `${id} was sent by who did not start it`);
        judgeKey(request);
      }
    },
    unsent: (machine) => owed.delete(machine.name),
    idle(machine) {
      const [debt] = owed.get(machine.name) ?? [];
      if (debt === undefined) return;
      owed.delete(machine.name);
      breach('R12', `${machine.name} wrote ${debt} and never sent what it asks for`);
    },
  };

  /** What it asks for must be sent by its writer, whether or not the answer came. */
  function owe(write: Write): void {
    const debts = owed.get(write.by) ?? new Set();
    for (const debt of debtsOf(write)) debts.add(debt);
    owed.set(write.by, debts);
  }

  function judgeKey(request: Request): void {
    const { orderId, step, action, idempotencyKey, performKey } = request;
    const input = JSON.stringify(request.input);
    const before = inputs.get(performKey) ?? input;
    inputs.set(performKey, before);
    if (before !== input) breach('R8', `${performKey} was asked with ${before}, then ${input}`);
    const generation = findStep(table.record(orderId) ?? { steps: [] }, step)?.keyGeneration ?? 1;
    const id = `${orderId} ${step} ${action} ${action === 'undo' ? 1 : generation}`;
    const known = keys.get(id);
    keys.set(id, idempotencyKey);
    if (known !== undefined && known !== idempotencyKey) {
      breach('R8', `${step} was tried with ${known} and then with ${idempotencyKey}`);
    }
    const suffix = generation > 1 ? `#${generation}` : '';
    if (performKey !== `${orderId}/${step}${suffix}`)
      breach('R8', `${performKey} is no key of ${id}`);
  }
}

function debtsOf(write: Write): string[] {
  const { orderId } = write.after;
  const attempts = started(write).map(({ name, attempt }) => attemptOf(orderId, name, attempt));
  return asksForClaim(write) ? [...attempts, orderId] : attempts;
}

const started = ({ before, after }: Write) =>
  after.steps.filter(
    ({ name, attempt }) => attempt !== (findStep(before ?? { steps: [] }, name)?.attempt ?? 0),
  );

/** Whether the order may be claimed at once, and because of this write. */
function asksForClaim({ after }: Write): boolean {
  if (after.processState !== 'Pending' || after.notBefore > after.updatedAt) return false;
  switch (after.history.at(-1)?.type) {
    case 'submit':
    case 'expired':
    case 'excused':
    case 'resubmit':
    case 'cancel':
    case 'stepFailed':
      return true;
    default:
      return false;
  }
}
