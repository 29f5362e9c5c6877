/** The router of the API. */
import type { Hono } from 'hono';
import type { AccessEnv } from '#http/access/access.ts';

export type ApiRouter = Hono<AccessEnv>;
