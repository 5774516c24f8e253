import { randomUUID } from 'node:crypto';
import { pdfOf } from '../../../bench/compliance/pdf.ts';
import type { Case, Cases, ValidRequest } from '../case.ts';
import { plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const BASE = '/v1/telephony/compliance-cases';
const CASE = {
  kind: 'port_in',
  country: 'US',
  number_type: 'local',
  capabilities: ['voice', 'sms'],
  use_case: 'Support line',
};

async function newCase(world: World, tenant: Tenant): Promise<string> {
  const answer = await world.send(BASE, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(CASE),
  });
  return String(answer.json?.id);
}

const form = (): FormData => {
  const data = new FormData();
  data.append('document_request_id', 'telephone_bill');
  const pdf = pdfOf([[{ text: 'Bill Date: 2026-11-01', x: 60, y: 90, size: 11 }]]);
  data.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'bill.pdf');
  return data;
};

const withCase = (good: ValidRequest): Case => ({
  good: async (world, tenant) => ({ ...good, path: { id: await newCase(world, tenant) } }),
});

export const complianceCases: Cases = {
  [`POST ${BASE}`]: { good: () => ({ headers: { 'idempotency-key': randomUUID() }, json: CASE }) },
  [`GET ${BASE}`]: plain,
  [`GET ${BASE}/{id}`]: withCase({}),
  [`PATCH ${BASE}/{id}`]: withCase({ json: { use_case: 'Sales line' } }),
  [`GET ${BASE}/{id}/documents/{upload_id}`]: {
    good: async (world, tenant) => {
      const id = await newCase(world, tenant);
      const headers = { authorization: `Bearer ${tenant.key}` };
      const sent = { method: 'POST', headers, body: form() };
      const { json } = await world.send(`${BASE}/${id}/documents`, sent);
      const [upload] = json!.uploads as { id: string }[];
      return { path: { id, upload_id: upload!.id } };
    },
  },
  [`POST ${BASE}/{id}/attestations`]: withCase({
    json: { attestation_request_id: 'accurate', accepted: true },
  }),
  [`POST ${BASE}/{id}/documents`]: withCase({ form }),
  [`POST ${BASE}/{id}/corrections`]: {
    ...withCase({
      json: {
        extraction_id: 'ext_00000000000000000000',
        field: 'bill_date',
        value: '2026-11-01',
        reason: 'Hardly legible.',
      },
    }),
    cannotSucceed: 'a correction needs a document that was read: test/edge/surfaces/compliance has one',
  },
  [`POST ${BASE}/{id}/submit`]: {
    ...withCase({}),
    cannotSucceed: 'a case is submitted once its documents were read: test/edge/surfaces/compliance has such',
  },
  [`POST ${BASE}/{id}/cancel`]: withCase({ json: { reason: 'The customer changed their mind.' } }),
};
