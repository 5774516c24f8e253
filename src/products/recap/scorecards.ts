import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { type Conversation, type Interactions, type Packs, startsOfRule } from '../trace/index.ts';
import type { Facts } from './contract.ts';
import { byMetric, type Criterion, type CriterionJudge, type Judged, NOT_JUDGED } from './criteria.ts';

export interface Scorecard {
  readonly id: string;
  readonly name: string;
  readonly criteria: readonly Criterion[];
  readonly created_at: number;
}

export interface Score extends Judged {
  readonly scorecard_id: string;
  readonly criterion_id: string;
}

export interface ScorecardsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly packs: Packs;
  readonly interactions: Interactions;
  readonly judge: CriterionJudge;
}

export class Scorecards {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #packs: Packs;
  readonly #interactions: Interactions;
  readonly #judge: CriterionJudge;

  constructor({ storage, clock, packs, interactions, judge }: ScorecardsOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#packs = packs;
    this.#interactions = interactions;
    this.#judge = judge;
    packs.namedBy(async (trx, scope) => {
      const rows = await withinTenant(trx, scope)
        .selectFrom('recap_scorecards')
        .select(['id', 'name', 'criteria'])
        .execute();
      return rows.map(({ id, name, criteria }) => ({
        what: `The scorecard ${id} (${name})`,
        packs: (JSON.parse(criteria) as Criterion[]).flatMap(packOf).map((pack) => pack.id),
      }));
    });
  }

  async create(scope: TenantScope, name: string, criteria: readonly Criterion[]): Promise<Scorecard> {
    await this.#packs.chosen(scope, criteria.flatMap(packOf));
    const card = { id: newId('sc'), name, criteria, created_at: this.#clock.now() };
    await withinTenant(this.#storage.db, scope)
      .insertInto('recap_scorecards', { ...card, criteria: JSON.stringify(criteria) })
      .execute();
    return card;
  }

  async list(scope: TenantScope): Promise<Scorecard[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('recap_scorecards')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(({ id, name, criteria, created_at }) => ({
      id,
      name,
      criteria: JSON.parse(criteria) as Criterion[],
      created_at: Number(created_at),
    }));
  }

  async remove(scope: TenantScope, id: string): Promise<boolean> {
    return await this.#storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      await own.deleteFrom('recap_scores').where('scorecard_id', '=', id).execute();
      const { numDeletedRows } = await own
        .deleteFrom('recap_scorecards')
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    });
  }

  /** Scores every criterion of every card on a call, with one request to the model for all that it judges. */
  async score(scope: TenantScope, conversation: Conversation, facts: Facts): Promise<Score[]> {
    const cards = await this.list(scope);
    const all = cards.flatMap(({ id, criteria }) => criteria.map((criterion) => ({ id, criterion })));
    const asked = all.map(({ criterion }) => criterion).filter(({ by }) => by === 'model');
    const judged = asked.length === 0 ? null : await this.#judge(conversation, asked);
    const scores: Score[] = [];
    for (const { id, criterion } of all)
      scores.push({
        scorecard_id: id,
        criterion_id: criterion.id,
        ...(criterion.by === 'rule'
          ? await this.#byRule(scope, conversation, criterion)
          : criterion.by === 'metric'
            ? byMetric(conversation, facts, criterion)
            : (judged?.get(criterion) ?? NOT_JUDGED)),
      });
    return scores;
  }

  /** Returns the results of a card's criteria by day, agent and version. */
  async trends(scope: TenantScope, id: string) {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('recap_scores')
      .select((eb) => [
        'criterion',
        'agent_id',
        'agent_version',
        'day',
        eb.fn.count<number>('value').as('calls'),
        eb.fn.avg<number>('value').as('mean'),
      ])
      .where('scorecard_id', '=', id)
      .groupBy(['criterion', 'agent_id', 'agent_version', 'day'])
      .orderBy('day')
      .orderBy('criterion')
      .limit(10_000)
      .execute();
    return rows.map(({ criterion, agent_id, agent_version, day, calls, mean }) => ({
      criterion_id: criterion,
      agent_id,
      agent_version,
      day,
      calls: Number(calls),
      mean: mean === null ? null : Math.round(Number(mean) * 1000) / 1000,
    }));
  }

  async #byRule(scope: TenantScope, conversation: Conversation, { rule = '' }: Criterion) {
    const [pack, name] = rule.split('/');
    const applied = await this.#packs.applied(scope, pack ?? '');
    if (applied === null) return notJudged(`There is no active rule pack ${pack}.`);
    const rules = applied?.pack.rules.filter(({ id }) => id === name) ?? [];
    if (rules.length === 0) return notJudged(`${pack} has no rule ${name}.`);
    const only = { ...applied, pack: { ...applied.pack, rules } };
    const { verdict } = await this.#interactions.judge(scope, conversation, [only]);
    if (verdict.unjudged.length > 0) return NOT_JUDGED;
    return { value: verdict.results.length === 0 ? 1 : 0, evidence: verdict.results.map(startsOfRule) };
  }
}

/** A card outlives the packs that it names, and its other criteria are still scored. */
const notJudged = (detail: string): Judged => ({
  ...NOT_JUDGED,
  evidence: [{ quote: '', start_ms: null, detail }],
});

const packOf = ({ by, rule = '' }: Criterion) => (by === 'rule' ? [{ id: rule.split('/')[0] ?? '' }] : []);
