/** The instances of one function: each runs one invocation at a time, and new ones replace those that are old or busy. */
import type { SimContext } from '#sim/world/sim-context.ts';

export interface FunctionPool<Instance> {
  /** Runs an invocation on an instance that is free, or on a new one. */
  run<Value>(work: (instance: Instance) => Promise<Value>): Promise<Value>;
  /** How many instances there have been. */
  made(): number;
}

export interface FunctionPoolOptions<Instance> {
  readonly around: Pick<SimContext, 'timeline' | 'chance'>;
  /** @param number from 1 */
  readonly make: (number: number) => Instance;
  /** Instances at once, at most: others wait for one that is free. Default: as many as there are invocations. */
  readonly most?: number;
}

/** The begin of a new instance, ms. */
const coldMs = { least: 250, most: 800 };
/** How long an instance is used, ms: short, so that many are made anew in a few minutes. */
const lifeMs = { least: 60_000, most: 300_000 };

export function functionPool<Instance>({
  around: { timeline, chance },
  make,
  most = Number.POSITIVE_INFINITY,
}: FunctionPoolOptions<Instance>): FunctionPool<Instance> {
  const free: { readonly instance: Instance; readonly until: number }[] = [];
  const waiting: (() => void)[] = [];
  let count = 0;
  let running = 0;

  function takeFree() {
    while (free.length > 0) {
      const [taken] = free.splice(chance.between(0, free.length - 1), 1);
      if (taken !== undefined && taken.until > timeline.now()) return taken;
    }
    return undefined;
  }

  async function begun() {
    count += 1;
    const number = count;
    const at = timeline.now() + chance.between(coldMs.least, coldMs.most);
    await new Promise<void>((resolve) => {
      timeline.at(at, resolve);
    });
    return { instance: make(number), until: at + chance.between(lifeMs.least, lifeMs.most) };
  }

  return {
    made: () => count,
    async run(work) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      const own = takeFree() ?? (await begun());
      try {
        return await work(own.instance);
      } finally {
        free.push(own);
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
