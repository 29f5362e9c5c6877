/** Mistakes in what is made of requests and answers that are unusual, and in what operators see of them. */
import { type Mistake, mistake } from '../mistake.ts';

const frontDoor = 'test/lambdas/front-door.test.ts';
const openRequests = 'test/runtime/open-requests.test.ts';
const largest = 'test/http/largest.test.ts';
const usage = 'test/cli/usage.test.ts';
const addresses = 'test/cli/addresses.test.ts';
const orderFilter = 'test/cli/order-filter.test.ts';
const bulk = 'test/console/bulk.test.ts';
const listing = 'test/console/listing.test.ts';
const following = 'test/console/following.test.ts';
const stream = 'test/console/stream.test.ts';
const signIn = 'test/console/sign-in.test.ts';
const followers = 'test/http/followers.test.ts';

const ofRequests: readonly Mistake[] = [
  mistake(
    'lib/aws/request-as-sent.ts',
    frontDoor,
    'on AWS, a decoded path may be that of another route',
    '{ rawPath: encodedPath(rawPath) }',
    '{ rawPath }',
  ),
  mistake(
    'lib/aws/request-as-sent.ts',
    frontDoor,
    'on AWS, a header without a value counts as none',
    "value === '' ? ' ' : value",
    'value',
  ),
  mistake(
    'lib/aws/caller.ts',
    'test/aws/caller.test.ts',
    'a list of tenants is the name of a tenant',
    '!/^\\[.*\\]$/s.test(claim)',
    'claim !== everyTenant.repeat(2)',
  ),
  mistake(
    'lib/aws/notifications/aws-publisher.ts',
    'test/aws/publisher.test.ts',
    'a channel with the name of a property of all objects is there',
    'replyTo !== null && Object.hasOwn(channels, replyTo)',
    'replyTo !== null',
  ),
  mistake(
    'lib/runtime/node/open-requests.ts',
    openRequests,
    'a server that closes does not wait for answers',
    'if (![...open.values()].some(isAwaited)) resolve();',
    'resolve();',
  ),
  mistake(
    'lib/runtime/node/open-requests.ts',
    openRequests,
    'a server that closes waits for event streams',
    'request.complete && !isEndless(request)',
    'request.complete || isEndless(request)',
  ),
  mistake(
    'lib/runtime/local/request-turns.ts',
    'test/runtime/request-turns.test.ts',
    'a request with a body to a health check has no bound',
    "if (method !== 'GET' && method !== 'HEAD') return false;",
    "if (method === 'TRACE') return false;",
  ),
  mistake(
    'lib/http/shown-inputs.ts',
    largest,
    'the inputs of an order have no limit together',
    'if (areSmall([...inputs.values()])) return inputs;',
    'if (inputs.size > 0) return inputs;',
  ),
  mistake(
    'lib/http/shown-inputs.ts',
    largest,
    'the inputs of steps that stopped are left out first',
    'rank(a) - rank(b)',
    'rank(b) - rank(a)',
  ),
  mistake(
    'lib/http/routes/followers.ts',
    followers,
    'one owner takes all places of followers',
    'count(owner) >= free * ownedPerFree',
    'free === 0',
  ),
  mistake(
    'lib/http/routes/event-routes.ts',
    'test/http/events.test.ts',
    'each principal of a tenant has a part of the streams',
    'tenant === null ? `principal',
    'tenant !== name ? `principal',
  ),
  mistake(
    'lib/workflows/http-service.ts',
    'test/workflows/http-service.test.ts',
    'a service may redirect a call',
    "redirect: 'manual',",
    "redirect: 'follow',",
  ),
];

