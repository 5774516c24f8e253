// @requirement Fair use: Documents are bounded before they are embedded.
// @requirement Knowledge: Documents come by upload, URL and pasted text, and failures are readable.
import { describe, expect, it } from 'vitest';
import { tenantScopeOf, tenantScopeOfRow } from '../../../../src/foundation/access/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { watchTurns } from '../../../event-loop-blocking.ts';
import { migratedDatabase } from '../../../foundation/storage/databases.ts';
import { absent, type Json, type Knowledge, multilingualAbsent, openKnowledge } from './server.ts';

const chunksOf = ({ storage }: Knowledge) =>
  acrossTenants(storage.db).selectFrom('knowledge_chunks').select('number').execute();

const HANDBOOK = `The lights on the front panel show the state of the device.

When the power button blinks amber, the battery is nearly empty. Charge it for an hour before the next use.

Returns are free within thirty days of delivery. After that we charge a restocking fee of twelve dollars. The router stays our property and must be given back when the contract ends.

Our office in Lisbon is open from nine to five on weekdays.`;

const dialects = process.env.TRUNKLINE_TEST_DATABASE_URL
  ? (['sqlite', 'postgres'] as const)
  : (['sqlite'] as const);

describe.each(dialects)('a base of texts on %s', (dialect) => {
  const open = async (wordsAlone: boolean, quota?: number) =>
    await openKnowledge({
      database: (await migratedDatabase(dialect)).options,
      wordsAlone,
      ...(quota === undefined ? {} : { quota }),
    });

  it('finds a passage by its words, with its title and where it stands', async () => {
    const knowledge = await open(true);
    const base = await knowledge.base();
    const document = await knowledge.text(base, 'Handbook', HANDBOOK);
    expect(document).toMatchObject({ status: 'indexed', source: 'text', title: 'Handbook', error: null });
    expect(document.passages).toBeGreaterThan(0);

    const [found] = await knowledge.query(base, 'what is the restocking fee');
    expect(found).toMatchObject({ document_id: document.id, title: 'Handbook', url: null, page: null });
    expect(found?.text).toContain('restocking fee of twelve dollars');
    expect(found?.score).toBeGreaterThan(0);
    const { text } = await knowledge.send('GET', `/${base}/documents/${document.id}/text`);
    expect(text.slice(found?.span.start, found?.span.end)).toBe(found?.text);
  });

  // @requirement Knowledge: Bases have quotas.
  it('counts bytes and text against the quota of files, and refuses what does not fit', async () => {
    const text = 'The ferry leaves at noon.';
    const knowledge = await open(true, 4 * text.length + 10);
    const owner = knowledge.access.principal();
    const base = await knowledge.base();
    const stored = await knowledge.text(base, 'Kept', text);
    expect(await knowledge.blobs.used(owner)).toBe(2 * text.length + 2);
    const refused = await knowledge.send('POST', `/${base}/documents`, {
      title: 'More',
      text: text.repeat(3),
    });
    expect([refused.status, refused.json.error.code]).toEqual([402, 'storage_quota_exceeded']);
    const form = new FormData();
    form.append('file', new Blob([text.repeat(3)]), 'more.txt');
    expect((await knowledge.send('POST', `/${base}/documents`, form)).status).toBe(402);
    const half = await knowledge.text(base, 'Half', text.repeat(2));
    expect(half).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('storage quota of its plan'),
    });
    for (const { id } of [stored, half]) await knowledge.send('DELETE', `/${base}/documents/${id}`);
    expect(await knowledge.blobs.used(owner)).toBe(0);
  });

  // @requirement Knowledge: Deletion removes text, vectors and bytes.
  it('forgets text, words, vectors and bytes of what is removed', async () => {
    const knowledge = await open(true);
    const base = await knowledge.base();
    const stored = await knowledge.text(base, 'Kept', 'The ferry leaves at noon.');
    const gone = await knowledge.text(base, 'Gone', 'The tram leaves at midnight.');
    expect(await knowledge.query(base, 'tram')).toHaveLength(1);
    expect((await knowledge.send('DELETE', `/${base}/documents/${gone.id}`)).json).toEqual({
      id: gone.id,
      object: 'knowledge.document',
      deleted: true,
    });
    expect(await knowledge.query(base, 'tram')).toEqual([]);
    expect((await knowledge.query(base, 'ferry'))[0]?.document_id).toBe(stored.id);
    expect((await knowledge.send('GET', `/${base}/documents/${gone.id}`)).status).toBe(404);
    expect(await knowledge.blobs.list('knowledge', gone.id)).toEqual([]);

    expect((await knowledge.send('DELETE', `/${base}`)).status).toBe(200);
    expect((await knowledge.send('POST', `/${base}/query`, { query: 'ferry' })).status).toBe(404);
    for (const table of ['knowledge_chunks', 'knowledge_documents', 'knowledge_bases'] as const)
      expect(await acrossTenants(knowledge.storage.db).selectFrom(table).selectAll().execute()).toEqual([]);
    expect(await knowledge.blobs.list('knowledge', stored.id)).toEqual([]);
  });

  it('keeps nobody waiting for a long document: not when it comes, changes or goes', {
    timeout: 240_000,
  }, async () => {
    const knowledge = await open(true);
    const base = await knowledge.base();
    const manual = (subject: string) =>
      Array.from(
        { length: 12_000 },
        (_, at) => `Page ${at} tells how ${subject} number ${at * 7} starts.`,
      ).join('\n');
    const turns = watchTurns();
    const document = await knowledge.file(base, 'manual.txt', manual('the pump'));
    expect(document).toMatchObject({ status: 'indexed', error: null });
    expect(document.passages).toBeGreaterThan(500);
    expect((await knowledge.query(base, 'page 11999'))[0]?.text).toContain('Page 11999 tells');
    const asked = await knowledge.send('POST', `/${base}/documents/${document.id}/refresh`);
    expect(asked.status).toBe(202);
    while ((await knowledge.settled(base, document)).indexed_at === document.indexed_at) {
      expect(await knowledge.query(base, 'page 11999')).toHaveLength(5);
    }
    expect((await chunksOf(knowledge)).length).toBe(document.passages);
    await knowledge.send('DELETE', `/${base}/documents/${document.id}`);
    expect(await knowledge.query(base, 'page 11999')).toEqual([]);
    expect(await chunksOf(knowledge)).toEqual([]);
    expect(turns.longestMs()).toBeLessThan(750);
  });

  // @requirement Knowledge: Search uses stems in five languages.
  it('stems words by the language of the base, Hindi too', async () => {
    const knowledge = await open(true);
    const spanish = await knowledge.base({ language: 'es' });
    await knowledge.text(spanish, 'Horario', 'Abrimos las oficinas a las nueve.');
    await knowledge.text(spanish, 'Animales', 'Los perros no entran.');
    expect((await knowledge.query(spanish, '¿y el perro?'))[0]?.text).toBe('Los perros no entran.');
    const hindi = await knowledge.base({ language: 'hi' });
    await knowledge.text(hindi, 'समय', 'दुकान सुबह खुलती है।');
    await knowledge.text(hindi, 'नियम', 'वापसी तीस दिन तक मुफ़्त है।');
    expect((await knowledge.query(hindi, 'वापसी कब तक'))[0]?.text).toContain('वापसी');
  });

  // @requirement Knowledge: A document is indexed anew only where it changed.
  it('indexes anew what has changed and what is asked for again', async () => {
    const knowledge = await open(true);
    const base = await knowledge.base();
    const document = await knowledge.text(base, 'Handbook', HANDBOOK);
    const { status, json } = await knowledge.send('POST', `/${base}/documents/${document.id}/refresh`);
    expect([status, json.status]).toEqual([202, 'queued']);
    const again = await knowledge.settled(base, document);
    expect(again.indexed_at).toBeGreaterThanOrEqual(document.indexed_at);
    expect(await knowledge.query(base, 'restocking')).toHaveLength(1);
  });
});

