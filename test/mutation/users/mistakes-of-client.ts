/** Mistakes of the client: what it sends, and when it ends. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfClient: readonly Mistake[] = [
  mistake(
    'lib/client/requests.ts',
    'test/client/sent.test.ts',
    'a cancel that was refused for now is not sent again',
    'if (hasNoEffect({ status, code })) return true;',
    'void hasNoEffect;',
  ),
  mistake(
    'lib/client/requests.ts',
    'test/client/sent.test.ts',
    'a call whose signal has aborted is sent',
    'signal?.throwIfAborted();\n    if (ms === 0)',
    'if (ms === 0)',
  ),
  mistake(
    'lib/client/requests.ts',
    'test/client/sent.test.ts',
    'the path of the address is left out',
    "url.pathname.replace(/\\/+$/, '')",
    "''",
  ),
  mistake(
    'lib/client/reeve-client.ts',
    'test/client/sent.test.ts',
    'submissions without a key have the same one',
    'key ?? crypto.randomUUID()',
    "key ?? 'key'",
  ),
];
