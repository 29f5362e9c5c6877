/** What the environment says about a Reeve, as the options of its start. */
import { readChannels } from '#runtime/local/channels-config.ts';
import type { Config } from '#runtime/local/config.ts';
import { databaseIn } from '#runtime/local/data-directory.ts';
import type { LocalReeveOptions } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { webhook } from '#runtime/node/webhook.ts';

type Configured = Pick<
  LocalReeveOptions,
  'path' | 'keepEndedMs' | 'backlogMaxMs' | 'responseChannels' | 'tenantWeights'
>;

/**
 * @param env the secrets of channels
 * @throws {ReeveError} `config-invalid` when the file of the channels cannot be used
 */
export function configuredOptions(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Configured {
  const { REEVE_TENANT_WEIGHTS: tenantWeights } = config;
  return {
    path: databaseIn(config.REEVE_DATA),
    keepEndedMs: config.REEVE_KEEP_DAYS * 86_400_000,
    backlogMaxMs: config.REEVE_BACKLOG_MAX * 1_000,
    responseChannels: webhooksOf(readChannels(config.REEVE_CHANNELS, env)),
    ...(tenantWeights !== undefined && { tenantWeights }),
  };
}

function webhooksOf(channels: ReturnType<typeof readChannels>) {
  return Object.fromEntries(
    Object.entries(channels).map(([name, { url, secrets }]) => [
      name,
      webhook({ name, url, secrets: async () => secrets, fetch, clock: systemClock }),
    ]),
  );
}
