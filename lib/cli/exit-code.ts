/** The exit codes: each says what the caller can do next. */
export const exitCodes = {
  done: 0,
  /** Node's exit code for an uncaught exception too. */
  defect: 1,
  usage: 2,
  refused: 3,
  failed: 4,
  /** With --wait or --watch: how the order ended. */
  undone: 5,
  inError: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Of a request that was not carried out. The server asks to send those with 408 and 429 again later. */
export function exitCodeOfStatus(status: number): ExitCode {
  const isForNow = status === 408 || status === 429;
  return status >= 400 && status < 500 && !isForNow ? exitCodes.refused : exitCodes.failed;
}

export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'success; with --wait or --watch: the order is Processed',
  1: 'a defect of this program: report the text on standard error; with `prove`: a mistake was found',
  2: 'wrong usage, or a file that cannot be read; of `start` and `dev`: the start was refused, also for damaged data, and the message gives the reason',
  3: 'refused: a repetition is refused too, and the message gives the reason; or stored data are damaged or missing',
  4: 'not reachable, or failed: a repetition may succeed',
  5: 'with --wait or --watch: the order is Undone',
  6: 'with --wait or --watch: the order is in Error, and waits for an operator',
};
