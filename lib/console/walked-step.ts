/** One step of an order, on the way through its history: its calls so far, and the one that is out. */
import type { Bar, BarKind } from './bar.ts';
import type { Step } from './documents.ts';

export interface Call {
  readonly action: Bar['action'];
  readonly attempt: number;
  readonly from: number;
}

interface Outcome {
  readonly kind: BarKind;
  readonly at: number;
  readonly late: boolean;
  readonly fault: { readonly code: string; readonly effect: string } | null;
}

/** Shorter than this a wait is not worth a bar, ms. */
const waitMinMs = 100;

export class WalkedStep {
  readonly policy: Step['policy'];
  failures = 0;
  readonly #final: Step;
  readonly #bars: Bar[] = [];
  #phase: 'idle' | 'done' | 'failed' | 'undone' = 'idle';
  #out: Call | null = null;
  #attempts = 0;
  /** Until when a call may still have an effect that nobody knows of; null when none may. */
  #doubtUntil: number | null = null;

  /** `final`: the step as the record has it now. */
  constructor(final: Step) {
    this.#final = final;
    this.policy = final.policy;
  }

  get isSettled(): boolean {
    return this.#phase === 'done' || this.#final.state === 'Skipped';
  }

  get isPerforming(): boolean {
    return this.#out?.action === 'perform';
  }

  get isUndoing(): boolean {
    return this.#out?.action === 'undo';
  }

  /** It happened, or may have, and cannot be undone. */
  get bindsForward(): boolean {
    const mayHaveHappened = this.#doubtUntil !== null && !this.isPerforming;
    return this.policy.irreversible && (this.#phase === 'done' || mayHaveHappened);
  }

  get needsUndo(): boolean {
    const mayHaveHappened = this.#phase === 'done' || this.#doubtUntil !== null;
    return this.#out === null && this.#phase !== 'undone' && mayHaveHappened;
  }

  perform(at: number): void {
    if (this.#phase === 'idle' && this.#out === null) this.#begin('perform', at);
  }

  /** Whether it began: not while a call may still be at work. */
  undo(at: number): boolean {
    if (this.#doubtUntil !== null && this.#doubtUntil >= at) return false;
    this.#begin('undo', at);
    return true;
  }

  beat(at: number): void {
    if (this.#out?.action !== 'perform') return;
    const { completeWithinMs, maxDurationMs } = this.policy;
    this.#doubtUntil = Math.min(at + completeWithinMs, this.#out.from + maxDurationMs);
  }

  /** `call`: what was answered, should it not be known to be out. */
  answered(call: Call, outcome: Outcome): void {
    this.#out ??= call;
    this.#close(outcome, call.from);
    if (outcome.kind === 'succeeded') {
      this.#phase = call.action === 'undo' ? 'undone' : 'done';
      this.#doubtUntil = null;
    } else if (call.action === 'perform') {
      this.#phase = 'failed';
      if (outcome.fault?.effect === 'none') this.#doubtUntil = null;
    }
  }

  /** Gives what the step's policy says of one more failure. */
  timedOut(at: number, direction: 'forward' | 'undo', from: number): 'retry' | 'hold' | 'turnBack' {
    const { action } = this.#close({ kind: 'timedOut', at, late: false, fault: null }, from);
    if (action === 'perform' && direction === 'undo') return 'retry';
    this.failures += 1;
    const { retries, coolDownTimes, coolDownMs, onExhausted } = this.policy;
    if (this.failures % (retries + 1) !== 0) return 'retry';
    if (this.failures / (retries + 1) <= coolDownTimes) {
      this.#wait('coolDown', at, at + coolDownMs);
      return 'retry';
    }
    if (action === 'undo') return 'hold';
    this.#phase = 'failed';
    return onExhausted === 'hold' ? 'hold' : 'turnBack';
  }

  takenBack(at: number, notBefore: number, from: number): void {
    this.#close({ kind: 'takenBack', at, late: false, fault: null }, from);
    this.#wait('heldBack', at, notBefore);
  }

  resubmitted(direction: 'forward' | 'undo'): void {
    this.failures = 0;
    if (this.#phase === 'failed' && direction === 'forward') this.#phase = 'idle';
  }

  bars(): readonly Bar[] {
    if (this.#out === null) return this.#bars;
    return [...this.#bars, { ...this.#out, kind: 'running', to: null, late: false, fault: null }];
  }

  #begin(action: Bar['action'], at: number): void {
    // Never more calls than the record counts: what was parked instead did not go out.
    if (this.#attempts >= this.#final.attempt) return;
    this.#endWait(at);
    this.#attempts += 1;
    this.#out = { action, attempt: this.#attempts, from: at };
    if (action === 'perform') this.#doubtUntil = at + this.policy.completeWithinMs;
  }

  #close({ kind, at, late, fault }: Outcome, from: number): Call {
    const call = this.#out ?? { action: 'perform', attempt: this.#attempts + 1, from };
    this.#bars.push({ ...call, kind, to: at, late, fault: fault?.code ?? null });
    this.#attempts = Math.max(this.#attempts, call.attempt);
    this.#out = null;
    return call;
  }

  #wait(kind: 'coolDown' | 'heldBack', from: number, to: number): void {
    if (to - from < waitMinMs) return;
    this.#bars.push({ kind, action: 'perform', attempt: 0, from, to, late: false, fault: null });
  }

  /** A wait ends when the next call goes out, however long it was meant to be. */
  #endWait(at: number): void {
    const last = this.#bars.at(-1);
    if (last?.attempt !== 0 || last.to === null || last.to <= at) return;
    this.#bars[this.#bars.length - 1] = { ...last, to: at };
  }
}
