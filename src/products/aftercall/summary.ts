import type { Brain } from '../../conversation/brains/index.ts';
import { extractApart, type RecapDraft, summarizeByModel } from '../recap/index.ts';
import type { Conversation } from '../trace/index.ts';
import type { CallSummary } from './contract.ts';

/** Uses the model's summary where it is valid, else the call's own sentences. Throws what the model throws. */
export async function summaryOf(
  conversation: Conversation,
  model: Brain | null,
  stop: AbortSignal,
  tenant: string,
): Promise<CallSummary> {
  // A model has nothing to add to a call that was not answered.
  const answered = conversation.utterances.some(({ speaker }) => speaker !== 'agent');
  const byModel = model === null || !answered ? null : await summarizeByModel(model, conversation, [], stop);
  return shortened(byModel ?? (await extractApart(conversation, tenant)));
}

export const ownSummary = async (conversation: Conversation, tenant: string): Promise<CallSummary> =>
  shortened(await extractApart(conversation, tenant));

function shortened({ summary, crm_fields: _fields, ...byModel }: RecapDraft): CallSummary {
  return { ...byModel, text: summary.map(({ text }) => text).join(' '), statements: summary };
}
