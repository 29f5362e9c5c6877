/** Shows on the terminal of `reeve start` and `reeve dev` what an operator has to know at a start. */
import type { Log, LogFields } from '#ports/log.ts';

/** The log, with these events at level info, because the terminal shows them. */
export function shownWarnings(log: Log, show: (text: string) => void): Log {
  return {
    info: (event, fields) => log.info(event, fields),
    warn: (event, fields) => log.warn(event, fields),
    error(event, fields) {
      if (event !== 'orders-without-definition') {
        log.error(event, fields);
        return;
      }
      show(withoutDefinition(fields));
      log.info(event, fields);
    },
  };
}

function withoutDefinition({ workflow, version, orders, orderId, isChanged }: LogFields): string {
  const which = orders === 1 ? `Order ${orderId}` : `${orders} orders, such as ${orderId},`;
  const why =
    isChanged === true
      ? 'was changed under the same version'
      : 'is not among the workflows that run';
  return `${which} in Error cannot go on: ${workflow}@${version} ${why}.\n  Before you resubmit or cancel ${orders === 1 ? 'it' : 'one'}, start with this definition as it was, and a changed workflow beside it with the next version.\n`;
}
