/** How a program that is run at synthesis answers: modules of the application may print to the standard output. */
import { writeSync } from 'node:fs';

/** The file descriptor by which esbuild-program.ts reads the answer. */
export const reportDescriptor = 3;

/** Answers with this value as JSON. */
export function report(value: unknown): void {
  writeSync(reportDescriptor, JSON.stringify(value));
}
