/** The paths in the data directory. */
import { join } from 'node:path';

/** The data directory of the user's own Reeve, where nothing says another. */
export const ownDataDir = '.reeve';
/**
 * That of `reeve start`. It runs the shop of the examples, which does not know the workflows of the user: on their data, it
 * would put their orders in Error.
 */
export const shopDataDir = join(ownDataDir, 'shop');

/** What errors about data that are not there say. */
export const otherData = `Name the directory of the data with --data; that of \`reeve start\` is ${shopDataDir}.`;

/** The database file. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'reeve.db');
/** The socket on which a running Reeve takes requests for backups. */
export const socketIn = (dataDir: string): string => join(dataDir, 'control.sock');
