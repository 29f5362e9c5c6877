/**
 * Damages data on disk, from a seed: each time the store must report it, or return every order unchanged. It
 * reports by refusing to open, which changes no file, or by logging an error, with which `reeve check` also ends.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReeveError } from '#core/model/errors.ts';
import { orderId, writeId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { examineData } from '#embedded/integrity/examine.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { allDue, allListed } from '../contracts/pages.ts';
import { seededRandom } from '../crash/chance.ts';
import { happened, happenings } from '../support/happenings.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { undelivered } from '../support/undelivered.ts';

export const outcomes = [
  'refused',
  'reported',
  'harmless',
  'SILENT',
  'UNCHECKED',
  'CHANGED',
  'FAILED',
] as const;
export type Outcome = (typeof outcomes)[number];

export interface Trial {
  readonly what: string;
  readonly outcome: Outcome;
}

const now = Date.UTC(2026, 0, 1);
const suffixes = ['', '-wal', '-totals'] as const;
const ids = (count: number) => Array.from({ length: count }, (_, at) => orderId(`order-${at}`));

interface Data {
  readonly path: string;
  readonly orders: number;
  readonly truth: string;
}

const open = (path: string, log = testLog()): SqliteStore =>
  sqliteStore({ path, sweepPeriodMs: 1_000, log });

/** Everything that the store can return. */
async function seen(store: SqliteStore, orders: number): Promise<string> {
  const all = ids(orders);
  const [records, details] = [await store.records(all), await store.orders(all)];
  const due = await allDue(store, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 100 });
  const states = [null, 'Pending', 'Processing', 'Error', 'Undone', 'Processed'] as const;
  const lists: unknown[] = [];
  for (const processState of states) {
    lists.push(await allListed(store, { processState, limit: 100 }));
  }
  return JSON.stringify([[...records], [...details], due, lists]);
}

async function grow(store: SqliteStore, from: number, to: number, random: () => number) {
  for (let at = from; at < to; at += 1) {
    const { order, record } = newOrder(
      `order-${at}`,
      now + at,
      at % 3 === 0 ? 'shop' : null,
      at % 5 === 0 ? `cart-${at}` : undefined,
    );
    await store.create(order, record);
    let current: ProcessRecord | null = record;
    for (let step = Math.floor(random() * 9); step > 0; step -= 1) {
      const wished = happenings[Math.floor(random() * happenings.length)] ?? 'claim';
      current = happened(current, wished, now + at, writeId(`${at}.${step}`));
      if (current === null) break;
      await store.commit(current);
    }
  }
}

/** Copied while the store is open, as after a killed process. */
function copied(from: string, to: string): string {
  for (const suffix of suffixes) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
  return to;
}

/** Data with much content in the database and in the write-ahead log, and the same after a clean end. */
async function prepared(directory: string, orders: number, random: () => number): Promise<Data[]> {
  const path = join(directory, 'reeve.db');
  const first = open(path);
  await grow(first, 0, orders / 2, random);
  first.close();
  const second = open(path);
  await grow(second, orders / 2, orders, random);
  const killed = copied(path, join(directory, 'killed.db'));
  second.close();
  // Read from the disk, as after each trial, and not from memory.
  const sound = open(copied(killed, join(directory, 'sound.db')));
  const truth = await seen(sound, orders);
  sound.close();
  return [
    { path: killed, orders, truth },
    { path: copied(path, join(directory, 'ended.db')), orders, truth },
  ];
}

type Harm = (path: string, random: () => number) => string;

const flip: Harm = (path, random) => {
  const bytes = readFileSync(path);
  const at = Math.floor(random() * bytes.length);
  const bit = Math.floor(random() * 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at} flipped`;
};

const cut: Harm = (path, random) => {
  const length = Math.floor(random() * readFileSync(path).length);
  truncateSync(path, length);
  return `cut to ${length} bytes`;
};

/** A start that is refused changes no file. */
const isSame = (one: string, other: string): boolean =>
  suffixes.every((suffix) => {
    const [left, right] = [one + suffix, other + suffix];
    if (!existsSync(left) || !existsSync(right)) return existsSync(left) === existsSync(right);
    return readFileSync(left).equals(readFileSync(right));
  });

async function judged(data: Data, path: string): Promise<Outcome> {
  const log = testLog();
  const aside = copied(path, `${path}.checked`);
  let outcome: Outcome;
  try {
    const store = open(path, log);
    try {
      // All of them are on the page that a start reads.
      undelivered(store, limits.changesPage);
      const verification = store.verify();
      while (verification.next(100));
      if (store.damaged() > 0) outcome = 'reported';
      else outcome = (await seen(store, data.orders)) === data.truth ? 'harmless' : 'SILENT';
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    outcome = error.message.includes(path) ? 'refused' : 'FAILED';
    if (!isSame(path, aside)) return 'CHANGED';
  }
  const isFound = (await findings(aside)) > 0;
  return outcome === 'refused' || outcome === 'reported'
    ? isFound
      ? outcome
      : 'UNCHECKED'
    : outcome;
}

async function findings(path: string): Promise<number> {
  try {
    return examineData(path).findings.length;
  } catch (error) {
    if (error instanceof ReeveError) return 1;
    throw error;
  }
}

/** Applies each kind of damage to both files, after a kill and after a clean end. */
export async function damageTrials(count: number, seed: number, orders = 120): Promise<Trial[]> {
  const random = seededRandom(seed);
  const directory = mkdtempSync(join(tmpdir(), 'reeve-damage-'));
  try {
    const [killed, ended] = await prepared(directory, orders, random);
    if (killed === undefined || ended === undefined) throw new Error('no data');
    const kinds: readonly (readonly [string, Data, '' | '-wal', Harm])[] = [
      ['log after a kill', killed, '-wal', flip],
      ['database after a clean end', ended, '', flip],
      ['log after a kill', killed, '-wal', cut],
      ['database after a kill', killed, '', flip],
      ['database after a clean end', ended, '', cut],
      ['log after a kill', killed, '-wal', flip],
      ['database after a clean end', ended, '', flip],
      ['database after a kill', killed, '', cut],
    ];
    const trials: Trial[] = [];
    for (const data of [killed, ended]) {
      const path = copied(data.path, join(directory, 'control.db'));
      const outcome = await judged(data, path);
      if (outcome !== 'harmless') throw new Error(`Undamaged data are ${outcome}.`);
      for (const suffix of suffixes) rmSync(path + suffix, { force: true });
    }
    for (let at = 0; at < count; at += 1) {
      const [name, data, file, harm] = kinds[at % kinds.length] ?? kinds[0] ?? [];
      if (name === undefined || data === undefined || harm === undefined) break;
      const path = copied(data.path, join(directory, `trial-${at}.db`));
      const what = `${name}: ${harm(path + file, random)}`;
      trials.push({ what, outcome: await judged(data, path) });
      for (const suffix of suffixes) rmSync(path + suffix, { force: true });
    }
    return trials;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
