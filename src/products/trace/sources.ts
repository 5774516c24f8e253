import type { Kysely } from 'kysely';
import { readTranscriptEntries } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Blobs, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';
import type { ConversationAgent, Role, WithheldWords } from './contract.ts';
import type { RawConversation, RawUtterance } from './conversation.ts';
import { canonicalNumber } from './gate/zones.ts';

/** Who is who, where a recording only tells voices apart: by the label or channel of a segment. */
export type Roles = Readonly<Record<string, Role>>;

interface CallEntry {
  readonly role: 'user' | 'agent';
  readonly turn_id: number;
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** Held back where the agent said something else in its place. */
function withheldIn({ withheld }: OmniCallRow, entries: readonly CallEntry[]): WithheldWords[] {
  const all = JSON.parse(withheld ?? '[]') as { turn_id: number; rule: string; text: string }[];
  return all.map(({ turn_id, rule, text }) => {
    const said = entries.find((entry) => entry.role === 'agent' && entry.turn_id === turn_id);
    return { rule, text, startMs: said?.start_ms ?? null, endMs: said?.end_ms ?? null };
  });
}

/** A call that has ended; null: there is none, or its transcript is gone. */
export async function callConversation(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
  blobs: Pick<Blobs, 'get'>,
): Promise<RawConversation | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('omni_calls')
    .selectAll()
    .where('id', '=', id)
    .where('status', '!=', 'live')
    .executeTakeFirst();
  const entries =
    row === undefined ? null : ((await readTranscriptEntries(blobs, row)) as CallEntry[] | null);
  if (row === undefined || entries === null) return null;
  const meta = (row.meta === null ? {} : JSON.parse(row.meta)) as Record<string, unknown>;
  return {
    source: { kind: 'call', id },
    language: row.language,
    recordedFromMs: await recordedFrom(db, scope, id),
    knowledge: await knowledgeOf(db, scope, row),
    ...agentOf(row),
    ...agentsOf(row),
    externalId: row.external_id,
    customerNumber: numberOf(row.external_id) ?? numberOf(meta.phone_number),
    direction: meta.direction === 'inbound' || meta.direction === 'outbound' ? meta.direction : null,
    startedAt: Number(row.started_at),
    withheld: withheldIn(row, entries),
    utterances: entries
      .filter(({ text }) => text !== '')
      .map((entry) => ({
        speaker: entry.role === 'user' ? ('customer' as const) : ('agent' as const),
        label: entry.role,
        text: entry.text,
        startMs: entry.start_ms,
        endMs: entry.end_ms,
      })),
  };
}

/** The first sample that was kept, by the clock of the transcript; null: there was none. */
async function recordedFrom(db: Kysely<Tables>, scope: TenantScope, id: string): Promise<number | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('call_recordings')
    .select('starts_at_ms')
    .where('id', '=', id)
    .executeTakeFirst();
  const from = row?.starts_at_ms ?? null;
  return from === null ? null : Number(from);
}

interface Turns {
  readonly grounding?: readonly { readonly passages: readonly { readonly document_id: string | null }[] }[];
  readonly of_bases?: boolean;
}

/** More say nothing of one call. */
const MOST_CHUNKS = 400;

/** Returns the documents that the agent was given passages of; null when that is unknown. */
async function knowledgeOf(
  db: Kysely<Tables>,
  scope: TenantScope,
  { turns }: OmniCallRow,
): Promise<readonly string[] | null> {
  const { grounding = [], of_bases = false } = (turns === null ? {} : JSON.parse(turns)) as Turns;
  if (!of_bases) return null;
  const documents = [
    ...new Set(
      grounding.flatMap(({ passages }) =>
        passages.flatMap(({ document_id: id }) => (id === null ? [] : [id])),
      ),
    ),
  ];
  if (documents.length === 0) return [];
  const chunks = await withinTenant(db, scope)
    .selectFrom('knowledge_chunks')
    .innerJoin('knowledge_documents', 'knowledge_documents.id', 'knowledge_chunks.document_id')
    .select('knowledge_chunks.text')
    .where('knowledge_chunks.document_id', 'in', documents)
    .whereRef('knowledge_chunks.generation', '=', 'knowledge_documents.generation')
    .orderBy('knowledge_chunks.document_id')
    .orderBy('knowledge_chunks.ordinal')
    .limit(MOST_CHUNKS)
    .execute();
  return chunks.map(({ text }) => text);
}

