import type { Insertable } from 'kysely';
import { replaced } from '../../src/agents/fields.ts';
import { EMPTY_TOOL } from '../../src/agents/tools/fields.ts';
import { newId } from '../../src/platform/ids.ts';
import type { BorderColumn, Bordered, EveryTable } from '../../src/storage/tables/index.ts';

type Row<T extends Bordered> = Omit<Insertable<EveryTable[T]>, BorderColumn>;

/** A row of every table of customers' rows, with `mark` in its words. A new table does not type-check until it has one
 * here, so that the matrix looks for its rows behind every route. */
export type Seeds = { readonly [T in Bordered]: (mark: string, now: number) => Row<T> };

let event = '';
let agent = '';

export const SEEDS: Seeds = {
  transcription_jobs: (mark, now) => ({
    id: newId('job'),
    key_id: null,
    status: 'failed',
    request: JSON.stringify({ outputFormats: ['json'] }),
    max_bytes: 1,
    max_seconds: 1,
    progress: 0,
    error: mark,
    created_at: now,
    completed_at: now,
    audio_removed_at: now,
  }),
  idempotent_answers: (mark, now) => ({
    route: 'transcription/jobs',
    key: mark,
    body_hash: mark,
    answer: '{}',
    expires_at: now + 3_600_000,
  }),
  hear_vocabularies: (mark, now) => ({
    terms: JSON.stringify([{ term: mark }]),
    batch_active: 0,
    streaming_active: 0,
    updated_at: now,
  }),
  speak_settings: (_mark, now) => ({ default_voice: 'en2', updated_at: now }),
  speak_voices: (mark, now) => ({
    id: newId('vc'),
    name: mark,
    source: 'clone',
    engine: JSON.stringify({ model: 'kokoro', language: 'en', accent: 'en', styles: [] }),
    meta: JSON.stringify({ similarity: 1 }),
    created_at: now,
  }),
  speak_designs: (mark, now) => ({
    id: newId('vdr'),
    description: mark,
    text: mark,
    candidates: '[]',
    created_at: now,
    expires_at: now + 3_600_000,
  }),
  speak_previews: (_mark, now) => ({
    candidate_id: newId('cand'),
    audio: '',
    expires_at: now + 3_600_000,
  }),
  speak_requests: (_mark, now) => ({
    id: newId('use'),
    voice_id: 'en1',
    characters: 1,
    milliseconds: 1,
    complete: 1,
    created_at: now,
  }),
  omni_calls: (mark, now) => ({
    id: newId('ocl'),
    key_id: null,
    status: 'completed',
    seen_at: now,
    started_at: now,
    created_at: now,
    session_label: mark,
    external_id: 'a person',
    language: 'en',
    voice_id: 'en1',
    voice_tier: 'standard',
    duration_ms: 1,
    end_reason: 'client_ended',
    transcript: '[]',
  }),
  agents: (_mark, now) => {
    agent = newId('agt');
    return { id: agent, latest_version: 1, published_version: 1, created_at: now, updated_at: now };
  },
  agent_versions: (mark, now) => ({
    agent_id: agent,
    version: 1,
    fields: JSON.stringify(replaced({ name: mark, persona: mark })),
    created_at: now,
  }),
  agent_tools: (mark, now) => ({
    id: newId('tool'),
    name: mark,
    spec: JSON.stringify({ ...EMPTY_TOOL, name: mark, kind: 'client' }),
    created_at: now,
    updated_at: now,
  }),
  agent_memories: (mark, now) => ({
    id: newId('mem'),
    agent_id: newId('agt'),
    external_id: mark,
    fact: mark,
    created_at: now,
  }),
  amd_settings: (mark, now) => ({
    settings: JSON.stringify({ aggressiveness: 0.5, webhook_url: `https://${mark}.example/` }),
    updated_at: now,
  }),
  amd_calls: (mark, now) => ({
    id: newId('amd'),
    key_id: null,
    stream_sid: mark,
    answered_by: 'human',
    verdict: JSON.stringify({ answeredBy: 'human', reason: 'x', confidence: 1, atMs: 1 }),
    transcript: mark,
    evidence: '[]',
    tunables: '{}',
    heard_ms: 1,
    created_at: now,
  }),
  knowledge_bases: (mark, now) => ({
    id: newId('kb'),
    name: mark,
    language: 'en',
    revision: 0,
    created_at: now,
    updated_at: now,
  }),
  knowledge_documents: (mark, now) => ({
    id: newId('doc'),
    base_id: newId('kb'),
    source: 'text',
    title: mark,
    title_given: 1,
    media_type: 'text/plain',
    bytes: 1,
    status: 'indexed',
    chunks: 0,
    characters: 0,
    generation: 0,
    created_at: now,
    updated_at: now,
  }),
  knowledge_chunks: (mark) => ({
    base_id: newId('kb'),
    document_id: newId('doc'),
    ordinal: 0,
    heading: '',
    text: mark,
    span_start: 0,
    span_end: 1,
  }),
  knowledge_terms: (mark) => ({ base_id: newId('kb'), document_id: newId('doc'), term: mark, sound: mark }),
  knowledge_crawls: (mark, now) => ({
    id: newId('crawl'),
    base_id: newId('kb'),
    url: `https://${mark}.example/`,
    max_pages: 1,
    include: '[]',
    exclude: '[]',
    status: 'indexed',
    discovered: 0,
    registered: 0,
    created_at: now,
    updated_at: now,
  }),
  knowledge_settings: (mark, now) => ({ default_bases: JSON.stringify([mark]), updated_at: now }),
  knowledge_gaps: (mark, now) => ({
    id: newId('gap'),
    base_id: newId('kb'),
    question: mark,
    language: 'en',
    call_id: newId('ocl'),
    created_at: now,
  }),
  webhook_secrets: (mark, now) => ({ secret: mark, created_at: now }),
  webhook_events: (mark, now) => {
    event = newId('evt');
    return { id: event, type: mark, body: '{}', created_at: now };
  },
  webhook_deliveries: (mark, now) => ({
    id: newId('dlv'),
    event_id: event,
    url: `https://${mark}.example/`,
    status: 'dead',
    attempts: 1,
    created_at: now,
  }),
  legal_holds: (mark, now) => ({ record: newId('ocl'), reason: mark, placed_at: now }),
  erasures: (mark, now) => ({
    id: newId('era'),
    salt: mark,
    person: mark,
    counts: '{}',
    sha256: mark,
    erased_at: now,
  }),
};
