/** The configuration of the embedded Reeve; the only place that reads the environment. */
import * as z from 'zod';
import { refusedText } from '#core/codec/field-errors.ts';
import { httpUrl } from '#core/codec/http-url.ts';
import { tenantWeightsText } from '#core/codec/tenant-weights.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { ReeveError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { logLevels } from '#runtime/node/json-log.ts';
import { isLoopback } from '#runtime/node/loopback.ts';
import { ownDataDir } from './data-directory.ts';

const serviceUrl = httpUrl.transform((url) => url.replace(/\/+$/, '')).optional();

/** 0: any free port. */
const port = wholeNumber(0, 65_535);

const { backlogMaxMinMs, backlogMaxMaxMs, keepEndedMaxMs } = limits;
/** The variables of the environment. */
export const configSchema = z.object({
  /** The address of the API. */
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(4400),
  /** The directory of the state store. */
  REEVE_DATA: z.string().min(1).default(ownDataDir),
  /** Days that an order is kept after its end. */
  REEVE_KEEP_DAYS: wholeNumber(1, keepEndedMaxMs / 86_400_000).default(30),
  /** The file of named tokens; needed when HOST is not loopback. */
  REEVE_TOKENS: z.string().min(1).optional(),
  /** The file of response channels. */
  REEVE_CHANNELS: z.string().min(1).optional(),
  /** The shares of tenants under load. */
  REEVE_TENANT_WEIGHTS: tenantWeightsText.optional(),
  /** Seconds that an order may wait to be begun. */
  REEVE_BACKLOG_MAX: wholeNumber(backlogMaxMinMs / 1_000, backlogMaxMaxMs / 1_000).default(900),
  REEVE_LOG: z.enum(logLevels).default('error'),
  /** The services of the shipped workflow. Default: simulated suppliers, which Reeve starts. */
  REEVE_FRAUD_URL: serviceUrl,
  REEVE_INVENTORY_URL: serviceUrl,
  REEVE_PAYMENT_URL: serviceUrl,
  REEVE_SHIPPING_URL: serviceUrl,
  /** The port of the simulated suppliers. */
  REEVE_SUPPLIERS_PORT: port.default(4401),
});

/** The checked environment. */
export type Config = Readonly<z.infer<typeof configSchema>>;

/** @throws {ReeveError} `config-invalid` naming every variable at fault */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const parsed = configSchema.safeParse(env);
  if (!parsed.success) {
    const faults = refusedText(parsed.error, 'the environment');
    throw new ReeveError('config-invalid', `Invalid environment: ${faults}.`);
  }
  const config = Object.freeze(parsed.data);
  if (config.REEVE_TOKENS === undefined) {
    if (!isLoopback(config.HOST)) {
      throw new ReeveError(
        'tokens-missing',
        `HOST ${config.HOST} can be reached from other machines: set REEVE_TOKENS to a file of named tokens, or HOST to 127.0.0.1.`,
      );
    }
    // In older releases REEVE_TOKEN protected the API. Ignoring it silently would leave the API open. An empty one, which no release accepted,
    // is no token, as for the command line.
    if ((env['REEVE_TOKEN'] ?? '') !== '') {
      throw new ReeveError(
        'tokens-missing',
        'REEVE_TOKEN is what a caller sends. To ask for tokens, set REEVE_TOKENS to a file of them (`reeve token NAME --role operator` makes an entry); else unset REEVE_TOKEN.',
      );
    }
  }
  return config;
}