const ofCommands: readonly Mistake[] = [
  mistake(
    'lib/cli/api/http-api.ts',
    addresses,
    'the command line follows a redirect',
    "redirect: 'manual',",
    "redirect: 'follow',",
  ),
  mistake(
    'lib/cli/api/http-api.ts',
    addresses,
    'a server without TLS is reported in the words of a library',
    "'ERR_SSL_WRONG_VERSION_NUMBER'",
    "'EPROTO'",
  ),
  mistake(
    'lib/cli/options/refuse-repeats.ts',
    orderFilter,
    'of an option that is given twice the last value counts',
    "if (former !== undefined) throw new InvalidArgumentError('It is given twice.');",
    'if (former === null) return former;',
  ),
  mistake(
    'lib/cli/options/name-argument.ts',
    usage,
    'the name of a folder is an id',
    "text !== '.' && text !== '..'",
    "text !== '/'",
  ),
  mistake(
    'lib/cli/options/order-filter.ts',
    orderFilter,
    'an age that is longer than the clock counts is an error',
    'Math.max(at, earliest)',
    'Math.max(at, at)',
  ),
  mistake(
    'lib/runtime/command/own-orders.ts',
    'test/bin/dev.test.ts',
    'a module that is loaded for long is loaded in silence',
    '() => say(waiting)',
    '() => waiting.length',
  ),
  mistake(
    'lib/testing/prove/process/loop-warning.ts',
    'test/testing/loop-warning.test.ts',
    'a proof keeps its watch when it has ended',
    'Atomics.store(own, 0, ended);',
    'Atomics.load(own, 0);',
  ),
  mistake(
    'lib/testing/prove/process/one-proof.ts',
    'test/testing/loop-warning.test.ts',
    'a proof is not watched',
    'const watched = watchLoops();',
    'const watched = () => watchLoops.length;',
  ),
];

const ofConsole: readonly Mistake[] = [
  mistake(
    'lib/console/orders/find-orders.ts',
    bulk,
    'orders that an action leaves out take the places of others',
    '(found.size > 0 && found.size + skipped.size >= max)',
    '(found.size + skipped.size >= max)',
  ),
  mistake(
    'lib/console/orders/find-orders.ts',
    bulk,
    'a further run begins with the first orders again',
    'let cursor = from?.cursor ?? null;',
    'let cursor: string | null = null;',
  ),
  mistake(
    'lib/console/orders/listing.ts',
    listing,
    'an order that is no longer held stays listed as held',
    "!Object.values(change.steps).includes('Held')",
    "Object.values(change.steps).includes('Held')",
  ),
  mistake(
    'lib/console/orders/held-text.ts',
    'test/console/waits.test.ts',
    'two steps that wait for one agent are said twice',
    '[...new Set(waits)]',
    'waits',
  ),
  mistake(
    'lib/console/api/keep-loaded.ts',
    following,
    'a document that failed for a while is not asked for again',
    'restMs = failedRestMs;\n      loading.ask();',
    'restMs = failedRestMs;',
  ),
  mistake(
    'lib/console/api/api-client.ts',
    stream,
    'an answer that never ends counts as one of Reeve',
    'if (late.signal.aborted) isAnswering.value = false;',
    'if (late.signal.aborted) void 0;',
  ),
  mistake(
    'lib/console/api/live.ts',
    stream,
    'a page that was hidden keeps its changes back',
    'flush();\n    isShown.value',
    'isShown.value',
  ),
  mistake(
    'lib/console/api/signed-in.ts',
    following,
    'a principal that was not learned is not asked for again',
    'if (mayPass(answer)) learning.ask();',
    'if (mayPass(answer)) void 0;',
  ),
  mistake(
    'lib/console/api/sign-in.ts',
    signIn,
    'a server that does not answer has no provider',
    'if (!mayPass(answer)) return null;',
    "if (answer.kind !== 'refused' || !mayPass(answer)) return null;",
  ),
  mistake(
    'lib/console/api/sign-in.ts',
    signIn,
    'a sign-in begins that the page cannot finish',
    'if (!isKept) {',
    'if (isKept === null) {',
  ),
  mistake(
    'lib/console/parts/browser-store.ts',
    signIn,
    'a page forgets at once what its browser does not keep',
    'ownTexts.set(place, text);',
    'ownTexts.delete(place);',
  ),
];

export const mistakesOfAnswers: readonly Mistake[] = [...ofRequests, ...ofCommands, ...ofConsole];