const agentOf = (row: OmniCallRow & { agent_id?: string | null; agent_version?: number | null }) => ({
  agentId: row.agent_id ?? null,
  agentVersion:
    row.agent_version === undefined || row.agent_version === null ? null : String(row.agent_version),
});

interface StoredShare {
  readonly agent_id: string;
  readonly agent_version: number;
  readonly from_ms: number;
}

/** Only a call that was handed to another agent names its agents. */
function agentsOf({ turns, duration_ms }: OmniCallRow): { readonly agents?: readonly ConversationAgent[] } {
  const { agents = [] } = (turns === null ? {} : JSON.parse(turns)) as { agents?: readonly StoredShare[] };
  if (agents.length < 2) return {};
  return {
    agents: agents.map(({ agent_id, agent_version, from_ms }, at) => ({
      agentId: agent_id,
      agentVersion: String(agent_version),
      fromMs: from_ms,
      toMs: agents[at + 1]?.from_ms ?? Math.max(from_ms, Number(duration_ms)),
    })),
  };
}

const numberOf = (said: unknown): string | null =>
  typeof said === 'string' && said.startsWith('+') ? canonicalNumber(said) : null;

interface JobDocument {
  readonly text: string;
  readonly words: readonly { word: string; start: number; end: number }[];
  readonly segments: readonly {
    speaker: string | null;
    channel: number | null;
    start: number;
    end: number;
    text: string;
  }[];
}

/** A recording that was transcribed; null: there is none, or it is not done. */
export async function jobConversation(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
  roles: Roles = {},
): Promise<RawConversation | null> {
  const own = withinTenant(db, scope);
  const row = await own
    .selectFrom('transcription_jobs')
    .select(['language', 'external_id', 'request'])
    .where('id', '=', id)
    .where('status', '=', 'completed')
    .executeTakeFirst();
  const result = await own
    .selectFromPart('transcription_results')
    .select('document')
    .where('job_id', '=', id)
    .executeTakeFirst();
  if (row === undefined || result === undefined) return null;
  const carried = await carriedCall(db, scope, id);
  const { summaryLanguage = null } = JSON.parse(row.request) as { summaryLanguage?: string | null };
  const transcript = JSON.parse(result.document) as JobDocument;
  return {
    source: { kind: 'job', id },
    language: row.language,
    ...(summaryLanguage === null ? {} : { summaryLanguage }),
    externalId: row.external_id,
    customerNumber: numberOf(row.external_id),
    ...carried,
    recordedFromMs: 0,
    utterances: transcript.segments.map((segment) => utteranceOf(segment, transcript, roles)),
  };
}

/** The two sides of a call are recorded as our own calls are: the customer on the left, the agent on the right. */
const SIDES: readonly Role[] = ['customer', 'agent'];

/** A recording of a single channel does not tell whose side it is. */
const sideOf = (channel: number | null, { segments }: JobDocument): Role | undefined =>
  channel !== null && segments.some((segment) => segment.channel === 1) ? SIDES[channel] : undefined;

/** Another provider's call has its own record of caller, callee and time. */
async function carriedCall(
  db: Kysely<Tables>,
  scope: TenantScope,
  jobId: string,
): Promise<Pick<RawConversation, 'direction' | 'startedAt'>> {
  const row = await withinTenant(db, scope)
    .selectFrom('imported_calls')
    .select(['direction', 'started_at'])
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  const startedAt = row?.started_at ?? null;
  return { direction: row?.direction ?? null, startedAt: startedAt === null ? null : Number(startedAt) };
}

function utteranceOf(
  { speaker, channel, start, end, text }: JobDocument['segments'][number],
  transcript: JobDocument,
  roles: Roles,
): RawUtterance {
  const label = speaker ?? (channel === null ? null : `channel ${channel}`);
  return {
    speaker: (label === null ? undefined : roles[label]) ?? sideOf(channel, transcript) ?? 'unknown',
    label,
    text,
    startMs: Math.round(start * 1000),
    endMs: Math.round(end * 1000),
    // Words are of the whole file: of several channels nobody could say whose they are.
    words: channel === null ? transcript.words.filter((word) => word.start < end && start < word.end) : [],
  };
}
