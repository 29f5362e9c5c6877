/** The paths in the data directory. */
import { join } from 'node:path';

/** The database file. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'reeve.db');
/** The socket on which a running Reeve takes requests for backups. */
export const socketIn = (dataDir: string): string => join(dataDir, 'control.sock');
