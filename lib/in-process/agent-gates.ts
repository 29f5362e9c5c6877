/** The gates of the agents of one process: each agent has a room of its own. */
import { assertThat } from '#core/model/errors.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Gates } from '#ports/gates.ts';
import { type AgentRoom, type AgentRoomOptions, agentRoom } from './agent-room.ts';

/** Options of {@link agentRooms}. */
export interface AgentRoomsOptions extends Omit<AgentRoomOptions, 'agent' | 'callsMax'> {
  /** The calls that each agent makes at once, by its name. */
  readonly callsMax: ReadonlyMap<string, number>;
  readonly clock: Clock;
}

/** Gates that learn from the stored records which steps wait. */
export interface AgentRooms extends Gates {
  /** @throws {ReeveError} `assertion-failed` when the process has no such agent */
  of(agent: string): AgentRoom;
  /**
   * Call it after each durable write. The rooms know from the records alone which steps wait, so an order that was
   * cancelled or started by another nudge does not keep a place.
   *
   * @param before the revision that `record` replaced; null for a new order
   */
  onRecord(record: ProcessRecord, before: ProcessRecord | null): void;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the gates of the agents of one process. */
export function agentRooms({ callsMax, ...options }: AgentRoomsOptions): AgentRooms {
  const rooms = new Map<string, AgentRoom>(
    [...callsMax].map(([agent, max]) => [agent, agentRoom({ ...options, agent, callsMax: max })]),
  );
  function of(agent: string): AgentRoom {
    const room = rooms.get(agent);
    assertThat(room !== undefined, `this process has an agent ${agent}`);
    return room;
  }
  return {
    of,
    ask: (requests) => requests.map((request) => of(request.agent).ask(request)),
    release(requests) {
      for (const [agent, own] of Map.groupBy(requests, (request) => request.agent)) {
        of(agent).release(own);
      }
    },
    onRecord(record, before) {
      if (before?.isHeld === true) {
        for (const [place, step] of before.steps.entries()) {
          const isHeld = record.steps[place]?.progress.state === 'Held';
          const isOther = record.direction !== before.direction;
          if (step.progress.state === 'Held' && (isOther || !isHeld)) {
            rooms.get(step.agent)?.forget(before, step);
          }
        }
      }
      if (record.isHeld === true) {
        for (const step of record.steps) {
          if (step.progress.state !== 'Held') continue;
          rooms.get(step.agent)?.hold(record, step, step.progress);
        }
      }
    },
    close() {
      for (const room of rooms.values()) room.close();
    },
  };
}
