import { type Brain, BrainError } from '../../conversation/brains/index.ts';
import {
  type EndedCallIdentity,
  findEndedCall,
  savePostCallResults,
} from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { PiiEntity } from '../../language/pii/index.ts';
import {
  conversationInWorker,
  EndedCallJobs,
  type EndedCallJobsOptions,
  type JobAttempt,
  type RawConversation,
} from '../trace/index.ts';
import type { CallSummary, Extraction, PostCallFields } from './contract.ts';
import { extractByModel, nothingOf } from './extraction.ts';
import { ExtractionForm } from './form.ts';
import { ownSummary, summaryOf } from './summary.ts';

export interface AfterCallOptions extends Omit<EndedCallJobsOptions, 'name' | 'work' | 'died'> {
  readonly webhooks: Pick<Webhooks, 'publish'>;
  /** Resolves to null where the agent was deleted. */
  readonly wanted: (scope: TenantScope, agentId: string, version: number) => Promise<PostCallFields | null>;
  /** Returns the named language model, or the default one; null where none is configured. */
  readonly model: (name: string | null) => Brain | null;
  readonly onFault: (error: BrainError) => void;
}

/** The attempts before a result is made without a model, so that an endpoint's short outage costs no summary. */
const TRIES = 3;

/** Forms never hold these. Other personal data stays, because forms ask for names, addresses and numbers. */
const SECRETS: readonly PiiEntity[] = ['CARD', 'CVV', 'SSN'];

interface FilledForm {
  readonly form: ExtractionForm;
  readonly result: Extraction;
  readonly wanted: PostCallFields;
}

/** Summarizes every ended call and fills in the form of its agent's schema. */
export function afterCall(options: AfterCallOptions): EndedCallJobs {
  const { wanted: wantedOf, webhooks, ...rest } = options;
  return new EndedCallJobs({
    ...rest,
    name: 'aftercall',
    died: async (trx, scope, id) =>
      void (await savePostCallResults(trx, scope, id, {
        summary_status: 'failed',
        extraction_status: 'failed',
      })),
    async work(scope, read, one) {
      const call = await findEndedCall(options.storage, scope, one.id);
      if (call === null) return null;
      const { agent_id: agentId, agent_version: version } = call;
      const wanted =
        agentId === null || version === null ? undefined : await wantedOf(scope, agentId, Number(version));
      const made = new AfterCallResults(options, one, wanted ?? null, scope.org);
      const raw = await read();
      const summary = await made.summary(raw);
      const filled = await made.extraction(raw);
      return async (trx) => {
        const saved = await savePostCallResults(trx, scope, one.id, {
          ...summaryColumns(summary),
          ...extractionColumns(filled, wanted === null),
        });
        if (saved && filled !== null) await notify(webhooks, trx, scope, call, filled);
      };
    },
  });
}

class AfterCallResults {
  readonly #options: AfterCallOptions;
  readonly #try: JobAttempt;
  readonly #wanted: PostCallFields | null;
  readonly #model: Brain | null;
  readonly #tenant: string;

  constructor(options: AfterCallOptions, one: JobAttempt, wanted: PostCallFields | null, tenant: string) {
    this.#options = options;
    this.#tenant = tenant;
    this.#try = one;
    this.#wanted = wanted;
    this.#model = options.model(wanted?.brain ?? null);
  }

  /** Returns null where the call has no words. */
  async summary(raw: RawConversation | null): Promise<CallSummary | null> {
    if (raw === null || raw.utterances.length === 0) return null;
    const conversation = await conversationInWorker(raw, this.#tenant);
    return await this.#unlessItFails(
      () => summaryOf(conversation, this.#model, this.#try.stop, this.#tenant),
      () => ownSummary(conversation, this.#tenant),
    );
  }

  /** Returns null where the agent has no schema. */
  async extraction(raw: RawConversation | null): Promise<FilledForm | null> {
    const wanted = this.#wanted;
    if (wanted === null || wanted.extraction_schema === null) return null;
    const form = new ExtractionForm(wanted.extraction_schema);
    return { form, wanted, result: await this.#fill(form, raw) };
  }

  async #fill(form: ExtractionForm, raw: RawConversation | null): Promise<Extraction> {
    const conversation = raw === null ? null : await conversationInWorker(raw, this.#tenant, SECRETS);
    if (!conversation?.utterances.some(({ speaker }) => speaker !== 'agent'))
      return nothingOf(form, 'nothing_was_said');
    const model = this.#model;
    if (model === null) return nothingOf(form, 'no_model_configured');
    return await this.#unlessItFails(
      () => extractByModel(model, form, conversation, this.#try.stop),
      () => nothingOf(form, 'model_failed'),
    );
  }

  async #unlessItFails<T>(ask: () => Promise<T>, otherwise: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
      this.#options.onFault(error);
      if (error.retryable && this.#try.attempt < TRIES) throw error;
      return await otherwise();
    }
  }
}

const summaryColumns = (summary: CallSummary | null) =>
  summary === null
    ? ({ summary_status: 'skipped' } as const)
    : ({ summary_status: 'success', summary: JSON.stringify(summary), outcome: summary.outcome } as const);

function extractionColumns(filled: FilledForm | null, agentIsGone: boolean) {
  if (filled === null)
    return { extraction_status: agentIsGone ? ('skipped' as const) : ('not_requested' as const) };
  return { extraction_status: statusOf(filled), extraction: JSON.stringify(filled.result) };
}

function statusOf({ form, result: { extracted } }: FilledForm): 'success' | 'partial' | 'empty' {
  if (form.valid({ ...extracted })) return 'success';
  return Object.keys(extracted).length > 0 ? 'partial' : 'empty';
}

async function notify(
  webhooks: AfterCallOptions['webhooks'],
  trx: Trx,
  scope: TenantScope,
  call: EndedCallIdentity,
  { result, wanted }: FilledForm,
): Promise<void> {
  const { id, agent_version: version, ...named } = call;
  await webhooks.publish(trx, {
    scope,
    type: 'omni.call.extracted',
    resource: id,
    urls: wanted.extraction_webhook_url === null ? [] : [wanted.extraction_webhook_url],
    data: {
      call_id: id,
      ...named,
      agent_version: version === null ? null : Number(version),
      ...result,
    },
  });
}
