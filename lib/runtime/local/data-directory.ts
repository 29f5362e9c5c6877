/** The paths in the data directory. */
import { join } from 'node:path';

export const databaseIn = (dataDir: string): string => join(dataDir, 'reeve.db');
export const socketIn = (dataDir: string): string => join(dataDir, 'control.sock');
