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
    'lib/client/address.ts',
    'test/client/sent.test.ts',
    'the path of the address is left out',
    "url.pathname.replace(/\\/+$/, '')",
    "''",
  ),
  mistake(
    'lib/client/reeve-client.ts',
    'test/client/sent.test.ts',
    'submissions without a key have the same one',
    'key ?? newKey()',
    "key ?? 'key'",
  ),
  mistake(
    'lib/client/new-key.ts',
    'test/client/sent.test.ts',
    'submissions of a page by plain HTTP have the same key',
    'crypto.getRandomValues(new Uint8Array(16))',
    'new Uint8Array(16)',
  ),
  mistake(
    'lib/client/address.ts',
    'test/client/sent.test.ts',
    'a password in the address is left out without a word',
    "url.username + url.password !== ''",
    'url.username.length < 0',
  ),
  mistake(
    'lib/client/requests.ts',
    'test/client/sent.test.ts',
    'an error of the function `token` is none of the client',
    'Promise.race([asked(token), limit.passed])',
    'Promise.race([token(), limit.passed])',
  ),
  mistake(
    'lib/client/requests.ts',
    'test/client/odd-answers.test.ts',
    'the error of a gateway has an empty message',
    "typeof code !== 'string' || typeof title !== 'string'",
    "typeof code !== 'string'",
  ),
];
