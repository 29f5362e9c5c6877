// examples/recipes/webhook-receiver.ts
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';

const statusSchema = z.object({
  orderId: z.string(),
  sequence: z.int(),
  processState: z.string(),
  correlationId: z.string().nullable(),
});
type Status = z.infer<typeof statusSchema>;

/** The last status of each order. A real receiver keeps them in its database. */
const statuses = new Map<string, Status>();

async function verified(request: IncomingMessage): Promise<Status | null> {
  try {
    const body = await text(request);
    const signed = z.record(z.string(), z.string()).parse(request.headers);
    return statusSchema.parse(new Webhook(secret).verify(body, signed));
  } catch {
    return null; // not signed with our secret, signed too long ago, or not complete
  }
}

const secret = process.env['SHOP_WEBHOOK_SECRET'] ?? '';
const server = createServer(async (request, response) => {
  const status = await verified(request);
  if (status === null) return response.writeHead(401).end();
  const last = statuses.get(status.orderId);
  // A message may arrive twice, and an older one may arrive late.
  if (last === undefined || status.sequence > last.sequence) {
    statuses.set(status.orderId, status);
    console.log(`${status.correlationId} is ${status.processState}`);
  }
  return response.writeHead(204).end();
});
server.listen(Number(process.env['RECEIVER_PORT'] ?? 4500), '127.0.0.1');
