/**
 * Kills instances of a Scheduler at random points while they lease the room of one key, which operators lower and raise, in
 * virtual time with the shipped leases: no limit is exceeded, and no room stays taken.
 */
import type { LimitSlot } from '#core/model/message.ts';
import { type RoomLeases, roomLeases } from '#distributed/limits/room-leases.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';

const holdersMax = 64;
const instances = 20;
const callMs = 6_000;
/** Between two events, ms. */
const betweenMs = 60;
/** The parts of events that kill an instance, and that change the limit. */
const killed = 0.05;
const changed = 0.01;

interface Call {
  readonly instance: number;
  readonly holder: string;
  readonly room: LimitSlot;
  /** Its complete-by, by which the call of a dead instance has ended. */
  readonly until: number;
  /** Its instance died: no process gives its room back. */
  isLost: boolean;
}

/** @param wanted instances that are killed */
export async function limitKills(wanted: number, seed: number) {
  const chance = chanceOf(seed);
  let nowMs = 1_000_000;
  const table = limitTable();
  const items: LimitItems = {
    advance: async (name, change) => table.advance(name, change),
    occupy: async (name, change) => table.occupy(name, change),
    extend: async (name, holder, until) => table.extend(name, holder, until),
  };
  const started = (): RoomLeases =>
    roomLeases({
      items,
      clock: { now: () => nowMs },
      random: { next: () => chance.between(0, 999) / 1_000 },
    });
  const all = Array.from({ length: instances }, started);
  let calls: Call[] = [];
  let max = holdersMax;
  let [kills, entered, refused, overshoots, number] = [0, 0, 0, 0, 0];

  async function enter(instance: number, isKilled: boolean): Promise<void> {
    number += 1;
    const holder = `h${number}`;
    const until = nowMs + callMs;
    const leases = all[instance] ?? started();
    const room = await leases.enter({
      ...{ name: 'payment/each#key#calls', max, definedMax: holdersMax, holder, until },
      isBehind: false,
    });
    if (room === null) refused += 1;
    else {
      calls.push({ instance, holder, room, until, isLost: isKilled });
      entered += 1;
      if (calls.length > max) overshoots += 1;
    }
    if (isKilled) kill(instance);
  }

  function kill(instance: number): void {
    kills += 1;
    for (const call of calls) if (call.instance === instance) call.isLost = true;
    all[instance] = started();
  }

  async function end(call: Call): Promise<void> {
    calls = calls.filter((other) => other !== call);
    if (call.isLost) return;
    all[call.instance]?.leave(call.room, call.holder);
    await all[call.instance]?.settle();
  }

  while (kills < wanted) {
    nowMs += chance.between(1, 2 * betweenMs);
    for (const call of calls.filter(({ until }) => until <= nowMs)) await end(call);
    const instance = chance.between(0, instances - 1);
    if (chance.hits(changed)) max = chance.between(1, holdersMax);
    const living = calls.filter(({ isLost }) => !isLost);
    const [ended] = living;
    if (ended !== undefined && chance.hits(0.4)) await end(chance.pick([ended, ...living]));
    else if (chance.hits(killed)) {
      // Before its write, after it, or while its calls are in flight.
      if (chance.hits(0.5)) await enter(instance, true);
      else kill(instance);
    } else await enter(instance, false);
  }
  nowMs += 10 * callMs;
  calls = [];
  max = holdersMax;
  for (let at = 0; at < 2 * holdersMax; at += 1) await enter(at % instances, false);
  const leaked = holdersMax - calls.length;
  return {
    ...{ seed, kills, holdersMax, entered, refused, overshoots, leaked },
    isPassed: overshoots === 0 && leaked === 0,
  };
}