describe.skipIf(absent !== '')('meaning', () => {
  // @requirement Knowledge: Search uses embeddings.
  it('finds a paraphrase that shares no word with the text', async () => {
    const knowledge = await openKnowledge();
    const base = await knowledge.base();
    await knowledge.text(base, 'Handbook', HANDBOOK);
    await knowledge.text(base, 'Menu', 'We serve soup.\n\nThe bread is baked every morning.');
    const [found] = await knowledge.query(base, 'Do I have to hand the modem in afterwards?');
    expect(found?.text).toContain('The router stays our property');
  });

  const PARKING = 'Wer mit dem Wagen kommt, findet hinter dem Gebäude zehn kostenlose Stellplätze.';
  const SOUP = 'Unsere Suppe kocht die Küche jeden Tag frisch.';
  const PARKED = 'Wo kann ich mein Auto parken?';

  it.skipIf(multilingualAbsent !== '')(
    'finds a paraphrase in German by a model of many languages',
    async () => {
      const knowledge = await openKnowledge();
      const base = await knowledge.base({ language: 'de' });
      await knowledge.text(base, 'Haus', SOUP);
      await knowledge.text(base, 'Haus', PARKING);
      expect((await knowledge.query(base, PARKED)).map(({ text }) => text)[0]).toBe(PARKING);
    },
  );

  it.skipIf(multilingualAbsent !== '')(
    'compares no vectors of another model, and embeds such documents anew',
    async () => {
      const knowledge = await openKnowledge();
      const base = await knowledge.base({ language: 'de' });
      await knowledge.text(base, 'Haus', SOUP);
      await knowledge.text(base, 'Haus', PARKING);
      const db = acrossTenants(knowledge.storage.db);
      const vectors = () => db.selectFrom('knowledge_chunks').select(['number', 'vector']).execute();
      const stored = await vectors();
      // An earlier version left documents without vectors, or with those of a model that is no longer used.
      const [first] = await db.selectFrom('knowledge_documents').select('id').execute();
      await db.updateTable('knowledge_documents').set({ vector_model: 'other' }).execute();
      await db
        .updateTable('knowledge_documents')
        .set({ vector_model: null })
        .where('id', '=', first!.id)
        .execute();
      await db
        .updateTable('knowledge_chunks')
        .set({ vector: Buffer.alloc(384, 7) })
        .execute();
      await db
        .updateTable('knowledge_bases')
        .set((eb) => ({ revision: eb('revision', '+', 1) }))
        .execute();
      expect(await knowledge.query(base, PARKED)).toEqual([]);

      const { signal } = new AbortController();
      await knowledge.service.vectorRenewal.run(signal);
      expect(await vectors()).toEqual(stored);
      const models = await db.selectFrom('knowledge_documents').select('vector_model').execute();
      expect(models).toEqual([{ vector_model: 'e5-small' }, { vector_model: 'e5-small' }]);
      expect((await knowledge.query(base, PARKED)).map(({ text }) => text)[0]).toBe(PARKING);
    },
  );

  // @requirement Knowledge: One call searches bases of several languages.
  it('asks each base of a call in its own language', async () => {
    const knowledge = await openKnowledge();
    const bases = [await knowledge.base({ language: 'es' }), await knowledge.base()];
    await knowledge.text(bases[0]!, 'Animales', 'Los perros no entran.');
    await knowledge.text(bases[1]!, 'Handbook', HANDBOOK);
    const scope = tenantScopeOf(knowledge.access.principal());
    const { signal } = new AbortController();
    const asked = async (query: string) =>
      (await knowledge.service.passagesFor({ scope, bases, query }, signal))?.[0]?.text;
    expect(await asked('¿y el perro?')).toBe('Los perros no entran.');
    expect(await asked('how much do you charge for restocking')).toContain('twelve dollars');
  });

  // @requirement Knowledge: Near-duplicate passages are dropped.
  it('gives a text that stands twice once', async () => {
    const knowledge = await openKnowledge();
    const base = await knowledge.base();
    await knowledge.text(base, 'Hours', 'Our office in Lisbon is open from nine to five on weekdays.');
    await knowledge.text(
      base,
      'Hours, copied',
      'Our office in Lisbon is open from nine to five on weekdays!',
    );
    expect(await knowledge.query(base, 'when is the Lisbon office open')).toHaveLength(1);
  });

  it('gives calls only what is about their question', async () => {
    const knowledge = await openKnowledge();
    const base = await knowledge.base();
    await knowledge.text(base, 'Handbook', HANDBOOK);
    const row = await acrossTenants(knowledge.storage.db)
      .selectFrom('knowledge_bases')
      .selectAll()
      .executeTakeFirstOrThrow();
    const scope = tenantScopeOfRow(row);
    const { signal } = new AbortController();
    const ask = (query: string) => knowledge.service.passagesFor({ scope, query, bases: null }, signal);
    expect(await ask('how much do you charge for restocking')).toBeNull();
    await knowledge.send('PUT', '/defaults', { knowledge_base_ids: [base] });
    expect((await ask('how much do you charge for restocking'))?.[0]?.text).toContain('twelve dollars');
    expect(await ask('who won the football match yesterday')).toEqual([]);
  });
});

