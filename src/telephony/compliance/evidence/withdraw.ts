import type { JobQueue, Trx } from '../../../foundation/jobs/index.ts';
import type { ComplianceCaseRow } from '../../../foundation/storage/tables/compliance.ts';
import { type Attestation, MANUAL_REVIEW, SILENCE } from '../contract.ts';
import { networkId } from '../running/jobs.ts';
import type { CaseChange } from './case-service.ts';

/**
 * Changed evidence withdraws a submission that is not yet accepted, the network's questions and a reviewer's release.
 */
export async function withdraw(
  trx: Trx,
  queue: JobQueue,
  { id, network_status, attestations }: ComplianceCaseRow,
): Promise<CaseChange> {
  if (network_status === 'evaluating') await queue.cancel(trx, networkId(id));
  const given = JSON.parse(attestations) as Attestation[];
  const remaining = given.filter((each) => each.attestation_request_id !== MANUAL_REVIEW);
  return {
    network_status: 'draft',
    network: JSON.stringify(SILENCE),
    ...(remaining.length === given.length ? {} : { attestations: JSON.stringify(remaining) }),
  };
}
