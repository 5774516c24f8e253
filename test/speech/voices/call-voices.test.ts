// @requirement Models: A voice that is not offered in calls speaks in none, whoever names it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { AddedModels } from '../../../src/speech/added-models/index.ts';
import { addedVoices, callVoices, StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ADDED_KOKORO } from './added-kokoro.ts';

const data = mkdtempSync(join(tmpdir(), 'trunkline-call-voices-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const added = new AddedModels(data);
added.add(ADDED_KOKORO);
const stock = new StockVoices(undefined, addedVoices(added));
const scope = tenantScopeOf(new OneKeyAccess().principal());
const calls = (accounts: string) =>
  callVoices(stock, async (_scope, name) => stockVoice(stock.resolve(name ?? accounts)));

describe('the voices of calls', () => {
  it('have no voice that is not offered in calls, by any name', async () => {
    const { find } = calls('joe_en_us');
    expect(stock.resolve('our_kokoro').available_on).toEqual(['speak', 'cast']);
    for (const name of ['our_kokoro', 'our_kokoro_one', 'our_kokoro_two', 'de1'])
      expect(await find(scope, name)).toBeNull();
    expect((await find(scope, 'joe_en_us'))?.id).toBe('joe_en_us');
  });

  it('leave out the account’s own default, and the operator’s, where it is not offered in calls', async () => {
    const bundled = stock.defaultFor('en')?.id;
    expect((await calls('our_kokoro_one').defaultFor(scope, 'en')).id).toBe(bundled);
    expect((await calls('heart_en_us').defaultFor(scope, 'en')).id).toBe('heart_en_us');
    added.useVoices([{ language: 'en', use: ['our_kokoro_one'] }]);
    expect(stock.defaultFor('en')?.id).toBe('our_kokoro_one');
    expect((await calls('our_kokoro_one').defaultFor(scope, 'en')).id).toBe(bundled);
    expect((await calls('our_kokoro_one').defaultFor(scope, 'de')).id).toBe(stock.defaultFor('de')?.id);
  });

  it('hold what the operator may choose as the default of a language of calls', () => {
    expect(stock.whyNotDefault(stock.resolve('our_kokoro_one'))).toContain(
      'our_kokoro_one is not offered in calls',
    );
    for (const name of ['joe_en_us', 'our_kokoro_two', 'de1'])
      expect(stock.whyNotDefault(stock.resolve(name))).toBeNull();
  });
});
