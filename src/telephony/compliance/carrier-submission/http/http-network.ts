import type { NumberingNetwork, SubmissionPacket } from '../contract.ts';
import { evaluationOf, reviewOf } from './answers.ts';
import { NetworkClient, type NetworkEndpoint } from './carrier-client.ts';

const EVERY_MS = 60_000;

/** The API is documented in docs/guides/compliance-carrier.md. */
export function httpNetwork(carrier: NetworkEndpoint): NumberingNetwork {
  const client = new NetworkClient(carrier);
  return {
    name: 'http',
    everyMs: EVERY_MS,
    async evaluate(packet, signal) {
      for (const document of packet.documents)
        await client.put(`/documents/${document.sha256}`, document, signal);
      const answer = await client.post('/submissions', packet.idempotency_key, sent(packet), signal);
      return known(evaluationOf(answer));
    },
    async review(reference, signal) {
      return known(reviewOf(await client.get(`/submissions/${encodeURIComponent(reference)}`, signal)));
    },
  };
}

function known<T>(answer: T | null): T {
  if (answer === null) throw new Error('The response of the carrier does not have the expected form.');
  return answer;
}

const sent = ({ documents, ...packet }: SubmissionPacket): object => ({
  ...packet,
  documents: documents.map(({ bytes: _bytes, file_name: _name, ...document }) => document),
});
