import { createHash } from 'node:crypto';
import type { Evaluation, Network, Packet, Review } from './contract.ts';

/** A use case that begins so is asked back, or rejected after its review: for trials of what follows. */
export const ASK_BACK = 'trial: ask back';
export const REJECT = 'trial: reject';

const SHORTEST_USE = 3;

/** A network on this machine that reviews by rule, with nobody behind it. It approves what has a use and all its
 * attestations, and what the two words above ask for. */
export const loopbackNetwork: Network = {
  name: 'loopback',
  everyMs: 1_000,
  async evaluate(packet: Packet): Promise<Evaluation> {
    const use = packet.use_case.trim().toLowerCase();
    const reasons = [
      ...(use.startsWith(ASK_BACK) ? ['The network asks for a clearer description of the use.'] : []),
      ...(use.length < SHORTEST_USE ? ['The network asks what the number is used for.'] : []),
      ...(packet.attestations.length === 0 ? ['The network asks for an attestation.'] : []),
    ];
    if (reasons.length > 0) return { kind: 'asks_back', reasons };
    const digest = createHash('sha256').update(packet.idempotency_key).digest('hex').slice(0, 16);
    return { kind: 'accepted', reference: `${use.startsWith(REJECT) ? 'LBR' : 'LBA'}-${digest}` };
  },
  async review(reference: string): Promise<Review> {
    return reference.startsWith('LBR')
      ? { status: 'rejected', reason: 'The network rejected the use of the number.' }
      : { status: 'approved', reason: null };
  },
};
