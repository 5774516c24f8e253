// @requirement Cast: `capabilities` lists the voices, and any other is `unsupported_voice`.
// @requirement Cast: A cast holds 100,000 lines and 20 speakers, and refuses hostile markup.
// @requirement Cast: A render longer than the plan allows is refused.
import { describe, expect, it } from 'vitest';
import { openCast } from './server.ts';

const open = () => openCast(undefined as never, { idle: true });
const script = 'ANNA: Are you there?\nBEN: (quietly) Yes.\nANNA: Good.';

describe('capabilities', () => {
  it('are the authority on voices, controls and formats', async () => {
    const cast = await open();
    const can = await cast.ask('GET', '/capabilities');
    expect(can.voices.length).toBeGreaterThan(40);
    expect(can.voices).toContainEqual(
      expect.objectContaining({ id: 'heart_en_us', language: 'en', gender: 'female', source: 'stock' }),
    );
    expect(can.voices).toContainEqual(expect.objectContaining({ id: 'kumo_ja_jp', language: 'ja' }));
    expect(can.controls.pace).toEqual({ least: 0.7, most: 1.3, default: 1, unit: 'factor' });
    expect(can.direction).toEqual(['rules']);
    for (const { id, aliases } of can.voices)
      for (const voice of [id, ...aliases]) await cast.make({ lines: [{ text: 'Hello.', voice }] });
  });
});

