import { AGENT } from './surfaces.ts';
import { type Visit, visiting } from './visit.ts';
import type { SoakVisit } from './visits.ts';

let line: Promise<{ from: string; agent: string }> | null = null;

async function takeLine(visit: Visit): Promise<{ from: string; agent: string }> {
  await visit.ask('PUT', '/v1/trace/config', {
    gate: { require_consent: false, quiet_hours: null, attempts: null },
  });
  const { id } = await visit.ask('POST', '/v1/agents', AGENT);
  const free = await visit.ask('GET', '/v1/telephony/available-numbers?country=US&pattern=415&limit=1');
  const [{ phone_number: from }] = free.data as [{ phone_number: string }];
  await visit.ask('POST', '/v1/telephony/numbers', { phone_number: from, agent_id: id });
  return { from, agent: String(id) };
}

const ANSWERING = ['+15005550009', '+15005550002', '+15005550004', '+15005550005'];

let calls = 0;

const telephoneCall = visiting(async (visit) => {
  line ??= takeLine(visit);
  const { from, agent: agentId } = await line;
  const to = ANSWERING[calls++ % ANSWERING.length];
  const { id } = await visit.ask('POST', '/v1/telephony/calls', {
    from,
    to,
    agent_id: agentId,
    max_duration_s: 30,
  });
  await visit.until(`/v1/telephony/calls/${id}`, 'state', 'ended');
});

const message = visiting(async (visit) => {
  line ??= takeLine(visit);
  const { from } = await line;
  await visit.ask('POST', '/v1/messages', { from, to: '+15005550001', body: 'Your table is booked.' });
  await visit.ask('GET', '/v1/messages?limit=20');
});

export const LINES: Record<string, SoakVisit> = { 'telephone call': telephoneCall, message };
