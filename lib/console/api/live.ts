/**
 * Follows all orders: changes from the event stream, batched per frame; without a stream,
 * a request to refresh every few seconds. A hidden page follows nothing: browsers have six connections
 * to a server for all of their tabs, and with as many streams no request of any tab would be sent.
 */
import { effect, signal, untracked } from '@preact/signals';
import { after } from '#console/parts/server-clock.ts';
import { isAnswering, request } from './api-client.ts';
import type { Change } from './documents.ts';
import { authorization, sessions, tokenWanted } from './session-token.ts';
import { sseParser } from './sse-parser.ts';
import { type Update, updateOf } from './update.ts';

export type Connection = 'connecting' | 'live' | 'polling' | 'offline';
export const connection = signal<Connection>('connecting');

export interface Follower {
  changes?(batch: ReadonlyMap<string, Update>): void;
  /** Changes may have been missed: load again. */
  refresh(): void;
}

const pollMs = 3_000;
/** The server sends a keep-alive every 15 s; a stream silent for longer than this is broken, ms. */
const silenceMaxMs = 40_000;
/** A stream that has not begun after this time is tried again, ms. */
const beginMaxMs = 15_000;
const retryFirstMs = 500;
const retryMaxMs = 10_000;

const isShown = signal(document.visibilityState === 'visible');

const followers = new Set<Follower>();
let batch = new Map<string, Update>();

/** The returned function ends it. */
export function follow(follower: Follower): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

function refreshAll(): void {
  for (const follower of followers) follower.refresh();
}

/** Not while the page is hidden, or wants a token: it is refreshed when it is shown again, and with the token. */
function refreshSeen(): void {
  if (isShown.peek() && !tokenWanted.peek()) refreshAll();
}

function onChange(change: Change): void {
  if (batch.size === 0) requestAnimationFrame(flush);
  const update = updateOf(change, batch.get(change.orderId));
  // Deleted first, so that the map is ordered by the last change.
  batch.delete(change.orderId);
  batch.set(change.orderId, update);
}

function flush(): void {
  if (batch.size === 0) return;
  const changes = batch;
  batch = new Map();
  for (const follower of followers) follower.changes?.(changes);
}

/** Reads until the stream ends; `absent` when there is none. */
async function read(ended: AbortController): Promise<'ended' | 'absent' | 'refused'> {
  const late = after(beginMaxMs, () => ended.abort());
  const response = await request('/events', { headers: authorization(), signal: ended.signal });
  late();
  if (response?.status === 404) return 'absent';
  if (response === null || !response.ok || response.body === null) return 'refused';
  connection.value = 'live';
  refreshAll();
  const parse = sseParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let silence = after(silenceMaxMs, () => ended.abort());
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      silence();
      silence = after(silenceMaxMs, () => ended.abort());
      for (const { event, data } of parse(piece.value)) {
        if (event === 'order') onChange(JSON.parse(data));
        // There were more changes than the server sends.
        else if (event === 'missed') refreshAll();
      }
    }
  } catch {
    // The connection broke; the caller reconnects.
  } finally {
    silence();
  }
  return 'ended';
}

async function keepReading(ended: AbortController): Promise<void> {
  let retryMs = retryFirstMs;
  while (!ended.signal.aborted) {
    const stream = new AbortController();
    const stop = () => stream.abort();
    ended.signal.addEventListener('abort', stop);
    const outcome = await read(stream);
    // The body of a refusal, which is not read, may never end by itself.
    stop();
    ended.signal.removeEventListener('abort', stop);
    if (ended.signal.aborted || tokenWanted.value) return;
    if (outcome === 'absent') return poll(ended);
    // Reeve itself may refuse a further stream; meanwhile the page polls it.
    const isRefused = outcome === 'refused' && isAnswering.value;
    connection.value = outcome === 'ended' || isRefused ? 'connecting' : 'offline';
    if (isRefused) refreshSeen();
    retryMs = outcome === 'ended' ? retryFirstMs : Math.min(retryMaxMs, retryMs * 2);
    await new Promise<void>((resolve) => after(retryMs, resolve));
  }
}

function poll(ended: AbortController): void {
  const stop = effect(() => {
    connection.value = isAnswering.value ? 'polling' : 'offline';
  });
  ended.signal.addEventListener('abort', stop);
  const tick = () => {
    if (ended.signal.aborted) return;
    refreshSeen();
    after(pollMs, tick);
  };
  tick();
}

/** Connects, and connects again with each new token, and when the page is shown again. */
export function startFollowing(): void {
  let current = new AbortController();
  let known = 0;
  effect(() => {
    const session = sessions.value;
    const isSeen = isShown.value;
    current.abort();
    current = new AbortController();
    // What a follower reads before its first request must not connect again when it changes.
    untracked(() => {
      // Requests before the token have failed, so load again.
      if (session !== known) refreshAll();
      known = session;
      if (isSeen) void keepReading(current);
      else if (connection.value === 'live') connection.value = 'connecting';
    });
  });
  document.addEventListener('visibilitychange', () => {
    // A page that was hidden has no next frame, for which changes would gather as long as it stays so.
    flush();
    isShown.value = document.visibilityState === 'visible';
    refreshSeen();
  });
}
