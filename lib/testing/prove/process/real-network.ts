/** What the code of agents calls over the real network while `prove` runs it: it is refused, and found. */
import { Socket } from 'node:net';
import { type AgentTry, currentTry, orderAndStep } from '../agents/agent-try.ts';
import { replaced } from './replaced.ts';

/** Takes effect until the returned function is called. Code that is no agent of a simulated world has the real network. */
export function refuseNetwork(): () => void {
  const { fetch } = globalThis;
  const { connect } = Socket.prototype;
  async function fetched(...given: Parameters<typeof fetch>): Promise<Response> {
    const own = currentTry();
    if (own === undefined) return fetch(...given);
    const [input] = given;
    throw refused(own, `fetch('${input instanceof Request ? input.url : input}')`);
  }
  function connected(this: Socket, ...given: readonly unknown[]): unknown {
    const own = currentTry();
    if (own === undefined) return Reflect.apply(connect, this, given);
    return this.destroy(refused(own, addressText(given.flat()[0])));
  }
  const restores = [
    replaced(globalThis, 'fetch', fetched),
    // Every other client of a service ends here.
    replaced(Socket.prototype, 'connect', connected),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}

/** Of the first argument of `connect`, which `net.connect` wraps in a list. */
function addressText(given: unknown): string {
  if (typeof given !== 'object' || given === null) return `port ${String(given)}`;
  const read = (name: string): unknown => Reflect.get(given, name);
  return String(read('path') ?? `${String(read('host') ?? 'localhost')}:${String(read('port'))}`);
}

function refused({ world, agent, action, performKey }: AgentTry, what: string): Error {
  const { order, step } = orderAndStep(performKey);
  const text = `The agent ${agent} called ${what} for real, for the ${action} of ${step} of ${order}. prove runs agents against simulated services: let a function make the agent from its client, and give it a \`simulatedService\` in the proof.`;
  world.find('calls-outside', text);
  return new Error(text);
}
