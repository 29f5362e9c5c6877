/** A log without output: writing lines would be part of what is measured. */
import type { Log } from '#ports/log.ts';

export const silent: Log = { info() {}, warn() {}, error() {} };
