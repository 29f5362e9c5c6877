/** Simulates one world of drawn orders. In every fourth of them an operator drains agents, and changes weights and limits. */
import { type Simulation, type SimulationOptions, simulate } from '#sim/world/simulate.ts';
import { drawnOrders } from './drawn-orders.ts';

const operatedEvery = 4;

export const simulateDrawn = (
  options: Omit<SimulationOptions, 'subject' | 'operatesAgents'>,
): Promise<Simulation> =>
  simulate({
    ...options,
    subject: drawnOrders(options.seed),
    operatesAgents: options.seed % operatedEvery === 0,
  });
