import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What telephony holds of persons: calls and targets of campaigns, known by the number of the other side. */
export class PhonesOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const own = within(this.#storage.db, reach);
    const out = await own.selectFrom('telephony_calls').select('to_number').distinct().execute();
    const back = await own.selectFrom('telephony_calls').select('from_number').distinct().execute();
    const planned = await own.selectFrom('telephony_targets').select('to_number').distinct().execute();
    const numbers = await own.selectFrom('telephony_numbers').select('phone_number').execute();
    const ours = new Set(numbers.map((row) => row.phone_number));
    const all = [...out, ...planned].map((row) => row.to_number).concat(back.map((row) => row.from_number));
    return [...new Set(all)].filter((number) => !ours.has(number));
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('telephony_calls')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const own = within(this.#storage.db, reach);
    const rows = await own
      .selectFrom('telephony_calls')
      .select('id')
      .where(({ eb, or }) => or([eb('to_number', '=', externalId), eb('from_number', '=', externalId)]))
      .where('created_at', '<=', until)
      .where('state', '=', 'ended')
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    const gone = ids.filter((id) => !held.has(id));
    for (const id of gone) await own.deleteFrom('telephony_calls').where('id', '=', id).execute();
    const { numDeletedRows } = await own
      .deleteFrom('telephony_targets')
      .where('to_number', '=', externalId)
      .executeTakeFirst();
    return {
      counts: { telephony_calls: gone.length, telephony_targets: Number(numDeletedRows) },
      records: gone,
      held: [...held],
    };
  }
}
