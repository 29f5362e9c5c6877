/**
 * The steps that have room in limits and wait for an agent. While a service fails, only its next probe has room in the limits of its
 * pool: calls of the other members use it. Those that waited then are before all that come later, which get no room while they wait:
 * else each of them would find, at its turn, that steps behind it have the room.
 */
import type { LimitStages } from './limit-stages.ts';

/** See above. A name: that of an agent, or one under which steps of a pool wait. */
export interface RoomOfWaiting {
  /** The step comes to wait. Returns whether it has had its turn, so that it is before the others of its class and tenant. */
  wait(name: string, step: string): boolean;
  /** A limit has no room for the step. `hadSlot`: its agent had a slot for it, so that this was its turn. */
  refused(step: string, hadSlot: boolean): void;
  /** The service may fail since. */
  yieldOf(names: readonly string[]): void;
  /** The step waits no more. */
  forget(step: string): void;
}

/**
 * No step waits at first.
 *
 * @param isBarred whether the service fails and no probe is due
 */
export function roomOfWaiting(
  stagesOf: (name: string) => LimitStages | undefined,
  isBarred: (name: string) => boolean,
): RoomOfWaiting {
  const withRoom = new Map<string, Set<string>>();
  const without = new Map<string, Set<string>>();
  const turned = new Set<string>();

  function leave(step: string): void {
    for (const all of [withRoom, without]) for (const steps of all.values()) steps.delete(step);
  }

  function yieldRoom(name: string, step: string): void {
    // Before: the room that becomes free may let others come to wait.
    addTo(without, name, step);
    stagesOf(name)?.yieldRoom(step);
  }

  return {
    wait(name, step) {
      const isFirst = turned.delete(step);
      leave(step);
      const isBehind = !isFirst && (without.get(name)?.size ?? 0) > 0;
      if (!isBehind && !isBarred(name)) addTo(withRoom, name, step);
      else yieldRoom(name, step);
      return isFirst;
    },
    refused(step, hadSlot) {
      leave(step);
      // The other members of its pool, which are asked after the one that had the slot, do not end its turn.
      if (hadSlot) turned.add(step);
    },
    yieldOf(names) {
      for (const name of names.filter(isBarred)) {
        const steps = withRoom.get(name) ?? [];
        withRoom.delete(name);
        for (const step of steps) yieldRoom(name, step);
      }
    },
    forget(step) {
      turned.delete(step);
      leave(step);
    },
  };
}

const addTo = (all: Map<string, Set<string>>, name: string, step: string) =>
  void all.set(name, (all.get(name) ?? new Set()).add(step));
