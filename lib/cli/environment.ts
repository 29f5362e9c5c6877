/** Everything outside the command line: the whole of what a test has to stand in for. */
import type { ProcessState, StepState } from '#cli/api/response-schemas.ts';
import type { ExitCode } from './exit-code.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What `reeve start` is given. */
export interface StartIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Its present size; null when standard output is no terminal that can move its cursor. */
  readonly terminal: () => TerminalSize | null;
}

/** A message that nobody could deal with. */
export interface DeadLetter {
  readonly queue: string;
  readonly kind: string;
  readonly reason: string;
  /** What it is about; null when it cannot be read. */
  readonly subject: { readonly orderId: string; readonly step?: string } | null;
  readonly body: string;
  /** What should become of it; `order`: as it is now, null when there is none. */
  readonly fate: (order: OrderNow | null) => DeadLetterAction;
  readonly sendBack: () => Promise<void>;
  readonly discard: () => Promise<void>;
  /** Leaves it where it is, for the next look. */
  readonly release: () => Promise<void>;
}

export interface DeadLetterAction {
  readonly kind: 'redrive' | 'discard' | 'keep';
  readonly why: string;
}

/** An order, as far as a dead letter's fate hangs on it. */
export interface OrderNow {
  readonly processState: ProcessState;
  readonly steps: Readonly<Record<string, { readonly state: StepState; readonly attempt: number }>>;
}

/** A deployed stack and its queues; each call uses the usual AWS region and credentials. */
export interface AwsTools {
  readonly outputs: (stack: string) => Promise<Readonly<Record<string, string>>>;
  /** A fetch that signs for an API of this region; null: the usual one. */
  readonly signedFetch: (region: string | null) => Promise<CliEnvironment['fetch']>;
  /** Each letter is held until it is dealt with, or for two minutes. */
  readonly letters: (
    deadLettersOutput: string,
  ) => Promise<{ readonly letters: readonly DeadLetter[]; readonly isComplete: boolean }>;
}

/** What is done with the data of a Reeve on this machine, and not by its API. */
export type DataCommand =
  | { readonly kind: 'check'; readonly acceptLoss: boolean }
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string; readonly yes: boolean };

/** How such a command ended. */
export interface DataOutcome {
  readonly exitCode: ExitCode;
  readonly document: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** Why the exit code is not 0. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface CliEnvironment extends StartIo {
  /** Standard input to its end. */
  readonly stdin: () => Promise<Uint8Array>;
  /** A file's bytes; rejects with the system's error. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Of this program, as its package has it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Loaded only where it is needed. */
  readonly aws: () => Promise<AwsTools>;
  /** `dataDir`: undefined for that of the environment. */
  readonly data: (command: DataCommand, dataDir: string | undefined) => Promise<DataOutcome>;
  /** Runs Reeve in this process; resolves with the exit code when it stops. */
  readonly start: (io: StartIo) => Promise<number>;
}
