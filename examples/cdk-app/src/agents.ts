import { httpService, implementAgent } from 'reeve';
import { secret } from 'reeve/lambda';
import { payment } from './workflow.ts';

const bankKey = secret('BANK_KEY');
const bank = httpService('https://bank.example.com', async (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${await bankKey()}`);
  return fetch(url, { ...init, headers });
});

export const paymentAgent = implementAgent(payment, {
  perform: async (input, call) => payment.output.parse(await bank.post('/charge', input, call)),
  async undo({ performKey }, call) {
    await bank.post('/refund', { performKey }, call);
  },
});
