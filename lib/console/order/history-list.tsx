/** The history as sentences. */

import type { HistoryDocument } from '#console/api/documents.ts';
import { historySentence } from '#text/history-text.ts';
import { At } from '../parts/instant.tsx';
import { historyLine } from './history-lines.ts';

export function HistoryList({ history }: { readonly history: readonly HistoryDocument[] }) {
  return (
    <section class="card" aria-labelledby="history-title">
      <div class="card-head">
        <h2 id="history-title">History</h2>
      </div>
      <ol class="history">
        {history.map((entry, place) => (
          <li key={place} data-type={entry.type}>
            <At at={entry.at} />
            <span>{sentence(entry)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function sentence(entry: HistoryDocument): string {
  const text = historySentence(historyLine(entry));
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
