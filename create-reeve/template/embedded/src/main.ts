import { serveApi } from 'reeve/http';
import { startLocalReeve } from 'reeve/local';
import { paymentAgent, stockAgent } from './agents.ts';
import { shop } from './workflow.ts';

const reeve = await startLocalReeve({ workflows: [shop], agents: [paymentAgent, stockAgent] });
const server = await serveApi(reeve);
console.log(`Reeve listens on ${server.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.close();
    reeve.close();
    process.exit();
  });
}
