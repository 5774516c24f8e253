import type { AgentFields } from '../../conversation/agents/index.ts';
import type { EventData } from '../../foundation/events/index.ts';
import type { Told } from '../recap/index.ts';

/** What was said in a call, in short. Who wrote it stands in `by`: a model, or sentences of the call itself. */
export interface CallSummary extends Omit<Told, 'summary' | 'crm_fields'> {
  readonly text: string;
  readonly statements: Told['summary'];
}

/** What an agent's schema asks for, as far as it was said. */
export type Extraction = Pick<
  EventData<'omni.call.extracted'>,
  'extracted' | 'missing' | 'reasons' | 'evidence'
>;

/** Why a field that was asked for is not there. */
export type MissingReason = Extraction['reasons'][string];

/** What the version of the agent that served a call wants of it. */
export type Wanted = Pick<AgentFields, 'brain' | 'extraction_schema' | 'extraction_webhook_url'>;
