/** The writes of a process record as people say them: what each of them changed. */
import type { Said } from './story-event.ts';

export interface OrderWrites {
  /** What a line of the trace says; nothing when it is no write, or nothing that matters. */
  said(line: string): readonly Said[];
}

const write = /^\S+ writes (\S+) \d+: (\S*) ?(.*?) → (\w+) (\w+) \[(.*)\]$/;

/** A write, read from its line. */
interface Written {
  readonly order: string;
  readonly why: string;
  /** Which steps it is about. */
  readonly named: readonly string[];
  readonly state: string;
  /** Whether the order goes another way than before. */
  readonly isTurn: boolean;
  /** The steps that are in flight now and were not in this attempt. */
  readonly begun: readonly { readonly step: string; readonly isUndo: boolean }[];
}

/** For one trace, whose lines come in their order. */
export function orderWrites(): OrderWrites {
  const directions = new Map<string, string>();
  const attempts = new Set<string>();
  const calls = new Set<string>();

  function isNew(known: Set<string>, one: string): boolean {
    const isThere = known.has(one);
    known.add(one);
    return !isThere;
  }

  function writtenBy(line: string): Written | null {
    const [, order, why = '', named = '', state = '', direction = '', steps = ''] =
      write.exec(line) ?? [];
    if (order === undefined) return null;
    const isTurn = (directions.get(order) ?? direction) !== direction;
    directions.set(order, direction);
    const begun = steps.split(', ').flatMap((text) => {
      const [, step = '', attempt, progress] = /^(.+)\.(\d+) (\w+)$/.exec(text) ?? [];
      if (progress !== 'Running' && progress !== 'Undoing') return [];
      if (!isNew(attempts, `${order} ${step} ${attempt}`)) return [];
      // The first attempt shows in what it does.
      if (isNew(calls, `${order} ${step} ${progress}`)) return [];
      return [{ step, isUndo: progress === 'Undoing' }];
    });
    const plain = named === '' ? [] : named.split(' ').map((one) => one.replace(/\.\d+$/, ''));
    return { order, why, named: plain, state, isTurn, begun };
  }

  return {
    said(line) {
      const written = writtenBy(line);
      return written === null ? [] : saidOf(written);
    },
  };
}

function saidOf(written: Written): readonly Said[] {
  const { order, why, named, state, begun } = written;
  const first = reasons[why]?.(named.join(' and '));
  const said: Said[] = [];
  if (first !== undefined) {
    const { kind, text } = first;
    said.push({ kind, text: `${text}${wayOf(written)}`, order, step: named[0] ?? null });
  }
  for (const { step, isUndo } of begun)
    said.push({
      ...{ kind: 'turn', order, step },
      text: `${isUndo ? `the undo of ${step}` : step} is begun again`,
    });
  if (state === 'Processed' || state === 'Undone')
    said.push({ kind: 'end', text: `${order} is ${state}`, order, step: null });
  return said;
}

const wayOf = ({ state, isTurn }: Written) => {
  if (state === 'Error') return ': the order stops in Error';
  return isTurn ? ': the order is to be undone' : '';
};

/** By the type of the entry of the history. */
const reasons: Readonly<
  Record<string, (steps: string) => { readonly kind: Said['kind']; readonly text: string }>
> = {
  submit: () => ({ kind: 'turn', text: 'the order is submitted' }),
  stepSucceeded: (steps) => ({ kind: 'done', text: `${steps} is done` }),
  stepFailed: (steps) => ({ kind: 'turn', text: `${steps} has failed` }),
  undoSucceeded: (steps) => ({ kind: 'done', text: `the undo of ${steps} is done` }),
  undoFailed: (steps) => ({ kind: 'turn', text: `the undo of ${steps} has failed` }),
  expired: (steps) => ({ kind: 'turn', text: `the Supervisor finds ${steps || 'it'} overdue` }),
  interrupted: (steps) => ({
    kind: 'turn',
    text: `the Supervisor finds ${steps || 'it'} interrupted`,
  }),
  cancel: () => ({ kind: 'turn', text: 'an operator cancels the order' }),
  resubmit: () => ({ kind: 'turn', text: 'an operator resubmits the order' }),
};
