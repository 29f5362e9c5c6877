/** The limits of agents and pools: how much each allows, and what operators changed of it. */
import type { Limit } from '#console/api/documents.ts';
import { amountText, rateText } from '#text/rate-text.ts';
import { ColumnHeads } from './column-heads.tsx';
import { Ago } from './instant.tsx';
import { ScrollBox } from './scroll-box.tsx';

/** Nothing where no agent has limits. */
export function Limits({ limits }: { readonly limits: readonly Limit[] }) {
  if (limits.length === 0) return null;
  return (
    <section class="card" aria-labelledby="limits">
      <div class="card-head">
        <h2 id="limits">Limits</h2>
      </div>
      <ScrollBox class="table-box" label="How much each limit allows">
        <table class="table limits">
          <ColumnHeads titles={['Limit', 'For', 'Rate', 'At once', 'Changed']} />
          <tbody>
            {limits.map((limit) => (
              <LimitRow key={limit.name} limit={limit} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function LimitRow({ limit }: { readonly limit: Limit }) {
  const { name, byKey, changed, defined } = limit;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{byKey ? 'each key' : 'all calls'}</td>
      <td class="figures">{limit.rate === null ? '–' : rateText(limit.rate)}</td>
      <td class="figures">{limit.atOnce ?? '–'}</td>
      <td>
        {changed !== null && (
          <>
            by {changed.by} <Ago at={changed.at} />; defined: {amountText(defined)}
          </>
        )}
      </td>
    </tr>
  );
}