describe('projects', () => {
  it('are not rendered where they are hours longer than the plan allows: nothing is spoken to find out', async () => {
    const cast = await open();
    const text = `Wait. ${'[pause 10s]'.repeat(300)}`;
    const { id } = await cast.make({ lines: [{ text }, { text }, { text }] });
    expect(await cast.refusal('POST', `/projects/${id}/renders`, {})).toBe('413 payload_too_large null');
    expect((await cast.ask('GET', `/projects/${id}/renders`)).data).toEqual([]);
  });

  it('are made of scripts, each speaker with a voice of their own', async () => {
    const cast = await open();
    const project = await cast.make({ title: 'A talk', script });
    expect(project).toMatchObject({
      object: 'cast.project',
      title: 'A talk',
      language: 'en',
      line_count: 3,
      warnings: [],
    });
    expect(project.id).toMatch(/^cast_[A-Za-z0-9]{20}$/);
    expect(
      project.lines.map(({ speaker, text, note }: Record<string, string>) => [speaker, text, note]),
    ).toEqual([
      ['ANNA', 'Are you there?', null],
      ['BEN', 'Yes.', 'quietly'],
      ['ANNA', 'Good.', null],
    ]);
    const [anna, ben] = project.speakers;
    expect(anna.voice).not.toBe(ben.voice);
    expect(anna).toMatchObject({ name: 'ANNA', chosen_by: 'platform' });
    expect(await cast.ask('GET', `/projects/${project.id}`)).toEqual(project);
    const { data } = await cast.ask('GET', '/projects');
    expect(data).toEqual([expect.not.objectContaining({ lines: expect.anything() })]);
  });

  it('take the writer’s voices by any of their names, and refuse those that are none', async () => {
    const cast = await open();
    const project = await cast.make({
      script,
      speakers: [
        { name: 'anna', voice: 'EN1' },
        { name: 'Ben', gender: 'male' },
      ],
    });
    expect(project.speakers[0]).toMatchObject({ name: 'ANNA', voice: 'heart_en_us', chosen_by: 'writer' });
    const alike = await cast.make({
      script,
      speakers: ['ANNA', 'BEN'].map((name) => ({ name, voice: 'heart_en_us' })),
    });
    expect(alike.warnings).toEqual([expect.objectContaining({ code: 'voices_alike' })]);
    for (const voice of ['nobody', 'hi5', 'hi99', 'vc_00000000000000000000', '__proto__'])
      expect(await cast.refusal('POST', '/projects', { lines: [{ text: 'Hello.', voice }] }), voice).toBe(
        '422 unsupported_voice lines.0.voice',
      );
    expect(await cast.refusal('POST', '/projects', { script, speakers: [{ name: 'BEN', voice: 'x' }] })).toBe(
      '422 unsupported_voice speakers.0.voice',
    );
    expect(
      await cast.refusal('POST', '/projects', { script: '<speak><voice name="x">Hi</voice></speak>' }),
    ).toBe('422 unsupported_voice script');
  });

  it.each([
    [{}, '400 invalid_request script'],
    [{ script, lines: [{ text: 'a' }] }, '400 invalid_request lines'],
    [{ script: '...' }, '400 invalid_request script'],
    [{ lines: [{ text: ' … ' }] }, '400 invalid_request lines.0.text'],
    [{ lines: [{ text: 'x'.repeat(4097) }] }, '400 input_too_long lines.0.text'],
    [{ script: `ANNA: ${'word '.repeat(900)}` }, '400 input_too_long script'],
    [{ lines: [{ text: 'Hello.', direction: { pace: 3 } }] }, '400 invalid_request lines.0.direction.pace'],
    [
      { lines: [{ text: 'Hello.', direction: { emphasis: ['Goodbye'] } }] },
      '400 invalid_request lines.0.direction.emphasis',
    ],
    [
      { lines: [{ text: 'Hi.', voice: 'joe_en_us', direction: { emphasis: ['Hi'] } }] },
      '400 invalid_request lines.0.direction.emphasis',
    ],
    [
      { lines: [{ text: 'Hi.', voice: 'joe_en_us', direction: { emotion: 'sad' } }] },
      '400 unsupported_emotion lines.0.direction.emotion',
    ],
    [{ lines: [{ text: 'Hi.', speaker: 'a\u202eb' }] }, '400 invalid_request lines.0.speaker'],
    [{ lines: [{ text: 'Hi.', id: 'line_x' }] }, '400 invalid_request lines.0.id'],
    [{ script, language: 'ko' }, '400 unsupported_language language'],
    [
      {
        script,
        pronunciations: [
          { word: 'a', say: 'b' },
          { word: 'A', say: 'c' },
        ],
      },
      '400 invalid_request pronunciations.1.word',
    ],
    [
      { script: Array.from({ length: 60 }, (_, at) => `S${at}: x`).join('\n') },
      '400 invalid_request speakers',
    ],
    [
      { script: Array.from({ length: 100_000 }, (_, at) => `ANNA: ${at}`).join('\n') },
      '413 payload_too_large script',
    ],
  ])('refuse what cannot be cast: %#', async (body, refusal) => {
    expect(await (await open()).refusal('POST', '/projects', body)).toBe(refusal);
  });

  it('give twenty speakers twenty voices, and say who sounds alike', async () => {
    const cast = await open();
    const many = Array.from({ length: 20 }, (_, at) => `SPEAKER${at}: I am number ${at}.`).join('\n');
    const { speakers, warnings } = await cast.make({ script: many });
    expect(new Set(speakers.map(({ voice }: { voice: string }) => voice)).size).toBe(20);
    const alike = warnings.filter(({ code }: { code: string }) => code === 'voices_alike');
    expect(alike.length).toBe(warnings.length);
    expect(alike[0].message).toMatch(/^The voices of SPEAKER\d+ and SPEAKER\d+ are similar \(0\.\d\d\)/u);
  });

  it.each([
    ['<speak><!DOCTYPE x [<!ENTITY a "b">]>&a;</speak>', '400 invalid_request script'],
    ['<speak><!ENTITY x SYSTEM "file:///etc/passwd">&x;</speak>', '400 invalid_request script'],
    [`<speak>${'<p>'.repeat(100)}`, '400 invalid_request script'],
    [`<speak><p ${'a="b" '.repeat(1000)}>x</p></speak>`, '400 invalid_request script'],
  ])('refuse markup that attacks: %#', async (hostile, refusal) => {
    const cast = await open();
    expect(await cast.refusal('POST', '/projects', { script: hostile })).toBe(refusal);
    expect((await cast.ask('GET', '/projects')).data).toEqual([]);
  });

  it('speak markup of no meaning to them as words, and keep it apart from their own', async () => {
    const cast = await open();
    const text = '<script>alert(1)</script> {{constructor}} %s';
    const { id, lines: made } = await cast.make({ lines: [{ speaker: 'ANNA', text }] });
    expect(made[0].text).toBe(text);
    expect((await cast.ask('GET', `/projects/${id}`)).lines[0].text).toBe(text);
  });

  it('take ten thousand lines', async () => {
    const cast = await open();
    const long = Array.from({ length: 10_000 }, (_, at) => `S${at % 7}: This is line ${at}.`).join('\n');
    const { id, line_count: count } = await cast.make({ script: long });
    expect(count).toBe(10_000);
    expect((await cast.ask('GET', `/projects/${id}`)).lines).toHaveLength(10_000);
  });

  it('keep what is still the same when the script changes', async () => {
    const cast = await open();
    const project = await cast.make({ script });
    const [first, second] = project.lines;
    await cast.ask('PATCH', `/projects/${project.id}/lines/${second.id}`, {
      direction: { pace: 0.9 },
      seed: 7,
    });
    const changed = await cast.ask('PATCH', `/projects/${project.id}`, {
      script: 'BEN: Yes.\nCARLA: Who is that?\nANNA: Are you there?',
    });
    expect(changed.lines[0]).toMatchObject({
      id: second.id,
      direction: { pace: 0.9 },
      directed_by: 'writer',
      seed: 7,
    });
    expect(changed.lines[2]).toMatchObject({ id: first.id });
    const voices = (of: typeof project) =>
      Object.fromEntries(of.speakers.map(({ name, voice }: Record<string, string>) => [name, voice]));
    expect(voices(changed)).toMatchObject({ ANNA: voices(project).ANNA, BEN: voices(project).BEN });
  });

  it('change line by line, merging directions', async () => {
    const cast = await open();
    const project = await cast.make({ script });
    const path = `/projects/${project.id}/lines/${project.lines[0].id}`;
    await cast.ask('PATCH', path, { direction: { pace: 0.9, emotion: 'warm' } });
    expect(await cast.ask('PATCH', path, { text: 'Hello?', direction: { pace: null } })).toMatchObject({
      text: 'Hello?',
      direction: { emotion: 'warm' },
      directed_by: 'writer',
    });
    expect(await cast.ask('PATCH', path, { direction: null })).toMatchObject({
      direction: {},
      directed_by: null,
    });
    expect(await cast.refusal('PATCH', path, { voice: 'x' })).toBe('422 unsupported_voice lines.0.voice');
    expect(await cast.refusal('PATCH', `/projects/${project.id}/lines/line_x`, { seed: 1 })).toMatch(
      /^404 not_found/,
    );
  });

  it('are directed by rules, but for what a writer directed', async () => {
    const cast = await open();
    const project = await cast.make({
      lines: [
        { speaker: 'ANNA', text: 'They are gone…', note: 'whispering' },
        { speaker: 'BEN', text: 'Wonderful!', direction: { pace: 1.1 } },
      ],
    });
    const directed = await cast.ask('POST', `/projects/${project.id}/direct`, {});
    expect(directed.lines[0]).toMatchObject({ directed_by: 'rules', direction: { energy_db: -8 } });
    expect(directed.lines[1]).toMatchObject({ directed_by: 'writer', direction: { pace: 1.1 } });
    const named = await cast.ask('POST', `/projects/${project.id}/direct`, { lines: [project.lines[1].id] });
    expect(named.lines[1]).toMatchObject({ directed_by: 'rules', direction: { emotion: 'cheerful' } });
  });

  it('go with all that is theirs', async () => {
    const cast = await open();
    const { id } = await cast.make({ script });
    const render = await cast.ask('POST', `/projects/${id}/renders`, {});
    await cast.ask('DELETE', `/projects/${id}`);
    expect(await cast.refusal('GET', `/projects/${id}`)).toMatch(/^404 /);
    expect(await cast.refusal('GET', `/renders/${render.id}`)).toMatch(/^404 /);
    expect(await cast.opened.storage.db.selectFrom('jobs').select('id').execute()).toEqual([]);
  });

  it('answer the same request once more with the same project', async () => {
    const cast = await open();
    const send = () => cast.send('POST', '/projects', { script }, { 'idempotency-key': 'one' });
    const [one, other] = [await (await send()).json(), await (await send()).json()];
    expect(other).toEqual(one);
    expect((await cast.ask('GET', '/projects')).data).toHaveLength(1);
  });
});
