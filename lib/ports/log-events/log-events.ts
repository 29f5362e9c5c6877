/**
 * The events that Reeve logs, each with its level, the fields of its line and its meaning: docs/reference.md is
 * generated from this table. Only types of it are imported by the code that logs.
 */
import { errors } from './errors.ts';
import { infos } from './infos.ts';
import { warnings } from './warnings.ts';

/** All events, by name. */
export const logEvents = { ...infos, ...warnings, ...errors };
