import { wavOf } from '../harness/index.ts';
import { visiting } from './visit.ts';
import { form, RATE, type SoakVisit } from './visits.ts';

let visits = 0;

export const AGENT = { name: 'Front desk', greeting: 'Good morning, this is the dental practice.' };

const agent = visiting(async (visit) => {
  const { id } = await visit.ask('POST', '/v1/agents', AGENT);
  await visit.ask('PATCH', `/v1/agents/${id}`, { persona: 'You answer in one sentence.' });
  await visit.ask('GET', `/v1/agents/${id}/prompt`);
  await visit.ask('DELETE', `/v1/agents/${id}`);
});

const page = (chapters: number): Buffer =>
  Buffer.from(
    Array.from(
      { length: chapters },
      (_, at) =>
        `# Shop ${at}\n\nShop number ${at} opens at ${at % 12} o’clock and sells bread of ${at} kinds.\n`,
    ).join('\n'),
  );

const knowledge = visiting(async (visit) => {
  const { id } = await visit.ask('POST', '/v1/knowledgebases', {
    name: `Bakery ${visits++}`,
    language: 'en',
  });
  const base = `/v1/knowledgebases/${id}`;
  const file = new FormData();
  file.append('file', new Blob([new Uint8Array(page(40))]), 'shops.md');
  const document = await visit.ask('POST', `${base}/documents`, file);
  await visit.until(`${base}/documents/${document.id}`, 'status', 'indexed');
  await visit.ask('POST', `${base}/query`, { query: 'when does shop number seven open', top_k: 3 });
  await visit.ask('DELETE', base);
});

const TRANSCRIPT = {
  language: 'en',
  customer_number: '+12125550123',
  turns: [
    { speaker: 'agent', text: 'I guarantee it will arrive tomorrow.', start_ms: 0, end_ms: 2500 },
    { speaker: 'customer', text: 'My card is 4111 1111 1111 1111.', start_ms: 3000, end_ms: 5000 },
  ],
};

const trace = visiting(async (visit) => {
  const { id } = await visit.ask('POST', '/v1/trace/interactions', { transcript: TRANSCRIPT });
  await visit.ask('GET', `/v1/trace/interactions/${id}`);
  await visit.ask('GET', '/v1/trace/violations?limit=20');
});

const recap = visiting(async (visit) => {
  await visit.ask('GET', '/v1/recap/calls?limit=20');
  await visit.ask('GET', '/v1/recap/scorecards');
});

const cast = visiting(async (visit) => {
  const script = `ANNA: Is anybody there?\nBEN: (whispering) Only me, for the ${visits++}th time.`;
  const { id } = await visit.ask('POST', '/v1/cast/projects', { title: 'At the door', script });
  const render = await visit.ask('POST', `/v1/cast/projects/${id}/renders`, { format: 'mp3' });
  await visit.until(`/v1/cast/renders/${render.id}`, 'status', 'completed');
  await visit.ask('GET', `/v1/cast/renders/${render.id}/audio`);
  await visit.ask('DELETE', `/v1/cast/projects/${id}`);
});

const dub = visiting(async (visit, { speech }) => {
  const file = form(wavOf(speech, RATE), { source: 'en', target: 'es' });
  const { id } = await visit.ask('POST', '/v1/dub', file);
  await visit.until(`/v1/dub/${id}`, 'status', 'done');
  await visit.ask('DELETE', `/v1/dub/${id}`);
});

const provenance = visiting((visit, { speech }) =>
  visit.ask('POST', '/v1/audio/provenance', form(wavOf(speech, RATE))),
);

const complianceCase = visiting(async (visit) => {
  const wanted = {
    kind: 'port_in',
    country: 'US',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support',
  };
  const { id } = await visit.ask('POST', '/v1/telephony/compliance-cases', wanted);
  const file = new FormData();
  file.append('document_request_id', 'letter_of_authority');
  file.append('file', new Blob([new Uint8Array(Buffer.from('%PDF-1.4 half a file'))]), 'loa.pdf');
  await visit.ask('POST', `/v1/telephony/compliance-cases/${id}/documents`, file);
});

const destination = visiting(async (visit, { events }) => {
  const wanted = { url: events, events: ['recap.call.completed'] };
  const { id } = await visit.ask('POST', '/v1/integrations/destinations', wanted);
  await visit.ask('POST', `/v1/integrations/destinations/${id}/test`, { event: 'recap.call.completed' });
  await visit.ask('DELETE', `/v1/integrations/destinations/${id}`);
});

const erased = visiting((visit) => visit.ask('DELETE', `/v1/customers/nobody-${visits++}`));

export const SURFACES: Record<string, SoakVisit> = {
  agent,
  knowledge,
  trace,
  recap,
  cast,
  dub,
  provenance,
  'compliance case': complianceCase,
  destination,
  erased,
  'a script that is none': visiting((visit) =>
    visit.ask('POST', '/v1/cast/projects', {
      title: 'x',
      script: '<speak><!DOCTYPE a [<!ENTITY b "c">]>&b;</speak>',
    }),
  ),
  'a dub of noise': visiting(async (visit) => {
    const noise = form(wavOf(Buffer.alloc(RATE * 4), RATE), { source: 'en', target: 'es' });
    const { id } = await visit.ask('POST', '/v1/dub', noise);
    await visit.until(`/v1/dub/${id}`, 'status', 'done', 'error');
  }),
  'a document that is none': visiting(async (visit) => {
    const { id } = await visit.ask('POST', '/v1/knowledgebases', { name: `Broken ${visits++}` });
    const file = new FormData();
    file.append('file', new Blob(['PK\u0003\u0004 half a file']), 'broken.docx');
    const document = await visit.ask('POST', `/v1/knowledgebases/${id}/documents`, file);
    const path = `/v1/knowledgebases/${id}/documents/${document.id}`;
    await visit.until(path, 'status', 'indexed', 'failed');
    await visit.ask('DELETE', `/v1/knowledgebases/${id}`);
  }),
};
