/** `reeve start`: the shipped workflow, and the simulated suppliers unless all services are configured. */
import { join } from 'node:path';
import type { Config } from '#runtime/local/config.ts';
import type { Closers } from '#runtime/node/closers.ts';
import { supplierProcess } from '#runtime/node/supplier-process.ts';
import { exampleOrder } from '#workflows/example-order.ts';
import { orderAgents, type ServiceUrls } from '#workflows/order-agents.ts';
import { workflows } from '#workflows/shipped.ts';
import type { Serve } from './start-command.ts';

/** Serves the shipped workflow. */
export const shippedOrders: Serve = async (config, open) => {
  const suppliersUrl = needsSuppliers(config) ? await startSuppliers(config, open) : null;
  return {
    workflows,
    agents: orderAgents(serviceUrls(config, suppliersUrl), fetch),
    isDevelopment: false,
    welcome: (command) => welcome(command, suppliersUrl),
  };
};

async function startSuppliers(config: Config, open: Closers): Promise<string> {
  const suppliers = supplierProcess({
    port: config.REEVE_SUPPLIERS_PORT,
    dataDir: join(config.REEVE_DATA, 'suppliers'),
  });
  open.add('simulated suppliers', suppliers.stop);
  return suppliers.url;
}

/** Whether some service is to be simulated. */
export function needsSuppliers(config: Config): boolean {
  return [
    config.REEVE_FRAUD_URL,
    config.REEVE_INVENTORY_URL,
    config.REEVE_PAYMENT_URL,
    config.REEVE_SHIPPING_URL,
  ].includes(undefined);
}

/** The addresses of the services: those of the configuration, and of the simulated ones. */
export function serviceUrls(config: Config, suppliersUrl: string | null): ServiceUrls {
  const at = (service: string) => `${suppliersUrl ?? ''}/${service}`;
  return {
    fraud: config.REEVE_FRAUD_URL ?? at('fraud'),
    inventory: config.REEVE_INVENTORY_URL ?? at('inventory'),
    payment: config.REEVE_PAYMENT_URL ?? at('payment'),
    shipping: config.REEVE_SHIPPING_URL ?? at('shipping'),
  };
}

function welcome(command: string, suppliersUrl: string | null): string {
  const lines = [
    ...(suppliersUrl === null ? [] : [`Simulated suppliers on ${suppliersUrl}`]),
    '',
    'Try, in another terminal:',
    `  echo '${JSON.stringify(exampleOrder)}' | ${command}submit - --wait`,
    `  ${command}list`,
  ];
  if (suppliersUrl !== null) {
    const there =
      suppliersUrl === 'http://127.0.0.1:4401' ? '' : ` --suppliers-url ${suppliersUrl}`;
    lines.push(
      `  npx reeve suppliers set payment declineRate=1${there}    # break a supplier, submit again`,
      `  npx reeve suppliers reset${there}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
