import type { AgentFields } from '../../conversation/agents/index.ts';
import type { EventData } from '../../foundation/events/index.ts';
import type { RecapDraft } from '../recap/index.ts';

/** `by` names the author of the summary: a model, or the extractive fallback. */
export interface CallSummary extends Omit<RecapDraft, 'summary' | 'crm_fields'> {
  readonly text: string;
  readonly statements: RecapDraft['summary'];
}

export type Extraction = Pick<
  EventData<'omni.call.extracted'>,
  'extracted' | 'missing' | 'reasons' | 'evidence'
>;

export type MissingReason = Extraction['reasons'][string];

export type PostCallFields = Pick<AgentFields, 'brain' | 'extraction_schema' | 'extraction_webhook_url'>;
