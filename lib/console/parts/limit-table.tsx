/** The limits of agents and pools: how much each allows, and what operators changed of it. */
import type { Limit } from '#console/api/documents.ts';
import { useDocument } from '#console/api/use-document.ts';
import { amountText, rateText } from '#text/rate-text.ts';
import { Ago } from './instant.tsx';
import { ScrollBox } from './scroll-box.tsx';

/** Operators change limits rarely; between two requests, ms. */
const everyMs = 10_000;

/** Nothing where no agent has limits, and until they are known. */
export function Limits() {
  const options = { restMs: 1_000, everyMs };
  const loaded = useDocument<{ readonly limits: readonly Limit[] }>('/agents', options).value;
  if (loaded.kind !== 'shown' || loaded.body.limits.length === 0) return null;
  return (
    <section class="card" aria-labelledby="limits">
      <div class="card-head">
        <h2 id="limits">Limits</h2>
      </div>
      <ScrollBox class="table-box" label="How much each limit allows">
        <table class="table limits">
          <thead>
            <tr>
              {['Limit', 'For', 'Rate', 'At once', 'Changed'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {loaded.body.limits.map((limit) => (
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
