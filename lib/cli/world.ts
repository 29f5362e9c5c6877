/** Everything outside the command line: the whole of what a test has to stand in for. */

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What `reeve start` is given. */
export interface StartIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface World extends StartIo {
  /** Standard input to its end. */
  readonly stdin: () => Promise<string>;
  /** A file's text; rejects with the system's error. */
  readonly readFile: (path: string) => Promise<string>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Its present size; null when standard output is no terminal that can move its cursor. */
  readonly terminal: () => TerminalSize | null;
  readonly sleep: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs Reeve in this process; resolves with the exit code when it stops. */
  readonly start: (io: StartIo) => Promise<number>;
}
