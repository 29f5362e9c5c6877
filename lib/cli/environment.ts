/** Everything outside the command line; tests replace it. */
import type { ProcessState, StepState } from '#cli/api/response-schemas.ts';
import type { ExitCode } from './exit-code.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of it that `reeve start` uses. */
export interface StartIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** The present size; null when standard output is not a terminal with a movable cursor. */
  readonly terminal: () => TerminalSize | null;
}

/** A message in a dead-letter queue. */
export interface DeadLetter {
  readonly queue: string;
  readonly kind: string;
  readonly reason: string;
  /** The order and step of the message; null when it is unreadable. */
  readonly subject: { readonly orderId: string; readonly step?: string } | null;
  readonly body: string;
  /** The action for it. `order`: the present state; null when the order does not exist. */
  readonly fate: (order: OrderNow | null) => DeadLetterAction;
  readonly sendBack: () => Promise<void>;
  readonly discard: () => Promise<void>;
  /** Makes it visible in its queue again. */
  readonly release: () => Promise<void>;
}

export interface DeadLetterAction {
  readonly kind: 'redrive' | 'discard' | 'keep';
  readonly why: string;
}

/** The part of an order that decides about its dead letters. */
export interface OrderNow {
  readonly processState: ProcessState;
  readonly steps: Readonly<Record<string, { readonly state: StepState; readonly attempt: number }>>;
}

/** The tools for a deployed stack; each call uses the default AWS region and credentials. */
export interface AwsTools {
  readonly outputs: (stack: string) => Promise<Readonly<Record<string, string>>>;
  /** A fetch that signs for an API in this region; null: the default region. */
  readonly signedFetch: (region: string | null) => Promise<CliEnvironment['fetch']>;
  /** Each message is hidden from others until it is handled, or for two minutes. */
  readonly deadLetters: (
    deadLettersOutput: string,
  ) => Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly isComplete: boolean }>;
}

/** A command for the data of a Reeve on this machine. */
export type DataCommand =
  | { readonly kind: 'check'; readonly acceptLoss: boolean }
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string; readonly yes: boolean };

/** The result of a data command. */
export interface DataOutcome {
  readonly exitCode: ExitCode;
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** The reason for an exit code other than 0; null for 0. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What is to be proven of a module. */
export interface ProveOptions {
  /** Default: as its proofs say. */
  readonly seeds?: number;
  readonly firstSeed?: number;
}

/** The result of the proofs of a module. */
export interface ProveOutcome {
  /** Why nothing was proven; null: it was tried. */
  readonly problem: string | null;
  readonly isProven: boolean;
  readonly lines: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}

export interface CliEnvironment extends StartIo {
  /** Runs the proofs that a module exports. */
  readonly prove: (module: string, options: ProveOptions) => Promise<ProveOutcome>;
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<Uint8Array>;
  /** Reads a file; rejects with the system error. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The version of the package. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Loaded on first use. */
  readonly aws: () => Promise<AwsTools>;
  /** @param dataDir undefined: that of the environment */
  readonly data: (command: DataCommand, dataDir: string | undefined) => Promise<DataOutcome>;
  /** Runs Reeve in this process; resolves with the exit code when it stops. */
  readonly start: (io: StartIo) => Promise<number>;
  /** The same for the workflows of a module. `reloads`: again after each change of its files. */
  readonly dev: (io: StartIo, module: string, reloads: boolean) => Promise<number>;
}
