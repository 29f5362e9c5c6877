import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { limitItemsContract } from '../contracts/limit-items.ts';
import { memoryItems } from '../support/memory-limit-items.ts';

limitItemsContract('in memory', async () => memoryItems(limitTable()));
