import { once } from 'node:events';
import type { Server } from 'node:http';

/** A server that only programs of this machine reach. */
export interface Loopback {
  /** Without a path. */
  readonly url: string;
  /** Ends its connections, too. */
  close(): void;
}

/** Starts a server on a free port. */
export async function onLoopback(server: Server): Promise<Loopback> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