// @requirement Knowledge: Knowledge bases are created, read, updated and deleted, and refuse bad input.
describe('what a base refuses', () => {
  it('names what is wrong with a document', async () => {
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const add = async (body: Json) => (await knowledge.send('POST', `/${base}/documents`, body)).json.error;
    expect(await add({})).toMatchObject({ code: 'invalid_request', param: 'text' });
    expect(await add({ text: 'x' })).toMatchObject({ code: 'invalid_request', param: 'title' });
    expect(await add({ url: 'https://a.b.com', text: 'x', title: 'y' })).toMatchObject({ param: 'url' });
    expect(await add({ url: 'http://169.254.169.254/latest' })).toMatchObject({ param: 'url' });
    expect(await add({ url: 'file:///etc/passwd' })).toMatchObject({ param: 'url' });
    expect(await add({ text: 'x', title: 'y', refresh_hours: 2 })).toMatchObject({ param: 'refresh_hours' });
    const form = new FormData();
    form.append('file', new Blob(['MZ']), 'tool.exe');
    const { json } = await knowledge.send('POST', `/${base}/documents`, form);
    expect(json.error).toMatchObject({ code: 'invalid_request', param: 'file' });
    expect((await knowledge.send('GET', `/${base}/documents`)).json.data).toEqual([]);
    expect((await knowledge.send('PUT', '/defaults', { knowledge_base_ids: ['kb_x'] })).status).toBe(404);
  });

  it('holds as many bases as its plan allows', async () => {
    const knowledge = await openKnowledge({ wordsAlone: true });
    for (let made = 0; made < 5; made += 1) await knowledge.base();
    const { status, json } = await knowledge.send('POST', '', { name: 'one more' });
    expect([status, json.error.code]).toEqual([409, 'knowledge_full']);
  });

  it('holds as many passages as its plan allows, whatever waits to be indexed', async () => {
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const held = await knowledge.text(base, 'Held', 'The ferry leaves at noon.');
    expect(held).toMatchObject({ status: 'indexed', passages: 1 });
    const holds = (chunks: number) =>
      acrossTenants(knowledge.storage.db)
        .updateTable('knowledge_documents')
        .set({ chunks })
        .where('id', '=', String(held.id))
        .execute();
    await holds(4_998);
    const text = (times: number) =>
      Array.from(
        { length: times },
        (_, at) => `Rule ${at}. ${'The tram leaves at midnight. '.repeat(20)}`,
      ).join('\n\n');
    const large = await knowledge.text(base, 'Large', text(6));
    expect(large).toMatchObject({ status: 'failed', error: expect.stringContaining('5000 passages') });
    expect(await knowledge.query(base, 'tram')).toEqual([]);
    const small = await knowledge.text(base, 'Small', text(1));
    expect(small).toMatchObject({ status: 'indexed', passages: 1 });
    // Indexing a document again takes no more of the quota.
    await knowledge.send('POST', `/${base}/documents/${small.id}/refresh`);
    expect(await knowledge.settled(base, small)).toMatchObject({ status: 'indexed', error: null });
    await holds(4_999);
    const { status, json } = await knowledge.send('POST', `/${base}/documents`, { title: 'x', text: 'x' });
    expect([status, json.error.code]).toEqual([409, 'knowledge_full']);
  });

  it('makes a base and a text once, however often they are sent', async () => {
    const knowledge = await openKnowledge({ wordsAlone: true });
    const headers = { 'idempotency-key': 'first' };
    const one = await knowledge.send('POST', '', { name: 'Manual' }, headers);
    const two = await knowledge.send('POST', '', { name: 'Manual' }, headers);
    expect(two.json).toEqual(one.json);
    const text = { title: 'Hours', text: 'Nine to five.' };
    const path = `/${one.json.id}/documents`;
    const [a, b] = [
      await knowledge.send('POST', path, text, headers),
      await knowledge.send('POST', path, text, headers),
    ];
    expect(b.json.id).toBe(a.json.id);
  });
});
