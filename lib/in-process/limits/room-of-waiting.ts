/**
 * The steps that have room in limits and wait for an agent. While a service fails, only its next probe has room in the limits of its
 * pool: calls of the other members use it.
 */
import type { LimitStages } from './limit-stages.ts';

/** See above. A name: that of an agent, or one under which steps of a pool wait. */
export interface RoomOfWaiting {
  /** The step comes to wait. */
  wait(name: string, step: string): void;
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
  return {
    wait(name, step) {
      if (isBarred(name)) stagesOf(name)?.yieldRoom(step);
      else withRoom.set(name, (withRoom.get(name) ?? new Set()).add(step));
    },
    yieldOf(names) {
      for (const name of names.filter(isBarred)) {
        for (const step of withRoom.get(name) ?? []) stagesOf(name)?.yieldRoom(step);
        withRoom.delete(name);
      }
    },
    forget(step) {
      for (const steps of withRoom.values()) steps.delete(step);
    },
  };
}
