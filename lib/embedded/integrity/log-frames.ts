/** What SQLite's write-ahead log has: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
import { closeSync, openSync, readSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The last bit states the byte order of the checksums. */
const magic = 0x377f0682;

/** The frames that were written since the log was last copied to the database as a whole. */
export interface LogFrames {
  readonly pageBytes: number;
  /** The numbers of the pages that it has. */
  readonly pages: ReadonlySet<number>;
  /** The transactions that it has. */
  readonly commits: number;
}

/**
 * Null when SQLite uses nothing of the log. The checksums of frames are left to SQLite, so that after a kill this may name a page or
 * a transaction too many, and never one too few.
 *
 * @throws the system's error
 */
export function logFrames(logFile: string): LogFrames | null {
  const file = openSync(logFile, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return null;
    if ((header.readUInt32BE(0) & ~1) !== magic) return null;
    const pageBytes = header.readUInt32BE(8);
    const pages = new Set<number>();
    let commits = 0;
    const frame = Buffer.alloc(frameHeaderBytes);
    const step = frameHeaderBytes + pageBytes;
    for (let at = headerBytes; ; at += step) {
      if (readSync(file, frame, 0, frameHeaderBytes, at) < frameHeaderBytes) break;
      // The salts of an older log, whose space this one uses.
      if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
      pages.add(frame.readUInt32BE(0));
      if (frame.readUInt32BE(4) > 0) commits += 1;
    }
    return { pageBytes, pages, commits };
  } finally {
    closeSync(file);
  }
}
