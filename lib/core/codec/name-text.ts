/** Names in settings: those of agents and of response channels. */
import * as z from 'zod';
import { nameForm } from '#core/model/ids.ts';

/** The name of an agent or of a response channel. */
export const nameText = z.string().regex(nameForm.pattern, `must be ${nameForm.text}`);
