/** What each variable of `reeve start` means: docs/reference.md is generated from this table. */
import type { Config } from './config.ts';

const service = 'address of your service; without it the simulated suppliers start';

/** By the name of the variable, in Markdown. */
export const variableTexts: Readonly<Record<keyof Config, string>> = {
  HOST: 'address on which the API listens; one other than loopback requires `REEVE_TOKENS`',
  PORT: 'port of the API; 0 takes any free port',
  REEVE_TOKENS: 'file of named tokens, see [access.md](access.md#embedded)',
  REEVE_DATA:
    'data directory; of `reeve start`, which runs the shop of the examples, `.reeve/shop`',
  REEVE_KEEP_DAYS:
    'days for which a Processed or Undone order is kept; one in Error is kept without a limit',
  REEVE_CHANNELS: 'file of response channels, see [notifications.md](notifications.md)',
  REEVE_TENANT_WEIGHTS:
    'JSON such as `{"inn":4}`: the shares of tenants when orders wait, 0.01 to 100 (a tenant without one has 1), see [recipes.md](recipes.md#share-one-reeve-between-tenants)',
  REEVE_BACKLOG_MAX:
    'seconds that an order may wait to be begun; one that would wait for longer is refused with `Retry-After`, see [recipes.md](recipes.md#refuse-orders-that-would-wait-for-too-long)',
  REEVE_LOG: '`info`, `warn`, `error` or `silent`: the lowest level of events that are logged',
  REEVE_FRAUD_URL: service,
  REEVE_INVENTORY_URL: service,
  REEVE_PAYMENT_URL: service,
  REEVE_SHIPPING_URL: service,
  REEVE_SUPPLIERS_PORT: 'port of the simulated suppliers; 0 takes any free port',
};
