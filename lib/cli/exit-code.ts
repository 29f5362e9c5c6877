/** How a command ended, for scripts: each code says what the caller can do next. */
export const exitCodes = {
  done: 0,
  /** The order came to an end, but not to the wanted one. */
  endedBadly: 1,
  usage: 2,
  refused: 3,
  failed: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodesHelp = `Exit codes:
  0  done; with --wait or --watch: the order is Processed
  1  with --wait or --watch: the order ended Undone or Error
  2  wrong usage, or a file that cannot be read
  3  refused: the answer says why
  4  not reachable, or failed: the same command may succeed later`;
