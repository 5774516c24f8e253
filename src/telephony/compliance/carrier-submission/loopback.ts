import { createHash } from 'node:crypto';
import type { Evaluation, NumberingNetwork, Review, SubmissionPacket } from './contract.ts';

/** A use case with this prefix is asked back or rejected, for tests of the later steps. */
export const ASK_BACK = 'trial: ask back';
export const REJECT = 'trial: reject';

const REJECTED = /reject/i;
const REVIEW_MS = 2_000;
const SHORTEST_USE = 3;

/**
 * Reviews cases on this machine by rule: a case with a use and an attestation is approved after two seconds, unless
 * it contains one of the words above.
 */
export const loopbackNetwork: NumberingNetwork = {
  name: 'loopback',
  everyMs: REVIEW_MS,
  async evaluate(packet: SubmissionPacket): Promise<Evaluation> {
    const use = packet.use_case.trim().toLowerCase();
    const reasons = [
      ...(use.startsWith(ASK_BACK) ? ['The network asks for a clearer description of the use.'] : []),
      ...(use.length < SHORTEST_USE ? ['The network asks what the number is used for.'] : []),
      ...(packet.attestations.length === 0 ? ['The network asks for an attestation.'] : []),
    ];
    if (reasons.length > 0) return { kind: 'asks_back', reasons };
    const digest = createHash('sha256').update(packet.idempotency_key).digest('hex').slice(0, 16);
    const isRejected =
      use.startsWith(REJECT) || packet.documents.some(({ file_name: name }) => REJECTED.test(name));
    return { kind: 'accepted', reference: `${isRejected ? 'LBR' : 'LBA'}-${digest}` };
  },
  async review(reference: string): Promise<Review> {
    return reference.startsWith('LBR')
      ? { status: 'rejected', reason: 'The network rejected the use of the number, or one of its documents.' }
      : { status: 'approved', reason: null };
  },
};
