import { describe, expect, it } from 'vitest';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, openHear } from './server.ts';

describe.skipIf(absent)('/v1/hear/vocabulary', () => {
  async function open(scopes?: string[]) {
    const server = await openHear({ prepared: false, ...(scopes ? { scopes } : {}) });
    const ask = async (method: string, body?: object) => {
      const response = await fetch(`${server.url}/v1/hear/vocabulary`, {
        method,
        headers: { ...bearer, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    };
    return { server, ask };
  }
  const settings = {
    terms: [{ term: 'Trunkline', sounds_like: ['trunk line'] }, { term: 'Ana Böhm' }],
    batch: { active: true },
    streaming: { active: false },
  };

  it('is empty and inactive at first, and replaced by a PUT', async () => {
    const { ask } = await open();
    expect((await ask('GET')).body).toEqual({
      object: 'hear.vocabulary',
      terms: [],
      batch: { active: false },
      streaming: { active: false },
    });
    expect(await ask('PUT', settings)).toEqual({
      status: 200,
      body: { object: 'hear.vocabulary', ...settings },
    });
    const fewer = { ...settings, terms: [] };
    await ask('PUT', fewer);
    expect((await ask('GET')).body).toMatchObject(fewer);
  });

  it('refuses what it cannot use, and names it', async () => {
    const { ask } = await open();
    const term = (text: string) => ({ ...settings, terms: [{ term: text }] });
    const cases = [
      term(''),
      term('   '),
      term('a\tb'),
      term('F\u0000o'),
      term('a'.repeat(101)),
      { ...settings, terms: Array.from({ length: 201 }, (_, index) => ({ term: `t${index}` })) },
      { ...settings, terms: [{ term: 'Same' }, { term: ' same ' }] },
      { terms: [] },
      { ...settings, language: 'en' },
    ];
    for (const body of cases) {
      const answer = await ask('PUT', body);
      expect([body, answer.status]).toEqual([body, 400]);
      expect(answer.body.error).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('needs its scope', async () => {
    const { ask } = await open(['hear:transcribe', 'hear:stream']);
    expect((await ask('GET')).status).toBe(403);
    expect((await ask('PUT', settings)).status).toBe(403);
  });
});
